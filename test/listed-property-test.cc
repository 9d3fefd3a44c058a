/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "listed-fixture.h"

#include "ns3/listed-lane.h"

#include <cstdint>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

constexpr ListedAction SEND = ListedAction::SEND;
constexpr ListedAction RECEIVE = ListedAction::RECEIVE;
constexpr ListedAction REDUCE = ListedAction::REDUCE;

/// A list that is done without any check but that sends have receives.
class UncheckedAlgorithm : public CollectiveAlgorithm
{
  public:
    /**
     * @param list a list
     */
    explicit UncheckedAlgorithm(const ListedSchedule& list)
        : m_program(std::make_shared<const ListedProgram>(list))
    {
    }

    std::string GetOp() const override
    {
        return m_program->GetSchedule().op;
    }

    std::string GetName() const override
    {
        return m_program->GetSchedule().name;
    }

    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override
    {
        std::vector<std::unique_ptr<CollectiveLane>> lanes;
        for (uint32_t lane = 0; lane + 1 < task.GetRanks(); ++lane)
        {
            lanes.push_back(std::make_unique<ListedLane>(m_program, task, lane));
        }
        return lanes;
    }

  private:
    std::shared_ptr<const ListedProgram> m_program; //!< the list
};

/**
 * @return an AllGather of 3 ranks that send each other two chunks apart
 */
ListWriter
MakeGather()
{
    ListWriter list("allgather", 3, 6);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            const uint32_t peer = (rank + 1 + k % 2) % 3;
            list.Add(rank, SEND, peer, 2 * rank + k / 2);
            list.Add(rank, RECEIVE, peer, 2 * peer + k / 2);
        }
    }
    return list;
}

/**
 * Add or take away a wait, exchange two steps of a rank, or change what one does.
 *
 * @param list the list
 * @param random draws the change
 */
void
Change(ListedSchedule& list, std::mt19937& random)
{
    ListedStep& step = list.steps[random() % list.steps.size()];
    ListedStep& other = list.steps[random() % list.steps.size()];
    const uint32_t kind = random() % 16;
    if (kind == 0)
    {
        step.after.clear();
    }
    else if (kind == 1)
    {
        step.action = step.action == RECEIVE ? REDUCE : RECEIVE;
    }
    else if (kind < 5 && step.rank == other.rank)
    {
        std::swap(step.step, other.step);
    }
    else if (step.step > 0)
    {
        step.after.push_back(static_cast<uint32_t>(random() % step.step));
    }
}

/**
 * @param random draws it
 * @return a list of 3 ranks that may be right or not
 */
ListWriter
MakeChanged(std::mt19937& random)
{
    const uint32_t kind = random() % 4;
    ListWriter list = kind == 0 ? MakeMesh(3) : kind == 1 ? MakeOneShot() : MakeGather();
    for (uint32_t change = random() % 6 + 1; change > 0; --change)
    {
        Change(list.Get(), random);
    }
    return list;
}

} // namespace

TEST(ListedProperties, WhatIsAcceptedIsRight)
{
    std::mt19937 random(7);
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        const ListWriter list = MakeChanged(random);
        if (list.GetError() != "no error")
        {
            continue;
        }
        ++accepted;
        const ListedAlgorithm algorithm = list.Make();
        for (uint64_t payload : {1, 2, 200})
        {
            for (uint32_t slots : {0u, 1u, 2u})
            {
                CollectiveRun run(algorithm, MakeTask(3, payload, 5), slots, i);
                run.Run();
                for (uint32_t rank = 0; rank < 3; ++rank)
                {
                    ASSERT_TRUE(run.HoldsResult(rank)) << "list " << i << ", rank " << rank;
                }
                ASSERT_FALSE(HasFailure()) << "list " << i;
            }
        }
    }
    EXPECT_GT(accepted, 300u);
    EXPECT_LT(accepted, 2700u);
}

TEST(ListedProperties, WhatIsRefusedBecauseOfBuffersStopsWithOneSlot)
{
    std::mt19937 random(8);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 9000; ++i)
    {
        ListWriter list = MakeChanged(random);
        if (list.GetError().find("when buffers are full") == std::string::npos)
        {
            continue;
        }
        ++refused;
        CollectiveRun run(UncheckedAlgorithm(list.Get()), MakeTask(3, 600, 1), 1, i);
        testing::TestPartResultArray failures; // of what the run expects
        {
            const testing::ScopedFakeTestPartResultReporter reporter(&failures);
            run.Run();
        }
        EXPECT_FALSE(run.IsDone(0) && run.IsDone(1) && run.IsDone(2)) << list.GetError();
    }
    EXPECT_GT(refused, 50u);
}
