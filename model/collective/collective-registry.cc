/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-registry.h"

#include "barrier-algorithm.h"
#include "bruck-all-to-all.h"
#include "chain-shape.h"
#include "direct-all-gather.h"
#include "direct-all-to-all.h"
#include "direct-reduce-scatter.h"
#include "direct-send-receive.h"
#include "double-tree-shape.h"
#include "halving-doubling-all-reduce.h"
#include "heap-shape.h"
#include "hierarchical-all-reduce.h"
#include "hierarchical-all-to-all.h"
#include "naive-all-reduce.h"
#include "pairwise-all-to-all.h"
#include "pat-all-gather.h"
#include "pat-reduce-scatter.h"
#include "recursive-doubling-all-reduce.h"
#include "ring-all-gather.h"
#include "ring-all-reduce.h"
#include "ring-reduce-scatter.h"
#include "star-collective.h"
#include "tree-collective.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @tparam MAP a map with string keys
 * @param map a map
 * @return its keys
 */
template <typename MAP>
std::vector<std::string>
Keys(const MAP& map)
{
    std::vector<std::string> keys;
    for (const auto& entry : map)
    {
        keys.push_back(entry.first);
    }
    return keys;
}

/**
 * @param words some words
 * @return "known: " and the words
 */
std::string
Known(const std::vector<std::string>& words)
{
    std::string list;
    for (const std::string& word : words)
    {
        list += (list.empty() ? "" : ", ") + word;
    }
    return "known: " + list;
}

} // namespace

CollectiveRegistry::CollectiveRegistry()
{
    const auto chain = std::make_shared<const ChainShape>();
    const auto heap = std::make_shared<const HeapShape>();
    Add(std::make_shared<const NaiveAllReduce>());
    Add(std::make_shared<const RingAllReduce>());
    Add(std::make_shared<const HierarchicalAllReduce>());
    Add(std::make_shared<const HalvingDoublingAllReduce>());
    Add(std::make_shared<const RecursiveDoublingAllReduce>());
    Add(TreeCollective::AllReduce(heap));
    Add(TreeCollective::AllReduce(std::make_shared<const DoubleTreeShape>()));

    Add(std::make_shared<const DirectReduceScatter>());
    Add(std::make_shared<const RingReduceScatter>());
    Add(std::make_shared<const PatReduceScatter>());

    Add(std::make_shared<const DirectAllGather>());
    Add(std::make_shared<const RingAllGather>());
    Add(std::make_shared<const PatAllGather>());

    Add(StarCollective::Broadcast());
    Add(TreeCollective::Broadcast(chain));
    Add(TreeCollective::Broadcast(heap));

    Add(StarCollective::Reduce());
    Add(TreeCollective::Reduce(chain));
    Add(TreeCollective::Reduce(heap));

    Add(std::make_shared<const DirectAllToAll>());
    Add(std::make_shared<const PairwiseAllToAll>());
    Add(std::make_shared<const BruckAllToAll>());
    Add(std::make_shared<const HierarchicalAllToAll>());

    Add(std::make_shared<const DirectSendReceive>());

    for (const std::string& name : GetNames("allreduce")) // a barrier by each AllReduce, so last
    {
        Add(std::make_shared<const BarrierAlgorithm>(Get("allreduce", name)));
    }
}

void
CollectiveRegistry::Add(std::shared_ptr<const CollectiveAlgorithm> algorithm)
{
    m_algorithms[algorithm->GetOp()][algorithm->GetName()] = algorithm;
}

std::shared_ptr<const CollectiveAlgorithm>
CollectiveRegistry::Get(const std::string& op, const std::string& name) const
{
    const auto algorithms = m_algorithms.find(op);
    if (algorithms == m_algorithms.end())
    {
        throw UserError("unknown collective op '" + op + "'", "collective", Known(GetOps()));
    }
    const auto found = algorithms->second.find(name);
    if (found == algorithms->second.end())
    {
        throw UserError("unknown algorithm '" + name + "'",
                        "collective." + op,
                        Known(GetNames(op)));
    }
    return found->second;
}

std::vector<std::string>
CollectiveRegistry::GetOps() const
{
    return Keys(m_algorithms);
}

std::vector<std::string>
CollectiveRegistry::GetNames(const std::string& op) const
{
    const auto algorithms = m_algorithms.find(op);
    return algorithms == m_algorithms.end() ? std::vector<std::string>{} : Keys(algorithms->second);
}

} // namespace llmfabric
} // namespace ns3
