/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-costs.h"

#include "scenario-collectives.h"

#include "ns3/fabric-frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{
namespace llmfabric
{

PlanCosts::PlanCosts(const Scenario& scenario, const TrainingJob& job)
    : m_scenario(scenario),
      m_job(job),
      m_cluster(ClusterCosts::Of(scenario)),
      m_setup(ScenarioCollectives::MakeSetup(scenario))
{
}

TimelineCosts
PlanCosts::GetCosts() const
{
    TimelineCosts costs;
    costs.collective = [this](const CollectiveOp& op, const RankGroup& group) {
        return GetCollectiveTime(op, group);
    };
    costs.message = [this](uint32_t from, uint32_t to, uint64_t bytes) {
        return GetMessageTime(from, to, bytes);
    };
    return costs;
}

bool
PlanCosts::IsSameNode(uint32_t from, uint32_t to) const
{
    return from / m_scenario.cluster.gpusPerNode == to / m_scenario.cluster.gpusPerNode;
}

Time
PlanCosts::GetNodeTime(uint64_t bytes) const
{
    const Scenario::Nvlink& nvlink = m_scenario.cluster.nvlink;
    return nvlink.delay + GetTransferTime(bytes, static_cast<double>(nvlink.rate.GetBitRate()));
}

Time
PlanCosts::GetNetworkTime(uint64_t bytes, double senders) const
{
    const Scenario::Cluster& cluster = m_scenario.cluster;
    const double mtu = m_scenario.nic.mtu;
    const double sharing = std::max(1.0, senders / cluster.nicsPerNode);
    const double rate = static_cast<double>(cluster.rate.GetBitRate()) * mtu /
                        (mtu + DATA_OVERHEAD_BYTES) / sharing;
    // Links on the longest way: host and switch, leaf and spine, edge, aggregation and core.
    const int64_t links = cluster.topology == "single-switch" ? 2
                          : cluster.topology == "leaf-spine"  ? 4
                                                              : 6;
    return TimeStep(cluster.delay.GetTimeStep() * links) + GetTransferTime(bytes, rate);
}

Time
PlanCosts::GetTransferTime(uint64_t bytes, double rate)
{
    const double ticks =
        8.0 * static_cast<double>(bytes) / rate * static_cast<double>(Seconds(1).GetTimeStep());
    return TimeStep(static_cast<uint64_t>(std::llround(ticks)));
}

Time
PlanCosts::GetMessageTime(uint32_t from, uint32_t to, uint64_t bytes) const
{
    return IsSameNode(from, to) ? GetNodeTime(bytes)
                                : GetNetworkTime(bytes, m_scenario.cluster.gpusPerNode);
}

Time
PlanCosts::GetCollectiveTime(const CollectiveOp& op, const RankGroup& group) const
{
    const OpKey key{op.group, op.kind, op.payload, op.shares};
    const auto [time, isNew] = m_times.emplace(key, Time(0));
    if (isNew)
    {
        const CollectiveTask task = MakeTask(op, group);
        const CollectiveChoice choice = m_setup->tuner->Choose(GetName(op.kind), task);
        const bool plain =
            choice.protocol == CollectiveProtocol::NONE &&
            choice.algorithm->GetName() == CollectiveTuner::GetDefault(GetName(op.kind));
        const auto modeled = plain ? std::nullopt : m_setup->tuner->GetTime(choice, task);
        time->second = modeled                                 ? *modeled
                       : op.kind == CollectiveKind::ALL_TO_ALL ? GetAllToAllTime(op, group)
                                                               : GetRingTime(op, group);
    }
    return time->second;
}

CollectiveTask
PlanCosts::MakeTask(const CollectiveOp& op, const RankGroup& group) const
{
    auto& layout = m_layouts[group.GetId()];
    if (!layout)
    {
        layout = std::make_shared<const CollectiveLayout>(m_cluster.MakeLayout(group));
    }
    // The plan outlives the task, which is why nobody has to own it.
    const std::shared_ptr<const RankPlan> plan(&m_job, [](const RankPlan*) {});
    return RankCommunicator::MakeTask(op, {group, layout}, group.GetRank(0), plan);
}

CollectiveOp
PlanCosts::GetFirstOp(const TrafficRow& row) const
{
    const TrafficShare& share = row.shares.front();
    ProgramOp op = share.op;
    RankProgram::Resolve(op, m_job.GetGrid(), share.ranks.first);
    return std::get<CollectiveOp>(op.what);
}

std::vector<CollectiveCandidate>
PlanCosts::GetCandidates(const TrafficRow& row) const
{
    const CollectiveOp op = GetFirstOp(row);
    return m_setup->tuner->GetCandidates(row.op, MakeTask(op, m_job.GetGroup(op.group)));
}

CollectiveChoice
PlanCosts::GetChoice(const TrafficRow& row) const
{
    const CollectiveOp op = GetFirstOp(row);
    return m_setup->tuner->Choose(row.op, MakeTask(op, m_job.GetGroup(op.group)));
}

Time
PlanCosts::GetRingTime(const CollectiveOp& op, const RankGroup& group) const
{
    const uint32_t ranks = group.GetSize();
    uint32_t crossing = 0; // hops from node to node
    for (uint32_t i = 0; i < ranks; ++i)
    {
        crossing += IsSameNode(group.GetRank(i), group.GetRank((i + 1) % ranks)) ? 0 : 1;
    }
    const uint64_t chunk = op.payload / ranks;
    // The other groups of the node do the same at the same time.
    const double senders = static_cast<double>(m_scenario.cluster.gpusPerNode) * crossing / ranks;
    const Time step = crossing == 0 ? GetNodeTime(chunk) : GetNetworkTime(chunk, senders);
    return TimeStep(step.GetTimeStep() * GetRingSteps(op.kind, ranks));
}

Time
PlanCosts::GetAllToAllTime(const CollectiveOp& op, const RankGroup& group) const
{
    Time longest;
    for (uint32_t i = 0; i < group.GetSize(); ++i)
    {
        uint64_t near[2] = {0, 0}; // sent and received, within the node
        uint64_t far[2] = {0, 0};  // and between nodes
        for (uint32_t j = 0; j < group.GetSize(); ++j)
        {
            if (i != j)
            {
                auto& bytes = IsSameNode(group.GetRank(i), group.GetRank(j)) ? near : far;
                bytes[0] += m_job.GetAllToAllBytes(op, group, i, j);
                bytes[1] += m_job.GetAllToAllBytes(op, group, j, i);
            }
        }
        const uint64_t inside = std::max(near[0], near[1]);
        const uint64_t outside = std::max(far[0], far[1]);
        longest = std::max(longest, inside > 0 ? GetNodeTime(inside) : Time(0));
        longest = std::max(longest,
                           outside > 0 ? GetNetworkTime(outside, m_scenario.cluster.gpusPerNode)
                                       : Time(0));
    }
    return longest;
}

PlanCosts::SentBytes
PlanCosts::GetSentBytes(const ProgramOp& op, uint32_t rank) const
{
    if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        const auto bytes = static_cast<double>(send->bytes);
        return {IsSameNode(rank, send->peer) ? bytes : 0, bytes};
    }
    const auto& collective = std::get<CollectiveOp>(op.what);
    const RankGroup group = m_job.GetGroup(collective.group);
    const uint32_t own = group.GetIndex(rank);
    const uint32_t ranks = group.GetSize();
    if (collective.kind != CollectiveKind::ALL_TO_ALL)
    {
        const bool near = IsSameNode(rank, group.GetRank((own + 1) % ranks));
        return {near ? 1.0 : 0.0, 1}; // all members send the same
    }
    SentBytes sent{0, 0};
    for (uint32_t i = 1; i < ranks; ++i)
    {
        const uint32_t peer = (own + i) % ranks;
        const auto bytes =
            static_cast<double>(m_job.GetAllToAllBytes(collective, group, own, peer));
        sent.all += bytes;
        sent.near += IsSameNode(rank, group.GetRank(peer)) ? bytes : 0;
    }
    return sent;
}

uint64_t
PlanCosts::GetNodeBytes(const TrafficRow& row) const
{
    const RankGrid& grid = m_job.GetGrid();
    std::map<std::pair<uint32_t, uint32_t>, const TrafficShare*> shares;
    for (const TrafficShare& share : row.shares)
    {
        shares[{share.ranks.stage, share.ranks.expertRank}] = &share;
    }
    const bool byExpertRank = row.shares.front().ranks.byExpertRank;
    SentBytes sum{0, 0};
    for (uint32_t rank = 0; rank < grid.GetRanks(); ++rank)
    {
        const uint32_t expert = byExpertRank ? grid.GetCoordinate(rank, GridAxis::EXPERT) : 0;
        const auto share = shares.find({grid.GetCoordinate(rank, GridAxis::PIPELINE), expert});
        if (share != shares.end())
        {
            ProgramOp op = share->second->op;
            RankProgram::Resolve(op, grid, rank);
            const auto calls = static_cast<double>(share->second->callsPerRank);
            const SentBytes sent = GetSentBytes(op, rank);
            sum.near += calls * sent.near;
            sum.all += calls * sent.all;
        }
    }
    const double part = sum.all > 0 ? sum.near / sum.all : 0;
    return static_cast<uint64_t>(std::llround(part * static_cast<double>(row.totalBytes)));
}

} // namespace llmfabric
} // namespace ns3
