/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tuner-fixture.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

using CollectiveTunerTest = TunerFixture;

/// An op that only the test's own algorithms do.
const std::string OWN = "own";

TEST_F(CollectiveTunerTest, WithoutRulesARingIsTakenOrTheDirectWay)
{
    for (const std::string op :
         {"allreduce", "reducescatter", "allgather", "broadcast", "reduce", "barrier"})
    {
        EXPECT_EQ(CollectiveTuner::GetDefault(op), "ring") << op;
    }
    EXPECT_EQ(CollectiveTuner::GetDefault("alltoall"), "direct");
    EXPECT_EQ(CollectiveTuner::GetDefault("sendrecv"), "direct");
    Add("allreduce", "faster", Rounds(1));
    EXPECT_EQ(GetChosen(Make(), "allreduce", MakeTask(1 << 20)), "ring");
}

TEST_F(CollectiveTunerTest, RulesChooseByPayload)
{
    Add("allreduce", "tree", GetTreeCost);
    Add("allreduce", "other", GetTreeCost);
    CollectiveTuner tuner = Make();
    tuner.SetRules("allreduce", {{1000, "tree"}, {2000, "ring"}, {{}, "other"}});
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(1)), "tree");
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(1000)), "tree");
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(1001)), "ring");
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(2000)), "ring");
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(2001)), "other");
    tuner.SetRules("allreduce", {{{}, "tree"}});
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(2001)), "tree");
    tuner.SetRules("allreduce", {});
    EXPECT_EQ(GetChosen(tuner, "allreduce", MakeTask(2001)), "ring") << "the default again";
}

TEST_F(CollectiveTunerTest, AutoTakesTheFastest)
{
    Add(OWN, "ring", Ring());
    Add(OWN, "tree", GetTreeCost);
    CollectiveTuner tuner = Make();
    tuner.SetRules(OWN, {{{}, CollectiveTuner::AUTO}});
    EXPECT_EQ(GetChosen(tuner, OWN, MakeTask(1000)), "tree");
    EXPECT_EQ(GetChosen(tuner, OWN, MakeTask(1 << 20)), "ring");
}

TEST_F(CollectiveTunerTest, OfEquallyFastAlgorithmsTheFirstByNameIsTaken)
{
    for (const std::string name : {"c", "a", "b"})
    {
        Add(OWN, name, Rounds(1));
    }
    Add(OWN, "A", Rounds(2));
    CollectiveTuner tuner = Make();
    tuner.SetRules(OWN, {{{}, CollectiveTuner::AUTO}});
    EXPECT_EQ(GetChosen(tuner, OWN, MakeTask(1000)), "a");
}

TEST_F(CollectiveTunerTest, ProtocolsAreChosenByCostIfNoneIsSaid)
{
    m_config.protocol.reset();
    const LinkCost nvlink{NanoSeconds(500), 450e9};
    const CollectiveTuner tuner(m_registry,
                                CollectiveCostModel(nvlink, nvlink, m_config),
                                m_config);
    CollectiveTask task;
    task.layout = MakeNodes(1, 8);
    std::vector<CollectiveProtocol> used;
    for (task.payload = 1024; task.payload <= 1ULL << 34; task.payload *= 2)
    {
        const CollectiveChoice choice = tuner.Choose("allreduce", task);
        if (used.empty() || used.back() != choice.protocol)
        {
            used.push_back(choice.protocol);
        }
        EXPECT_EQ(choice.cut.slice, ProtocolProfile::Get(choice.protocol).GetSlice());
    }
    EXPECT_EQ(used,
              (std::vector{CollectiveProtocol::LL,
                           CollectiveProtocol::LL128,
                           CollectiveProtocol::SIMPLE}));
}

TEST_F(CollectiveTunerTest, TheProtocolThatIsSaidIsUsed)
{
    for (const auto protocol : {CollectiveProtocol::NONE, CollectiveProtocol::LL128})
    {
        m_config.protocol = protocol;
        CollectiveTuner tuner = Make();
        EXPECT_EQ(tuner.Choose("allreduce", MakeTask(100)).protocol, protocol);
        tuner.SetRules("allreduce", {{{}, CollectiveTuner::AUTO}});
        EXPECT_EQ(tuner.Choose("allreduce", MakeTask(1 << 30)).protocol, protocol);
    }
}

TEST_F(CollectiveTunerTest, TheCutIsThatOfTheConfiguration)
{
    m_config.channels = 4;
    m_config.slice = 5000;
    const CollectiveTuner tuner = Make();
    for (uint64_t payload : {uint64_t{100}, 3 * CollectiveConfig::CHANNEL_BYTES, uint64_t{1} << 30})
    {
        const CollectiveTask task = MakeTask(payload);
        const CollectiveCut is = tuner.Choose("allreduce", task).cut;
        const CollectiveCut asked =
            m_config.GetCut(*task.layout, payload, CollectiveProtocol::NONE);
        EXPECT_EQ(is.channels, asked.channels);
        EXPECT_EQ(is.chunk, asked.chunk);
        EXPECT_EQ(is.slice, asked.slice);
    }
}

TEST_F(CollectiveTunerTest, PatIsDoneWithSimpleOnly)
{
    Add("allgather", "pat", Rounds(0.001))->row = LatencyRow::PAT;
    m_config.protocol.reset();
    CollectiveTuner tuner = Make();
    tuner.SetRules("allgather", {{{}, "pat"}});
    EXPECT_EQ(tuner.Choose("allgather", MakeTask(8)).protocol, CollectiveProtocol::SIMPLE);
    m_config.protocol = CollectiveProtocol::LL;
    tuner = Make();
    tuner.SetRules("allgather", {{{}, "pat"}});
    EXPECT_EQ(GetError([&] { tuner.Choose("allgather", MakeTask(8)); }),
              "collective.allgather: algorithm 'pat' can't be used by a group of 8 ranks: "
              "it is not done with protocol ll; choose another one, or 'auto'");
}

TEST_F(CollectiveTunerTest, AnAlgorithmWithAnObstacleIsAnErrorIfItIsSaidAndElsePassedOver)
{
    Add(OWN, "ring", Ring());
    Add(OWN, "butterfly", Rounds(1))->obstacle = "it needs a power of two";
    CollectiveTuner tuner = Make();
    tuner.SetRules(OWN, {{100, "butterfly"}, {{}, CollectiveTuner::AUTO}});
    EXPECT_EQ(GetError([&] { tuner.Choose(OWN, MakeTask(100, 7)); }),
              "collective.own: algorithm 'butterfly' can't be used by a group of 7 ranks: "
              "it needs a power of two; choose another one, or 'auto'");
    EXPECT_NE(GetError([&] { tuner.Choose(OWN, MakeTask(100, 7)); }), "")
        << "an error is not kept as a choice";
    EXPECT_EQ(GetChosen(tuner, OWN, MakeTask(101, 7)), "ring");
}

TEST_F(CollectiveTunerTest, CandidatesAreSortedAndSayWhyTheyHaveNoTime)
{
    Add(OWN, "blocked", Rounds(1))->obstacle = "it needs a power of two";
    Add(OWN, "fast", Rounds(1));
    Add(OWN, "secret", Unknown());
    Add(OWN, "ring", Ring());
    Add(OWN, "slow", Rounds(1000));
    const auto candidates = Make().GetCandidates(OWN, MakeTask(8000));
    std::vector<std::string> lines;
    for (const CollectiveCandidate& one : candidates)
    {
        lines.push_back(one.algorithm + ": " + one.obstacle);
        EXPECT_EQ(one.time.has_value(), one.obstacle.empty());
    }
    EXPECT_EQ(lines,
              (std::vector<std::string>{"fast: ",
                                        "ring: ",
                                        "slow: ",
                                        "blocked: it needs a power of two",
                                        "secret: its cost is not known"}));
    EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.begin() + 3, [](auto& a, auto& b) {
        return *a.time < *b.time;
    }));
    EXPECT_EQ(candidates.front().time, NanoSeconds(LATENCY));
}

TEST_F(CollectiveTunerTest, AutoWhereNothingHasACostIsTheDefault)
{
    Add(OWN, "another", Unknown());
    Add(OWN, "ring", Unknown());
    m_config.protocol.reset();
    CollectiveTuner tuner = Make();
    tuner.SetRules(OWN, {{{}, CollectiveTuner::AUTO}});
    const CollectiveChoice choice = tuner.Choose(OWN, MakeTask(1000));
    EXPECT_EQ(choice.algorithm->GetName(), "ring");
    EXPECT_EQ(choice.protocol, CollectiveProtocol::SIMPLE);
}

TEST_F(CollectiveTunerTest, AChoiceIsMadeOnceForAllRanks)
{
    Add(OWN, "ring", Ring());
    uint32_t asked = 0;
    Add(OWN, "counting", [&](const CollectiveTask& /* task */) {
        ++asked;
        return CollectiveCost{{1, true, 0, 0, 0, false}};
    });
    CollectiveTuner tuner = Make();
    tuner.SetRules(OWN, {{{}, CollectiveTuner::AUTO}});
    CollectiveTask task = MakeTask(1000, 1024);
    for (task.rank = 0; task.rank < 1024; ++task.rank)
    {
        EXPECT_EQ(GetChosen(tuner, OWN, task), "counting");
    }
    EXPECT_EQ(asked, 1u);
    task.payload = 2000;
    tuner.Choose(OWN, task);
    EXPECT_EQ(asked, 2u) << "another payload";
    task.layout = MakeNodes(1024, 1);
    tuner.Choose(OWN, task);
    EXPECT_EQ(asked, 3u) << "another group";
    tuner.SetRules(OWN, {{{}, "ring"}});
    EXPECT_EQ(GetChosen(tuner, OWN, task), "ring") << "another rule";
}

TEST_F(CollectiveTunerTest, UnevenPartsAreWeighedByThemselvesWhereAnAlgorithmCan)
{
    Add(OWN, "even", [](const CollectiveTask& task) {
        return task.bytes ? std::optional<CollectiveCost>{}
                          : CollectiveCost{{1, true, 0, 0, 5000, false}};
    });
    Add(OWN, "exact", [](const CollectiveTask& task) {
        return CollectiveCost{{1, true, 0, 0, static_cast<double>(task.bytes(0, 1)), false}};
    });
    CollectiveTuner tuner = Make();
    tuner.SetRules(OWN, {{{}, CollectiveTuner::AUTO}});
    CollectiveTask task = MakeTask(8000);
    task.bytes = [](uint32_t /* from */, uint32_t /* to */) { return 4000; };
    EXPECT_EQ(GetChosen(tuner, OWN, task), "exact");
    task.bytes = [](uint32_t /* from */, uint32_t /* to */) { return 6000; };
    EXPECT_EQ(GetChosen(tuner, OWN, task), "even") << "another op of the same payload";
}

TEST_F(CollectiveTunerTest, RulesInDisorderAreErrors)
{
    CollectiveTuner tuner = Make();
    const std::vector<std::vector<CollectiveRule>> disorders{
        {{2000, "ring"}, {1000, "ring"}, {{}, "ring"}},
        {{1000, "ring"}, {1000, "ring"}, {{}, "ring"}},
        {{{}, "ring"}, {1000, "ring"}},
        {{{}, "ring"}, {{}, "ring"}},
        {{1000, "ring"}},
    };
    for (const std::vector<CollectiveRule>& rules : disorders)
    {
        EXPECT_EQ(GetError([&] { tuner.SetRules("allreduce", rules); }),
                  "collective.allreduce: the rules are not in the order of their payloads; let "
                  "each up_to be larger than the one before, and only the last be absent");
    }
}

TEST_F(CollectiveTunerTest, UnknownNamesAreErrors)
{
    CollectiveTuner tuner = Make();
    const auto getError = [&](const std::string& op, const std::string& name) {
        return GetError([&] { tuner.SetRules(op, {{{}, name}}); });
    };
    EXPECT_EQ(getError("allreduce", "rnig")
                  .find("collective.allreduce: unknown algorithm 'rnig'; known: "),
              0u);
    EXPECT_EQ(getError("gather", "auto").find("collective: unknown collective op 'gather'"), 0u);
    EXPECT_NE(GetError([&] { tuner.Choose("gather", MakeTask(1)); }), "");
}

} // namespace
