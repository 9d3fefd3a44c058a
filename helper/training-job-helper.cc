/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job-helper.h"

#include "ns3/collective-registry.h"
#include "ns3/gpu-node.h"
#include "ns3/message-transport.h"
#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

TrainingJobHelper::TrainingJobHelper(uint32_t gpusPerNode)
    : m_gpusPerNode(gpusPerNode)
{
}

void
TrainingJobHelper::SetNvlinkAttribute(const std::string& name, const AttributeValue& value)
{
    m_nvlink.emplace_back(name, value.Copy());
}

void
TrainingJobHelper::SetAllReduce(const std::string& name)
{
    m_allReduce = name;
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
TrainingJobHelper::Install(const Fabric& fabric, const TrainingJob& job) const
{
    const TrainingSpec& spec = job.GetSpec();
    const uint32_t ranks = spec.parallel.GetRanks();
    MessageTransport transport(fabric.nodes);
    if (ranks > transport.GetGpus())
    {
        throw UserError(std::to_string(ranks) + " ranks do not fit the cluster of " +
                            std::to_string(transport.GetGpus()) + " GPUs",
                        "parallel.data",
                        "lower the degree or enlarge the cluster");
    }
    RankConfig config;
    config.steps = spec.steps;
    config.groups = {job.GetGroup(TrainingJob::DATA_GROUP)};
    config.allReduce = CollectiveRegistry().Get(GetName(CollectiveKind::ALL_REDUCE), m_allReduce);
    std::vector<Ptr<RankApplication>> applications;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        config.rank = rank;
        config.program = job.GetProgram(rank);
        Ptr<RankApplication> application = CreateObject<RankApplication>();
        application->Configure(config);
        transport.GetNodeOf(rank)->AddApplication(application);
        applications.push_back(application);
    }
    // The peers of an op do not depend on its size, so any payload shows them.
    const RankGroup& group = config.groups.front();
    for (uint32_t index = 0; index < group.GetSize(); ++index)
    {
        const auto state = config.allReduce->CreateState({index, group.GetSize(), group.GetSize()});
        for (uint32_t peer : state->GetPeersToSend())
        {
            Ptr<GpuConnection> connection =
                transport.Connect(group.GetRank(index), group.GetRank(peer));
            applications[group.GetRank(index)]->SetSendConnection(group.GetId(), peer, connection);
            applications[group.GetRank(peer)]->SetReceiveConnection(group.GetId(),
                                                                    index,
                                                                    connection);
        }
    }
    return applications;
}

} // namespace llmfabric
} // namespace ns3
