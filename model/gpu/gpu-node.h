/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPU_NODE_H
#define GPU_NODE_H

#include "nvlink-switch.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/roce-nic.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A server: GPUs, NICs and the NVLink switch between the GPUs; aggregated to a Node.
 *
 * @verbatim
     GPU 0   GPU 1   GPU 2   GPU 3
       +-------+-------+-------+---- NvlinkSwitch
       |       |       |       |     PCIe (PcieLatency)
       NIC 0---+       NIC 1---+     GPUs share the NICs evenly, neighbors first
   @endverbatim
 */
class GpuNode : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    GpuNode();
    ~GpuNode() override;

    /**
     * @param gpus number of GPUs, a multiple of the number of NICs
     * @param nics the NICs of this node, by index
     */
    void Setup(uint32_t gpus, const std::vector<Ptr<RoceNic>>& nics);

    /** @return number of GPUs */
    uint32_t GetGpus() const
    {
        return m_gpus;
    }

    /**
     * @param gpu index of a GPU
     * @return index of the NIC that it uses
     */
    uint32_t GetNicIndexOf(uint32_t gpu) const;

    /**
     * @param gpu index of a GPU
     * @param gpus GPUs of a node
     * @param nics NICs of a node
     * @return index of the NIC that the GPU uses
     */
    static uint32_t GetNicIndexOf(uint32_t gpu, uint32_t gpus, uint32_t nics);

    /**
     * @param nic index of a NIC
     * @return the NIC
     */
    Ptr<RoceNic> GetNic(uint32_t nic) const;

    /** @return the switch between the GPUs */
    Ptr<NvlinkSwitch> GetNvlink() const;

    /** @return latency between a GPU and its NIC */
    Time GetPcieLatency() const
    {
        return m_pcieLatency;
    }

  protected:
    void DoDispose() override;

  private:
    std::vector<Ptr<RoceNic>> m_nics; //!< by index
    Ptr<NvlinkSwitch> m_nvlink;       //!< between the GPUs
    Time m_pcieLatency;               //!< attribute PcieLatency
    uint32_t m_gpus{0};               //!< number of GPUs
};

} // namespace llmfabric
} // namespace ns3

#endif /* GPU_NODE_H */
