/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scripted-host.h"

#include "ns3/collective-state.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/// A lane of steps that a test lists.
class ListedLane : public CollectiveLane
{
  public:
    /**
     * @param steps the steps
     */
    explicit ListedLane(std::vector<LaneStep> steps)
        : m_steps(std::move(steps))
    {
    }

    uint64_t GetStepCount() const override
    {
        return m_steps.size();
    }

    LaneStep GetStep(uint64_t index) const override
    {
        return m_steps.at(index);
    }

  private:
    std::vector<LaneStep> m_steps; //!< the steps
};

/**
 * @param peers who gets it
 * @param bytes how much
 * @param needs what it waits for
 * @return a step that sends
 */
LaneStep
Sends(const LanePeers& peers, uint64_t bytes, const LaneNeeds& needs = {})
{
    LaneStep step;
    step.sendTo = peers;
    step.sendBytes = bytes;
    step.sendAfter = needs;
    return step;
}

/**
 * @param peers who sends it
 * @param bytes how much
 * @param reduces whether it is added
 * @return a step that receives
 */
LaneStep
Receives(const LanePeers& peers, uint64_t bytes, bool reduces = false)
{
    LaneStep step;
    step.receiveFrom = peers;
    step.receiveBytes = bytes;
    step.reduces = reduces;
    return step;
}

/// A rank whose lanes a test lists. Slices have 10 bytes.
class CollectiveStateTest : public testing::Test
{
  protected:
    /**
     * @param lanes steps of each lane
     */
    void Make(const std::vector<std::vector<LaneStep>>& lanes)
    {
        std::vector<std::unique_ptr<CollectiveLane>> made;
        for (const auto& steps : lanes)
        {
            made.push_back(std::make_unique<ListedLane>(steps));
        }
        m_state = std::make_unique<CollectiveState>(std::move(made), 10, m_host);
    }

    /**
     * @param lane index of a lane
     * @param peer who sends a slice
     */
    void Arrive(uint32_t lane, uint32_t peer)
    {
        ++m_host.arrived[{lane, peer}];
        m_state->OnProgress(lane);
    }

    /**
     * @param lane index of a lane
     * @param peer who grants a slot
     */
    void GetSlot(uint32_t lane, uint32_t peer)
    {
        ++m_host.slots[{lane, peer}];
        m_state->OnProgress(lane);
    }

    ScriptedHost m_host;                      //!< its surroundings
    std::unique_ptr<CollectiveState> m_state; //!< the rank
};

TEST_F(CollectiveStateTest, StepsOfNoBytesAreOverAtTheStart)
{
    Make({{Sends({1}, 0), Receives({1}, 0), Sends({}, 7)}, {}});
    EXPECT_FALSE(m_state->IsDone());
    m_state->Start();
    EXPECT_TRUE(m_state->IsDone());
    EXPECT_TRUE(m_state->GetWaits().empty());
    EXPECT_TRUE(m_host.sent.empty());
}

TEST_F(CollectiveStateTest, ARankWithoutLanesIsDoneAtTheStart)
{
    Make({});
    EXPECT_FALSE(m_state->IsDone());
    m_state->Start();
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, ALateRankGrantsNothingAndTakesNothing)
{
    Make({{Receives({1}, 25)}});
    m_host.free[{0, 1}] = 2;
    Arrive(0, 1);
    EXPECT_TRUE(m_host.granted.empty()) << "so nobody sends it data";
    EXPECT_TRUE(m_host.taken.empty());
    EXPECT_TRUE(m_state->GetWaits().empty());
    m_state->Start();
    EXPECT_EQ(m_host.taken.size(), 1u);
    EXPECT_EQ((m_host.granted[{0, 1}]), 3u);
}

TEST_F(CollectiveStateTest, SlotsAreGrantedForSlicesThatAreStillToCome)
{
    Make({{Receives({1}, 25), Receives({2}, 10)}});
    m_host.free[{0, 1}] = 2;
    m_host.free[{0, 2}] = 8;
    m_state->Start();
    EXPECT_EQ((m_host.granted[{0, 1}]), 2u);
    EXPECT_EQ((m_host.granted[{0, 2}]), 0u) << "its step is not reached";
    Arrive(0, 1);
    EXPECT_EQ((m_host.granted[{0, 1}]), 3u);
    EXPECT_EQ((m_host.granted[{0, 2}]), 1u) << "there is one slice only";
    Arrive(0, 1);
    Arrive(0, 1);
    EXPECT_EQ((m_host.granted[{0, 1}]), 3u) << "the next op is not this one's business";
}

TEST_F(CollectiveStateTest, TheLastSliceIsShorter)
{
    Make({{Sends({1}, 25)}});
    m_host.slots[{0, 1}] = 5;
    m_state->Start();
    ASSERT_EQ(m_host.sent.size(), 3u);
    EXPECT_EQ(m_host.sent[2].begin, 20u);
    EXPECT_EQ(m_host.sent[2].bytes, 5u);
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, ARankWaitsForTheSliceOfWhoHasNotSent)
{
    Make({{Sends({3}, 10), Receives({1, 2}, 20)}});
    m_host.slots[{0, 3}] = 1;
    m_state->Start();
    Arrive(0, 2);
    EXPECT_TRUE(m_host.taken.empty()) << "both have to come";
    const auto waits = m_state->GetWaits();
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].lane, 0u);
    EXPECT_EQ(waits[0].peer, 1u);
    EXPECT_EQ(waits[0].step, 1u);
    EXPECT_FALSE(waits[0].isForSlot);
    Arrive(0, 1);
    EXPECT_EQ(m_host.taken.size(), 2u);
    EXPECT_EQ(m_state->GetWaits().size(), 2u) << "the next slice";
}

TEST_F(CollectiveStateTest, ARankWaitsForTheSlotOfWhoHasNotGranted)
{
    Make({{Receives({1}, 10), Sends({2, 3}, 10, {{LaneNeed::SAME, 0, LaneNeed::WHOLE, false}})}});
    m_host.slots[{0, 2}] = 1;
    m_state->Start();
    EXPECT_TRUE(m_host.sent.empty());
    ASSERT_EQ(m_state->GetWaits().size(), 1u);
    EXPECT_FALSE(m_state->GetWaits()[0].isForSlot) << "what is sent has to come first";
    Arrive(0, 1);
    EXPECT_EQ(m_host.sent.size(), 1u);
    const auto waits = m_state->GetWaits();
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].peer, 3u);
    EXPECT_EQ(waits[0].step, 1u);
    EXPECT_TRUE(waits[0].isForSlot);
    GetSlot(0, 3);
    EXPECT_EQ(m_host.sent.size(), 2u) << "each peer gets it once";
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, WhatComesLeavesSliceBySlice)
{
    LaneStep forwards = Receives({1}, 30);
    forwards.sendTo = {2};
    forwards.sendBytes = 30;
    forwards.sendAfter = {{LaneNeed::SAME, 0, 0, false}};
    Make({{forwards}});
    m_host.slots[{0, 2}] = 3;
    m_state->Start();
    for (uint32_t slices = 1; slices <= 3; ++slices)
    {
        Arrive(0, 1);
        EXPECT_EQ(m_host.sent.size(), slices);
    }
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, AShiftSaysHowMuchMoreOrLessMustBeThere)
{
    for (const auto& [shift, needed] : std::vector<std::pair<int64_t, uint32_t>>{{-30, 0},
                                                                                 {-10, 0},
                                                                                 {-9, 1},
                                                                                 {0, 1},
                                                                                 {1, 2},
                                                                                 {10, 2},
                                                                                 {999, 3}})
    {
        m_host = ScriptedHost();
        Make({{Receives({1}, 30), Sends({2}, 10, {{LaneNeed::SAME, 0, shift, false}})}});
        m_host.slots[{0, 2}] = 1;
        m_state->Start();
        uint32_t slices = 0;
        for (; m_host.sent.empty() && slices < 3; ++slices)
        {
            Arrive(0, 1);
        }
        EXPECT_EQ(slices, needed) << shift;
        EXPECT_EQ(m_host.sent.size(), 1u) << shift;
    }
}

TEST_F(CollectiveStateTest, ALaneGoesOnWhenTheLaneItWaitsForHasMoved)
{
    Make({{Sends({2}, 20, {{1, 0, 0, false}})}, {Receives({1}, 20)}});
    m_host.slots[{0, 2}] = 2;
    m_state->Start();
    EXPECT_TRUE(m_host.sent.empty());
    Arrive(1, 1);
    EXPECT_EQ(m_host.sent.size(), 1u);
    Arrive(1, 1);
    EXPECT_EQ(m_host.sent.size(), 2u);
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, NothingIsTakenBeforeWhatItOverwritesHasLeft)
{
    LaneStep step = Receives({1}, 20);
    step.sendTo = {1};
    step.sendBytes = 20;
    step.receiveAfter = {{LaneNeed::SAME, 0, 0, true}};
    Make({{step}});
    m_host.arrived[{0, 1}] = 2;
    m_state->Start();
    EXPECT_TRUE(m_host.taken.empty());
    GetSlot(0, 1);
    EXPECT_EQ(m_host.taken.size(), 1u);
    GetSlot(0, 1);
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, AReductionHoldsUpItsOwnLaneOnly)
{
    const LaneStep forwards = Sends({3}, 10, {{LaneNeed::SAME, 0, 0, false}});
    Make({{Receives({1, 2}, 10, true), forwards}, {Receives({1}, 10)}});
    m_host.reducesAtOnce = false;
    m_host.slots[{0, 3}] = 1;
    m_state->Start();
    Arrive(0, 1);
    Arrive(0, 2);
    const std::vector<std::pair<uint32_t, uint64_t>> expected{{0, 20}};
    EXPECT_EQ(m_host.reductions, expected) << "once, of the slices of both";
    EXPECT_TRUE(m_host.taken.empty());
    ASSERT_EQ(m_state->GetWaits().size(), 1u);
    EXPECT_EQ(m_state->GetWaits()[0].lane, 1u) << "the other waits for no rank";
    Arrive(1, 1);
    EXPECT_EQ(m_host.taken.size(), 1u);
    m_state->OnReduced(0);
    EXPECT_EQ(m_host.taken.size(), 3u);
    EXPECT_EQ(m_host.sent.size(), 1u);
    EXPECT_TRUE(m_state->IsDone());
}

TEST_F(CollectiveStateTest, SlicesOnLanesOfALaterOpChangeNothing)
{
    Make({{Receives({1}, 10)}});
    m_state->Start();
    m_state->OnProgress(7);
    EXPECT_FALSE(m_state->IsDone());
    Arrive(0, 1);
    EXPECT_TRUE(m_state->IsDone());
    Arrive(0, 1);
    EXPECT_EQ(m_host.taken.size(), 1u) << "the second one belongs to the next op";
}

} // namespace
