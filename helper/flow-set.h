/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_SET_H
#define FLOW_SET_H

#include "fabric-helper.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** Plain traffic: bytes from one host to another. */
struct FlowSpec
{
    uint32_t from;  //!< sending host
    uint32_t to;    //!< receiving host
    uint64_t bytes; //!< payload
    Time start;     //!< when it is posted: simulated time, not before now
};

/** What became of a flow; times in ticks. */
struct FlowResult
{
    FlowSpec spec;         //!< the flow
    int64_t received{-1};  //!< last byte at the receiver; -1: not yet
    bool completed{false}; //!< acknowledged to the end
    std::string error;     //!< why it failed, or empty
};

/**
 * @ingroup llm-fabric
 * Installs flows, each on a queue pair of its own, and keeps their results.
 *
 * The queue pairs of two hosts are numbered in the order of (start, bytes), whatever the order of
 * the list, so that a flow's path does not depend on it. A FlowSet has to live as long as the
 * simulation.
 */
class FlowSet
{
  public:
    /**
     * @param fabric the network
     * @param flows the flows; they are added to those there are
     * @throws UserError if two hosts have more than 65536 queue pairs between them
     */
    void Install(const Fabric& fabric, const std::vector<FlowSpec>& flows);

    /** @return results, in the order of the list */
    const std::vector<FlowResult>& GetResults() const
    {
        return m_results;
    }

    /** @param callback called when the last flow has ended */
    void SetFinishedCallback(Callback<void> callback)
    {
        m_finished = callback;
    }

    /** @return true once all flows have ended, one way or the other */
    bool IsFinished() const
    {
        return m_ended == m_results.size();
    }

    /** @return payload bytes that have come, of all flows */
    uint64_t GetReceivedBytes() const;

    /** @return what the flows that have not completed wait for */
    std::vector<std::string> GetWaits() const;

  private:
    /**
     * @param fabric the network
     * @param flow index of a flow
     */
    void InstallOne(const Fabric& fabric, std::size_t flow);
    /**
     * @param flow index of the flow
     * @param bytes what has come
     */
    void OnReceive(std::size_t flow, uint64_t bytes);
    /**
     * @param flow index of the flow
     * @param result what the sender was told
     */
    void OnComplete(std::size_t flow, const TransferResult& result);

    std::vector<FlowResult> m_results;       //!< by flow
    std::vector<Ptr<QueuePair>> m_receivers; //!< by flow: the receiving end
    Callback<void> m_finished;               //!< told when all have ended
    std::size_t m_ended{0};                  //!< flows that have ended
};

} // namespace llmfabric
} // namespace ns3

#endif /* FLOW_SET_H */
