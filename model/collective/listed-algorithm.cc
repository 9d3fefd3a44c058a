/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-algorithm.h"

#include "listed-lane.h"
#include "listed-order.h"
#include "listed-races.h"
#include "listed-result.h"
#include "listed-uses.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{
namespace llmfabric
{

ListedAlgorithm::ListedAlgorithm(ListedSchedule schedule)
    : m_program(std::make_shared<const ListedProgram>(std::move(schedule)))
{
    const std::vector<uint32_t> order = ListedOrder::Sort(*m_program);
    const ListedUses uses(*m_program, order);
    ListedRaces(*m_program, order, uses).Check();
    ListedResult(*m_program, uses).Check();
}

std::string
ListedAlgorithm::GetOp() const
{
    return m_program->GetSchedule().op;
}

std::string
ListedAlgorithm::GetName() const
{
    return m_program->GetSchedule().name;
}

std::string
ListedAlgorithm::GetObstacle(const CollectiveLayout& layout) const
{
    const uint32_t ranks = m_program->GetSchedule().ranks;
    if (layout.GetSize() == ranks)
    {
        return "";
    }
    return "it is listed for " + std::to_string(ranks) + " ranks, and the group has " +
           std::to_string(layout.GetSize());
}

std::vector<std::unique_ptr<CollectiveLane>>
ListedAlgorithm::CreateLanes(const CollectiveTask& task) const
{
    const uint32_t ranks = m_program->GetSchedule().ranks;
    NS_ABORT_MSG_UNLESS(task.GetRanks() == ranks,
                        "ListedAlgorithm: " << GetName() << " has " << ranks << " ranks");
    std::vector<std::unique_ptr<CollectiveLane>> lanes;
    for (uint32_t lane = 0; lane + 1 < ranks; ++lane)
    {
        lanes.push_back(std::make_unique<ListedLane>(m_program, task, lane));
    }
    return lanes;
}

} // namespace llmfabric
} // namespace ns3
