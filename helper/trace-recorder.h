/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_RECORDER_H
#define TRACE_RECORDER_H

#include "fabric-helper.h"

#include "ns3/rank-application.h"
#include "ns3/trace-sink.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Connects the trace sources of a network and of its ranks to a TraceSink.
 *
 * It reads no clock, so the fabric may run in batches. It lives at least as long as the simulation.
 */
class TraceRecorder
{
  public:
    /** @param sink where the rows go */
    explicit TraceRecorder(std::shared_ptr<TraceSink> sink);

    /** @param fabric the network: rows of nodes and links at once, hops and messages later */
    void Connect(const Fabric& fabric);

    /** @param ranks the ranks of a job: rows of computations, collectives and messages */
    void Connect(const std::vector<Ptr<RankApplication>>& ranks);

    /**
     * Write what is still open: frames that wait or are under way, messages without acknowledgment.
     * Call it after the simulation.
     */
    void Finish();

    /** @return rows written so far, of all tables */
    uint64_t GetRows() const
    {
        return m_rows;
    }

    /** @return the names of drop reasons in the order of their numbers */
    static std::vector<std::string> GetDropReasons();

  private:
    /** @param fabric the network */
    void WriteTopology(const Fabric& fabric);
    /**
     * @param port the port that sends, or would have
     * @param tick the time, ticks
     * @param frame the frame
     * @param outcome its times on this hop, and its fate
     */
    void OnHop(const FabricPort* port, int64_t tick, const Frame& frame, const HopOutcome& outcome);
    /**
     * @param tick the time, ticks
     * @param message a message that has come
     */
    void OnMessageReceived(int64_t tick, const MessageEvent& message);
    /**
     * @param tick the time, ticks
     * @param message a message that is over for its sender
     */
    void OnMessageSent(int64_t tick, const MessageEvent& message);
    /** @param span a computation */
    void OnCompute(const ComputeSpan& span);
    /** @param span a collective */
    void OnCollective(const CollectiveSpan& span);
    /** @param span a message that a rank sent or received */
    void OnTransfer(const TransferSpan& span);
    /**
     * @param span a collective
     * @param sentBytes what its rank sent for it
     */
    void WriteCollective(const CollectiveSpan& span, uint64_t sentBytes);
    /** @param pair a queue pair whose open messages are to be written */
    void FinishMessages(QueuePair& pair);
    /** @param port a port whose open frames are to be written */
    void FinishHops(const FabricPort& port);

    /**
     * @param ticks a time, ticks, or -1
     * @return the same in picoseconds
     */
    int64_t ToPs(int64_t ticks) const
    {
        return ticks < 0 ? TRACE_NEVER : ticks * m_psPerTick;
    }

    /**
     * @param address IPv4 address of a host
     * @return the number of the host
     */
    static uint32_t HostOf(uint32_t address);

    std::shared_ptr<TraceSink> m_sink;                           //!< where the rows go
    std::vector<Ptr<RoceNic>> m_nics;                            //!< the NICs
    std::vector<Ptr<FabricPort>> m_ports;                        //!< all ports
    std::vector<Ptr<RankApplication>> m_ranks;                   //!< the ranks
    std::map<std::pair<uint64_t, uint64_t>, int64_t> m_received; //!< by queue pair and message
    /// By rank and group the last collective that is over: its bytes may still be on their way.
    std::map<std::pair<uint32_t, uint32_t>, CollectiveSpan> m_collectives;
    uint64_t m_rows{0};     //!< rows written
    int64_t m_psPerTick{1}; //!< picoseconds of a tick
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRACE_RECORDER_H */
