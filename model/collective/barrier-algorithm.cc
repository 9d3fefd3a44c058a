/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "barrier-algorithm.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

BarrierAlgorithm::BarrierAlgorithm(std::shared_ptr<const CollectiveAlgorithm> allReduce)
    : m_allReduce(std::move(allReduce))
{
    NS_ABORT_MSG_IF(m_allReduce->GetOp() != "allreduce",
                    "BarrierAlgorithm: no AllReduce but " << m_allReduce->GetOp());
}

std::string
BarrierAlgorithm::GetOp() const
{
    return "barrier";
}

std::string
BarrierAlgorithm::GetName() const
{
    return m_allReduce->GetName();
}

LatencyRow
BarrierAlgorithm::GetLatencyRow() const
{
    return m_allReduce->GetLatencyRow();
}

std::string
BarrierAlgorithm::GetObstacle(const CollectiveLayout& layout) const
{
    return m_allReduce->GetObstacle(layout);
}

CollectiveTask
BarrierAlgorithm::GetAllReduceTask(const CollectiveTask& task)
{
    CollectiveTask own = task;
    own.payload = BYTES;
    own.cut.channels = 1; // one value has no shares
    return own;
}

std::vector<std::unique_ptr<CollectiveLane>>
BarrierAlgorithm::CreateLanes(const CollectiveTask& task) const
{
    return m_allReduce->CreateLanes(GetAllReduceTask(task));
}

std::optional<CollectiveCost>
BarrierAlgorithm::GetCost(const CollectiveTask& task) const
{
    return m_allReduce->GetCost(GetAllReduceTask(task));
}

} // namespace llmfabric
} // namespace ns3
