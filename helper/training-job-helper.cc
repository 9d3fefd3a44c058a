/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job-helper.h"

#include "ns3/collective-registry.h"
#include "ns3/double.h"
#include "ns3/gpu-node.h"
#include "ns3/message-transport.h"
#include "ns3/pointer.h"
#include "ns3/user-error.h"

#include <set>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Number of the random stream of rank 0's jitter; those of switches are below.
constexpr int64_t FIRST_STREAM = int64_t{1} << 41;

/// Largest factor of a straggler.
constexpr double MAX_FACTOR = 1e6;

} // namespace

TrainingJobHelper::TrainingJobHelper(uint32_t gpusPerNode)
    : m_gpusPerNode(gpusPerNode),
      m_algorithms{{CollectiveKind::ALL_REDUCE, "ring"},
                   {CollectiveKind::REDUCE_SCATTER, "ring"},
                   {CollectiveKind::ALL_GATHER, "ring"},
                   {CollectiveKind::ALL_TO_ALL, "direct"}}
{
}

void
TrainingJobHelper::SetNvlinkAttribute(const std::string& name, const AttributeValue& value)
{
    m_nvlink.emplace_back(name, value.Copy());
}

void
TrainingJobHelper::SetAlgorithm(CollectiveKind kind, const std::string& name)
{
    m_algorithms[kind] = name;
}

void
TrainingJobHelper::SetStragglers(const std::map<uint32_t, double>& factors,
                                 const std::string& jitter)
{
    for (const auto& [rank, factor] : factors)
    {
        if (!(factor > 0 && factor <= MAX_FACTOR))
        {
            throw UserError("rank " + std::to_string(rank) + " computes " + std::to_string(factor) +
                                " times as long",
                            "stragglers.factors",
                            "allowed: above 0, at most 1000000");
        }
    }
    m_factors = factors;
    m_jitter.reset();
    if (!jitter.empty())
    {
        try
        {
            m_jitter.emplace(jitter);
        }
        catch (const UserError& error)
        {
            throw error.At("stragglers.jitter");
        }
    }
}

void
TrainingJobHelper::InstallGpus(const Fabric& fabric) const
{
    const uint32_t nics = fabric.plan.nicsPerNode;
    for (uint32_t i = 0; i < fabric.nodes.GetN(); ++i)
    {
        Ptr<GpuNode> gpus = CreateObject<GpuNode>();
        for (const auto& [name, value] : m_nvlink)
        {
            gpus->GetNvlink()->SetAttribute(name, *value);
        }
        const auto first = fabric.nics.begin() + i * nics;
        gpus->Setup(m_gpusPerNode, {first, first + nics});
        fabric.nodes.Get(i)->AggregateObject(gpus);
    }
}

std::vector<Ptr<RankApplication>>
TrainingJobHelper::Install(const Fabric& fabric, std::shared_ptr<const RankPlan> plan) const
{
    MessageTransport transport(fabric.nodes);
    CheckRanks(plan->GetRanks(), transport.GetGpus());
    Applications applications;
    for (uint32_t rank = 0; rank < plan->GetRanks(); ++rank)
    {
        applications.push_back(MakeApplication(MakeConfig(plan, rank)));
        transport.GetNodeOf(rank)->AddApplication(applications.back());
    }
    for (uint32_t rank = 0; rank < plan->GetRanks(); ++rank)
    {
        Connect(transport, applications, rank);
    }
    return applications;
}

void
TrainingJobHelper::CheckRanks(uint32_t ranks, uint32_t gpus) const
{
    if (ranks > gpus)
    {
        throw UserError(std::to_string(ranks) + " ranks do not fit the cluster of " +
                            std::to_string(gpus) + " GPUs",
                        "parallel.data",
                        "lower the degree or enlarge the cluster");
    }
    if (!m_factors.empty() && m_factors.rbegin()->first >= ranks)
    {
        throw UserError("there is no rank " + std::to_string(m_factors.rbegin()->first),
                        "stragglers.factors",
                        "ranks are 0 to " + std::to_string(ranks - 1));
    }
}

RankConfig
TrainingJobHelper::MakeConfig(const std::shared_ptr<const RankPlan>& plan, uint32_t rank) const
{
    const CollectiveRegistry registry;
    RankConfig config;
    config.rank = rank;
    config.steps = plan->GetSteps();
    config.program = plan->GetProgram(rank);
    config.plan = plan;
    for (const ProgramUse& use : config.program->GetUses())
    {
        if (use.kind == ProgramOpKind::COLLECTIVE)
        {
            config.groups.emplace(use.group, plan->GetGroup(use.group));
            config.algorithms[use.collective] =
                registry.Get(GetName(use.collective), m_algorithms.at(use.collective));
        }
    }
    return config;
}

Ptr<RankApplication>
TrainingJobHelper::MakeApplication(const RankConfig& config) const
{
    Ptr<RankApplication> application = CreateObject<RankApplication>();
    application->Configure(config);
    const auto factor = m_factors.find(config.rank);
    if (factor != m_factors.end())
    {
        application->SetAttribute("ComputeScale", DoubleValue(factor->second));
    }
    const int64_t stream = FIRST_STREAM + config.rank;
    if (m_jitter)
    {
        application->SetAttribute("Jitter", PointerValue(m_jitter->Create(stream)));
    }
    application->AssignStreams(stream);
    return application;
}

void
TrainingJobHelper::Connect(MessageTransport& transport,
                           const Applications& applications,
                           uint32_t rank)
{
    const Ptr<RankApplication>& from = applications[rank];
    const RankConfig& config = from->GetConfig();
    std::set<std::pair<uint32_t, uint32_t>> connected; // several kinds of collectives share these
    for (const ProgramUse& use : config.program->GetUses())
    {
        if (use.kind == ProgramOpKind::COLLECTIVE)
        {
            const RankGroup& group = config.groups.at(use.group);
            for (uint32_t peer : GetPeers(config, use.collective, use.group))
            {
                if (connected.emplace(use.group, peer).second)
                {
                    const uint32_t to = group.GetRank(peer);
                    Ptr<GpuConnection> connection = transport.Connect(rank, to);
                    from->SetSendConnection(use.group, peer, connection);
                    applications.at(to)->SetReceiveConnection(use.group,
                                                              group.GetIndex(rank),
                                                              connection);
                }
            }
        }
        else if (use.kind == ProgramOpKind::SEND)
        {
            Ptr<GpuConnection> connection = transport.Connect(rank, use.peer);
            from->SetSendChannel(use.peer, use.channel, connection);
            applications.at(use.peer)->SetReceiveChannel(rank, use.channel, connection);
        }
    }
}

std::vector<uint32_t>
TrainingJobHelper::GetPeers(const RankConfig& config, CollectiveKind kind, uint32_t group)
{
    // With a byte for each member every message exists that the op may ever need.
    const RankGroup& members = config.groups.at(group);
    const CollectiveTask task{members.GetIndex(config.rank), members.GetSize(), members.GetSize()};
    return config.algorithms.at(kind)->CreateState(task)->GetPeersToSend();
}

} // namespace llmfabric
} // namespace ns3
