/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_PROTOCOL_H
#define COLLECTIVE_PROTOCOL_H

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/// How the software of a GPU moves a slice; the protocols of NCCL.
enum class CollectiveProtocol : uint8_t
{
    NONE,   //!< without start-up costs and flags: what the network alone takes
    SIMPLE, //!< whole slices, a fence for each
    LL,     //!< "low latency": lines of 16 bytes, of which 8 are flags
    LL128   //!< lines of 128 bytes, of which 8 are flags
};

/// Number of protocols.
static constexpr uint32_t COLLECTIVE_PROTOCOLS = 4;

/// Whose start-up costs an algorithm has.
enum class LatencyRow : uint8_t
{
    RING,
    TREE,
    PAT
};

/**
 * @param protocol a protocol
 * @return its name in scenarios, e.g. "ll128"
 */
std::string GetName(CollectiveProtocol protocol);

/**
 * @param name a name as GetName() gives it, or "auto"
 * @return the protocol; none for "auto", the choice of the fastest
 * @throws UserError if there is no such protocol
 */
std::optional<CollectiveProtocol> FindProtocol(const std::string& name);

/**
 * @ingroup llm-fabric
 * What a protocol costs: NCCL 2.30.7, src/graph/tuning.cc (latencies, in microseconds) and
 * src/include/device.h (sizes).
 *
 *                base              NVLink            network
 *            LL LL128 Simple   LL LL128 Simple   LL  LL128 Simple
 *     tree  6.8  14    8.4     0.6 1.25   4.0    5.0  8.5   14
 *     ring  6.6  14    8.4     0.6 1.9    3.4    2.7  4.0   14
 *     PAT    -    -    8.0      -   -     4.0     -    -    14 / 3.5
 *
 * NCCL's measured values hold what cables and NICs take, which a simulation adds once more; so they
 * are upper bounds here.
 */
class ProtocolProfile
{
  public:
    /**
     * @param protocol a protocol
     * @return what it costs
     */
    static const ProtocolProfile& Get(CollectiveProtocol protocol);

    /**
     * @param bytes payload bytes
     * @return bytes that are sent for them: LL doubles them, LL128 sends 128 for each 120
     */
    uint64_t GetSentBytes(uint64_t bytes) const;

    /**
     * @return bytes of a slice: 1 MiB of Simple, 32 KiB of LL, 576,000 of LL128, so that the buffer
     *         of a connection is NCCL's
     */
    uint64_t GetSlice() const
    {
        return m_slice;
    }

    /**
     * @return bytes of a chunk: two slices of Simple, one of the others
     */
    uint64_t GetChunk() const
    {
        return m_chunk;
    }

    /**
     * @param row whose costs
     * @return time from the call to the first step
     */
    Time GetBaseLatency(LatencyRow row) const;

    /**
     * @param row whose costs
     * @param far the step goes from node to node
     * @param alone each node has one member; then NCCL counts a ring's network steps as a tree's
     * @return what a step costs
     */
    Time GetStepLatency(LatencyRow row, bool far, bool alone) const;

  private:
    /// Latencies of a row, in nanoseconds.
    struct Latencies
    {
        int64_t base; //!< of an op
        int64_t near; //!< of a step over NVLink
        int64_t far;  //!< of a step between nodes
    };

    /**
     * @param line bytes of a line that is sent; 0: there are no lines
     * @param useful bytes of it that are payload
     * @param slice bytes of a slice
     * @param chunk bytes of a chunk
     * @param latencies by row
     */
    ProtocolProfile(uint64_t line,
                    uint64_t useful,
                    uint64_t slice,
                    uint64_t chunk,
                    const std::array<Latencies, 3>& latencies);

    uint64_t m_line;                      //!< bytes of a line, or 0
    uint64_t m_useful;                    //!< payload bytes of a line
    uint64_t m_slice;                     //!< bytes of a slice
    uint64_t m_chunk;                     //!< bytes of a chunk
    std::array<Latencies, 3> m_latencies; //!< by LatencyRow
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_PROTOCOL_H */
