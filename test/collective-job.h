/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_JOB_H
#define COLLECTIVE_JOB_H

#include "rank-fixture.h"

#include "ns3/rank-application.h"
#include "ns3/training-job-helper.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * One group that does a collective on a switch of 100 Gb/s links of 1 us, with FixedRate.
 */
class CollectiveJob : public RankFixture
{
  protected:
    /**
     * Run one op to its end.
     *
     * @param op the op, whose group is of no concern
     * @param nodes servers
     * @param gpusPerNode GPUs of a server
     * @return when the last rank ended it
     */
    Time RunOp(const CollectiveOp& op, uint32_t nodes, uint32_t gpusPerNode = 1)
    {
        InstallOp(op, nodes, gpusPerNode);
        Simulator::Run();
        Time end;
        for (const CollectiveSpan& span : m_collectives)
        {
            end = std::max(end, span.end);
        }
        return end;
    }

    /**
     * Make the network and the ranks.
     *
     * @param op the op, whose group is of no concern
     * @param nodes servers
     * @param gpusPerNode GPUs of a server
     */
    void InstallOp(const CollectiveOp& op, uint32_t nodes, uint32_t gpusPerNode)
    {
        const uint32_t ranks = nodes * gpusPerNode;
        auto plan = std::make_shared<HandPlan>(ranks);
        std::vector<uint32_t> members(ranks);
        std::iota(members.begin(), members.end(), 0);
        CollectiveOp own = op;
        own.group = plan->AddGroup(members);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            plan->Add(rank, 0, own);
        }
        TrainingJobHelper helper(gpusPerNode);
        for (const auto& [name, value] : m_settings)
        {
            helper.SetCollectiveAttribute(name, StringValue(value));
        }
        helper.SetAlgorithm(op.kind, m_algorithm);
        helper.SetStarts(m_starts, m_absent);
        InstallWith(helper, plan, nodes);
    }

    /**
     * End the simulation and make ready for another one.
     */
    void Forget()
    {
        m_ranks.clear();
        m_collectives.clear();
        m_observer = TrainingObserver();
        m_fabric = Fabric();
        EndSimulation();
    }

    std::string m_algorithm{"ring"};                             //!< of the op
    std::vector<std::pair<std::string, std::string>> m_settings; //!< of CollectiveSettings
    std::map<uint32_t, Time> m_starts;                           //!< of late ranks
    std::set<uint32_t> m_absent;                                 //!< ranks that never begin
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_JOB_H */
