/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job-helper.h"

#include "rank-connector.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/gpu-node.h"
#include "ns3/message-transport.h"
#include "ns3/pointer.h"
#include "ns3/user-error.h"

#include <algorithm>

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
      m_settings("ns3::llmfabric::CollectiveSettings")
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
    SetRules(kind, {{std::nullopt, name}});
}

void
TrainingJobHelper::SetRules(CollectiveKind kind, const std::vector<CollectiveRule>& rules)
{
    m_rules[kind] = rules;
}

void
TrainingJobHelper::AddAlgorithm(std::shared_ptr<const CollectiveAlgorithm> algorithm)
{
    const std::vector<std::string> names = m_registry.GetNames(algorithm->GetOp());
    if (std::find(names.begin(), names.end(), algorithm->GetName()) != names.end())
    {
        throw UserError("there is already an algorithm '" + algorithm->GetName() + "' of " +
                            algorithm->GetOp(),
                        "collective.algorithms",
                        "give it another name");
    }
    m_registry.Add(algorithm);
}

void
TrainingJobHelper::SetCollectiveAttribute(const std::string& name, const AttributeValue& value)
{
    m_settings.Set(name, value);
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
TrainingJobHelper::SetStarts(const std::map<uint32_t, Time>& starts,
                             const std::set<uint32_t>& absent)
{
    m_starts = starts;
    m_absent = absent;
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
    const Job job = MakeJob(fabric, plan);
    Applications applications;
    for (uint32_t rank = 0; rank < plan->GetRanks(); ++rank)
    {
        applications.push_back(MakeApplication(MakeConfig(job, rank)));
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
    const auto check = [ranks](const std::string& where, uint32_t largest) {
        if (largest >= ranks)
        {
            throw UserError("there is no rank " + std::to_string(largest),
                            where,
                            "ranks are 0 to " + std::to_string(ranks - 1));
        }
    };
    check("stragglers.factors", m_factors.empty() ? 0 : m_factors.rbegin()->first);
    check("stragglers.start", m_starts.empty() ? 0 : m_starts.rbegin()->first);
    check("stragglers.absent", m_absent.empty() ? 0 : *m_absent.rbegin());
}

CollectiveConfig
TrainingJobHelper::GetCollectiveConfig() const
{
    return m_settings.Create<CollectiveSettings>()->GetConfig();
}

std::shared_ptr<const CollectiveSetup>
TrainingJobHelper::MakeSetup(const ClusterCosts& costs) const
{
    auto setup = std::make_shared<CollectiveSetup>();
    setup->config = GetCollectiveConfig();
    const CollectiveCostModel model(costs.near, costs.far, setup->config);
    auto tuner = std::make_shared<CollectiveTuner>(m_registry, model, setup->config);
    for (const auto& [kind, rules] : m_rules)
    {
        tuner->SetRules(GetName(kind), rules);
    }
    setup->tuner = tuner;
    return setup;
}

TrainingJobHelper::Job
TrainingJobHelper::MakeJob(const Fabric& fabric, const std::shared_ptr<const RankPlan>& plan) const
{
    const ClusterCosts costs = ClusterCosts::Of(fabric);
    Job job{plan, MakeSetup(costs), {}};
    for (uint32_t rank = 0; rank < plan->GetRanks(); ++rank)
    {
        for (const ProgramUse& use : plan->GetProgram(rank).GetUses())
        {
            if (use.kind == ProgramOpKind::COLLECTIVE && job.groups.count(use.group) == 0)
            {
                const RankGroup ranks = plan->GetGroup(use.group);
                const auto layout =
                    std::make_shared<const CollectiveLayout>(costs.MakeLayout(ranks));
                job.groups.emplace(use.group, RankCommunicator::Group{ranks, layout});
            }
        }
    }
    return job;
}

RankConfig
TrainingJobHelper::MakeConfig(const Job& job, uint32_t rank)
{
    RankConfig config;
    config.rank = rank;
    config.steps = job.plan->GetSteps();
    config.program = job.plan->GetProgram(rank);
    config.plan = job.plan;
    config.collectives = job.collectives;
    for (const ProgramUse& use : config.program->GetUses())
    {
        if (use.kind == ProgramOpKind::COLLECTIVE)
        {
            config.groups.emplace(use.group, job.groups.at(use.group));
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
    const auto start = m_starts.find(config.rank);
    if (start != m_starts.end())
    {
        application->SetStartTime(start->second);
    }
    if (m_absent.count(config.rank) > 0)
    {
        application->SetAttribute("Absent", BooleanValue(true));
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
    RankConnector connector(transport, applications, rank);
    const Ptr<RankApplication>& from = applications[rank];
    from->GetConfig().program->ForEachStored([&](const ProgramOp& op, uint64_t) {
        if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
        {
            connector.Connect(*collective);
        }
        else if (const auto* send = std::get_if<SendOp>(&op.what))
        {
            connector.Connect(*send);
        }
    });
}

} // namespace llmfabric
} // namespace ns3
