/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gpu-node.h"

#include "ns3/abort.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(GpuNode);

TypeId
GpuNode::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::GpuNode")
                            .SetParent<Object>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<GpuNode>()
                            .AddAttribute("PcieLatency",
                                          "Latency between a GPU and its NIC, one way; read when "
                                          "connections are made.",
                                          StringValue("0ns"),
                                          MakeTimeAccessor(&GpuNode::m_pcieLatency),
                                          MakeTimeChecker(Time(0)))
                            .AddAttribute("Nvlink",
                                          "The switch between the GPUs.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&GpuNode::m_nvlink),
                                          MakePointerChecker<NvlinkSwitch>());
    return tid;
}

GpuNode::GpuNode()
    : m_nvlink(CreateObject<NvlinkSwitch>())
{
}

GpuNode::~GpuNode() = default;

void
GpuNode::Setup(uint32_t gpus, const std::vector<Ptr<RoceNic>>& nics)
{
    NS_ABORT_MSG_IF(nics.empty() || gpus % nics.size() != 0,
                    "the GPUs of a node share its NICs evenly");
    m_gpus = gpus;
    m_nics = nics;
    m_nvlink->SetGpus(gpus);
}

uint32_t
GpuNode::GetNicIndexOf(uint32_t gpu) const
{
    return GetNicIndexOf(gpu, m_gpus, static_cast<uint32_t>(m_nics.size()));
}

uint32_t
GpuNode::GetNicIndexOf(uint32_t gpu, uint32_t gpus, uint32_t nics)
{
    return static_cast<uint32_t>(uint64_t{gpu} * nics / gpus);
}

Ptr<RoceNic>
GpuNode::GetNic(uint32_t nic) const
{
    return m_nics.at(nic);
}

Ptr<NvlinkSwitch>
GpuNode::GetNvlink() const
{
    return m_nvlink;
}

void
GpuNode::DoDispose()
{
    m_nics.clear();
    m_nvlink->Dispose();
    m_nvlink = nullptr;
    Object::DoDispose();
}

} // namespace llmfabric
} // namespace ns3
