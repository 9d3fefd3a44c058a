/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-registry.h"
#include "ns3/ring-all-reduce.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3::llmfabric;

namespace
{

/**
 * @param registry some algorithms
 * @param op an op
 * @param name an algorithm
 * @return what the registry says of them
 */
std::string
ErrorOf(const CollectiveRegistry& registry, const std::string& op, const std::string& name)
{
    try
    {
        registry.Get(op, name);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param words some words
 * @return the words with commas between them
 */
std::string
Join(const std::vector<std::string>& words)
{
    std::string joined;
    for (const std::string& word : words)
    {
        joined += (joined.empty() ? "" : ", ") + word;
    }
    return joined;
}

TEST(CollectiveRegistry, FindsEachAlgorithmByTheScenarioWords)
{
    const CollectiveRegistry registry;
    for (const std::string& op : registry.GetOps())
    {
        EXPECT_FALSE(registry.GetNames(op).empty());
        for (const std::string& name : registry.GetNames(op))
        {
            EXPECT_EQ(registry.Get(op, name)->GetOp(), op);
            EXPECT_EQ(registry.Get(op, name)->GetName(), name);
        }
    }
}

TEST(CollectiveRegistry, KnowsTheAlgorithmsOfTheModule)
{
    const std::vector<std::string> allReduces{"binary-tree",
                                              "double-binary-tree",
                                              "halving-doubling",
                                              "hierarchical",
                                              "naive",
                                              "recursive-doubling",
                                              "ring"};
    const std::map<std::string, std::vector<std::string>> expected{
        {"allgather", {"direct", "pat", "ring"}},
        {"allreduce", allReduces},
        {"alltoall", {"bruck", "direct", "hierarchical", "pairwise"}},
        {"barrier", allReduces},
        {"broadcast", {"binary-tree", "direct", "ring"}},
        {"reduce", {"binary-tree", "direct", "ring"}},
        {"reducescatter", {"direct", "pat", "ring"}},
        {"sendrecv", {"direct"}}};
    const CollectiveRegistry registry;
    EXPECT_EQ(registry.GetOps().size(), expected.size());
    for (const auto& [op, names] : expected)
    {
        EXPECT_EQ(registry.GetNames(op), names) << op;
    }
}

TEST(CollectiveRegistry, UnknownNamesListTheKnownOnes)
{
    const CollectiveRegistry registry;
    EXPECT_EQ(ErrorOf(registry, "allreduce", "rign"),
              "collective.allreduce: unknown algorithm 'rign'; known: " +
                  Join(registry.GetNames("allreduce")));
    EXPECT_EQ(ErrorOf(registry, "allredcue", "ring"),
              "collective: unknown collective op 'allredcue'; known: " + Join(registry.GetOps()));
}

TEST(CollectiveRegistry, AnOpThatNobodyDoesHasNoNames)
{
    EXPECT_TRUE(CollectiveRegistry().GetNames("allredcue").empty());
}

TEST(CollectiveRegistry, TakesAlgorithmsOfUsers)
{
    /// A ring by another name.
    class MyRing : public RingAllReduce
    {
        std::string GetName() const override
        {
            return "mine";
        }
    };

    CollectiveRegistry registry;
    const std::size_t before = registry.GetNames("allreduce").size();
    registry.Add(std::make_shared<MyRing>());
    EXPECT_EQ(registry.GetNames("allreduce").size(), before + 1);
    EXPECT_EQ(registry.Get("allreduce", "mine")->GetName(), "mine");
}

TEST(CollectiveRegistry, AUsersAlgorithmReplacesOneOfTheSameName)
{
    CollectiveRegistry registry;
    const auto mine = std::make_shared<const RingAllReduce>();
    registry.Add(mine);
    EXPECT_EQ(registry.Get("allreduce", "ring"), mine);
    EXPECT_EQ(registry.GetNames("allreduce"), CollectiveRegistry().GetNames("allreduce"));
}

} // namespace
