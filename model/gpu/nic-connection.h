/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_CONNECTION_H
#define NIC_CONNECTION_H

#include "gpu-connection.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/queue-pair.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Between nodes: GPU -> PCIe -> NIC -> fabric -> NIC -> PCIe -> GPU (GPUDirect RDMA), on one queue
 * pair.
 */
class NicConnection : public GpuConnection
{
  public:
    /**
     * @param sender end of the queue pair at the sending NIC
     * @param receiver end at the receiving NIC
     * @param sendLatency PCIe latency from the GPU to its NIC
     * @param receiveLatency PCIe latency from the NIC to its GPU
     */
    NicConnection(Ptr<QueuePair> sender,
                  Ptr<QueuePair> receiver,
                  Time sendLatency,
                  Time receiveLatency);
    ~NicConnection() override;

    void Send(uint64_t bytes) override;
    uint64_t GetSentBytes() const override;

  private:
    /** @param bytes a transfer that has come to the NIC */
    void OnReceive(uint64_t bytes);
    /** @param bytes a message that has come to the GPU */
    void Deliver(uint64_t bytes);
    /** @param bytes a message that has come to the NIC */
    void Post(uint64_t bytes);
    /** @param result what became of a transfer */
    void OnComplete(const TransferResult& result);

    Ptr<QueuePair> m_sender;   //!< end at the sending NIC
    Ptr<QueuePair> m_receiver; //!< end at the receiving NIC
    Time m_sendLatency;        //!< GPU to NIC
    Time m_receiveLatency;     //!< NIC to GPU
    bool m_broken{false};      //!< the error was told
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_CONNECTION_H */
