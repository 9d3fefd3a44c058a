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
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Between nodes: GPU -> PCIe -> NIC -> fabric -> NIC -> PCIe -> GPU (GPUDirect RDMA).
 *
 * Message i goes whole on queue pair i (mod their number), as NCCL sends them; the receiver gets
 * messages in their order, those that come early on another queue pair wait. A clear-to-send is a
 * write of 16 bytes the other way on the first queue pair (114 bytes on the wire).
 */
class NicConnection : public GpuConnection
{
  public:
    /// The ends of a queue pair at the sending and at the receiving NIC.
    using Ends = std::pair<Ptr<QueuePair>, Ptr<QueuePair>>;

    /// Size of a clear-to-send.
    static constexpr uint64_t GRANT_BYTES = 16;

    /**
     * @param pairs the queue pairs, at least one
     * @param sendLatency PCIe latency from the GPU to its NIC
     * @param receiveLatency PCIe latency from the NIC to its GPU
     */
    NicConnection(const std::vector<Ends>& pairs, Time sendLatency, Time receiveLatency);
    ~NicConnection() override;

    void Send(uint64_t bytes) override;
    void Grant() override;
    bool IsFar() const override;
    uint64_t GetSentBytes() const override;

  private:
    /** @param bytes a message to send */
    void Post(uint64_t bytes);
    /** Send a clear-to-send. */
    void PostGrant();
    /**
     * @param pair number of a queue pair
     * @param bytes a message that has come on it to the NIC
     */
    void OnReceive(uint32_t pair, uint64_t bytes);
    /** @param bytes the next message in order, which has come to the NIC */
    void HandOn(uint64_t bytes);
    /** @param bytes a message that has come to the GPU */
    void Deliver(uint64_t bytes);
    /** @param bytes size of the clear-to-send that has come to the NIC */
    void OnGrant(uint64_t bytes);
    /** A clear-to-send has come to the GPU. */
    void DeliverGrant();
    /**
     * @param pair number of a queue pair
     * @param result what became of a transfer
     */
    void OnComplete(uint32_t pair, const TransferResult& result);

    std::vector<Ends> m_pairs;                   //!< the queue pairs
    std::vector<std::deque<uint64_t>> m_arrived; //!< by queue pair: messages that came early
    uint64_t m_posted{0};                        //!< messages handed to the NIC
    uint64_t m_delivered{0};                     //!< messages handed on by the receiving NIC
    Time m_sendLatency;                          //!< GPU to NIC
    Time m_receiveLatency;                       //!< NIC to GPU
    bool m_broken{false};                        //!< the error was told
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_CONNECTION_H */
