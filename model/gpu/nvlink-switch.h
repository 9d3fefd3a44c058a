/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLINK_SWITCH_H
#define NVLINK_SWITCH_H

#include "gpu-connection.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The switch between the GPUs of a node: each GPU has one link of Rate into it and one out of it.
 *
 * A message cuts through: it takes the sender's link and the receiver's link together for
 * bytes * 8 / Rate, as soon as both are free, in the order in which messages were posted, and is
 * there Delay after its last byte left. Protocol overhead is not modeled; set Rate to the effective
 * one.
 */
class NvlinkSwitch : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    /** @param gpus number of GPUs of the node */
    void SetGpus(uint32_t gpus);

    /**
     * @param from index of the sending GPU
     * @param to index of the receiving GPU, another one
     * @return a new connection
     */
    Ptr<GpuConnection> Connect(uint32_t from, uint32_t to);

    /**
     * Occupy the two links.
     *
     * @param from index of the sending GPU
     * @param to index of the receiving GPU
     * @param bytes size of the message
     * @return from now until the message is there
     */
    Time Transfer(uint32_t from, uint32_t to, uint64_t bytes);

  private:
    DataRate m_rate;                 //!< attribute Rate
    Time m_delay;                    //!< attribute Delay
    std::vector<Time> m_egressFree;  //!< by GPU: when its link into the switch is free
    std::vector<Time> m_ingressFree; //!< by GPU: when its link out of the switch is free
};

} // namespace llmfabric
} // namespace ns3

#endif /* NVLINK_SWITCH_H */
