/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

#include "trace-records.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

/// Version of the tables below. It grows when a column or table is added; none is ever renamed.
inline constexpr uint64_t TRACE_SCHEMA_VERSION = 2;

/**
 * @ingroup llm-fabric
 * One column of a table: its name in a file, and where its value stands in the record.
 *
 * @tparam Record type of a row
 * @tparam Value type of the member: an integer, an enum or std::string
 */
template <typename Record, typename Value>
struct TraceColumn
{
    const char* name;        //!< name in a file
    Value Record::*member;   //!< where the value stands
    std::size_t width;       //!< bytes of a value; the longest text for a string
    const char* unit;        //!< unit, "1" for a plain number
    const char* description; //!< meaning in a few words
    const char* names;       //!< names of the values 0, 1, 2, ... separated by commas, or nullptr
};

/**
 * @param name name in a file
 * @param member where the value stands
 * @param unit unit, "1" for a plain number
 * @param description meaning in a few words
 * @param names names of the values, separated by commas, or nullptr
 * @return the column of an integer or enum
 */
template <typename Record, typename Value>
constexpr TraceColumn<Record, Value>
NumberColumn(const char* name,
             Value Record::*member,
             const char* unit,
             const char* description,
             const char* names = nullptr)
{
    return {name, member, sizeof(Value), unit, description, names};
}

/**
 * @param name name in a file
 * @param member where the value stands
 * @param width bytes of the longest text
 * @param description meaning in a few words
 * @return the column of a text
 */
template <typename Record>
constexpr TraceColumn<Record, std::string>
TextColumn(const char* name,
           std::string Record::*member,
           std::size_t width,
           const char* description)
{
    return {name, member, width, "1", description, nullptr};
}

/**
 * @ingroup llm-fabric
 * The table of a record type: NAME, DESCRIPTION and the tuple COLUMNS. This is the only place that
 * says which columns there are; traces/SCHEMA.md is compared with it by a test.
 *
 * @tparam Record type of a row
 */
template <typename Record>
struct TraceTable;

/// The table of HopRecord.
template <>
struct TraceTable<HopRecord>
{
    /// Name of the table.
    static constexpr const char* NAME = "hops";
    /// What a row is.
    static constexpr const char* DESCRIPTION = "one row per frame and output port it came to";
    /// The columns in their order.
    static constexpr auto COLUMNS = std::make_tuple(
        NumberColumn("enqueued", &HopRecord::enqueued, "ps", "frame entered the output queue"),
        NumberColumn("started", &HopRecord::started, "ps", "first bit went on the wire"),
        NumberColumn("ended", &HopRecord::ended, "ps", "last bit went on the wire"),
        NumberColumn("node", &HopRecord::node, "1", "fabric id of the node, as in /nodes"),
        NumberColumn("port", &HopRecord::port, "1", "index of the output port on the node"),
        NumberColumn("frame", &HopRecord::frame, "1", "id of the frame, the same on all hops"),
        NumberColumn("qp", &HopRecord::qp, "1", "id of the queue pair, as in /messages"),
        NumberColumn("psn", &HopRecord::psn, "1", "packet sequence number"),
        NumberColumn("kind",
                     &HopRecord::kind,
                     "1",
                     "what the frame carries; attribute names lists the values",
                     TRACE_FRAME_KIND_NAMES),
        NumberColumn("priority", &HopRecord::priority, "1", "priority, 0 to 7"),
        NumberColumn("payload_bytes",
                     &HopRecord::payloadBytes,
                     "byte",
                     "bytes of the message in the frame"),
        NumberColumn("wire_bytes",
                     &HopRecord::wireBytes,
                     "byte",
                     "bytes on the wire, preamble and gap included"),
        NumberColumn("queue_bytes",
                     &HopRecord::queueBytes,
                     "byte",
                     "bytes in the queue at enqueue, without this frame"),
        NumberColumn("marked", &HopRecord::marked, "1", "1 if the frame left with an ECN mark"),
        NumberColumn("last_hop", &HopRecord::lastHop, "1", "1 if the link ends at the destination"),
        NumberColumn("drop_reason",
                     &HopRecord::dropReason,
                     "1",
                     "0 if not dropped; attribute names lists the values"));
};

/// The table of MessageRecord.
template <>
struct TraceTable<MessageRecord>
{
    /// Name of the table.
    static constexpr const char* NAME = "messages";
    /// What a row is.
    static constexpr const char* DESCRIPTION = "one row per message of a queue pair";
    /// The columns in their order.
    static constexpr auto COLUMNS = std::make_tuple(
        NumberColumn("qp", &MessageRecord::qp, "1", "id of the queue pair"),
        NumberColumn("index",
                     &MessageRecord::index,
                     "1",
                     "place of the message on its queue pair, from 0"),
        NumberColumn("source", &MessageRecord::source, "1", "number of the sending host"),
        NumberColumn("destination",
                     &MessageRecord::destination,
                     "1",
                     "number of the receiving host"),
        NumberColumn("bytes", &MessageRecord::bytes, "byte", "length of the message"),
        NumberColumn("posted", &MessageRecord::posted, "ps", "message was given to the NIC"),
        NumberColumn("received",
                     &MessageRecord::received,
                     "ps",
                     "last byte came in at the receiver"),
        NumberColumn("completed",
                     &MessageRecord::completed,
                     "ps",
                     "its acknowledgment came in at the sender"),
        NumberColumn("failed", &MessageRecord::failed, "1", "1 if the queue pair gave up"));
};

/// The table of CollectiveRecord.
template <>
struct TraceTable<CollectiveRecord>
{
    /// Name of the table.
    static constexpr const char* NAME = "collectives";
    /// What a row is.
    static constexpr const char* DESCRIPTION =
        "one row per rank and collective operation, or message between two ranks";
    /// The columns in their order.
    static constexpr auto COLUMNS = std::make_tuple(
        NumberColumn("step", &CollectiveRecord::step, "1", "training step, from 0"),
        TextColumn("op",
                   &CollectiveRecord::op,
                   24,
                   "operation, such as allreduce, send or receive"),
        TextColumn("algorithm",
                   &CollectiveRecord::algorithm,
                   24,
                   "algorithm, such as ring; p2p of a message"),
        NumberColumn("rank", &CollectiveRecord::rank, "1", "global rank"),
        NumberColumn("ranks", &CollectiveRecord::ranks, "1", "number of ranks that take part"),
        NumberColumn("payload_bytes",
                     &CollectiveRecord::payloadBytes,
                     "byte",
                     "size of the buffer that the operation works on"),
        NumberColumn("sent_bytes",
                     &CollectiveRecord::sentBytes,
                     "byte",
                     "bytes that this rank sent for it"),
        NumberColumn("start", &CollectiveRecord::start, "ps", "rank entered the operation"),
        NumberColumn("end", &CollectiveRecord::end, "ps", "rank left the operation"),
        TextColumn("group",
                   &CollectiveRecord::group,
                   TRACE_GROUP_WIDTH,
                   "group of ranks, such as data; of a message the peer and the channel"));
};

/// The table of ComputeRecord.
template <>
struct TraceTable<ComputeRecord>
{
    /// Name of the table.
    static constexpr const char* NAME = "compute";
    /// What a row is.
    static constexpr const char* DESCRIPTION = "one row per computation of a rank";
    /// The columns in their order.
    static constexpr auto COLUMNS = std::make_tuple(
        NumberColumn("step", &ComputeRecord::step, "1", "training step, from 0"),
        NumberColumn("rank", &ComputeRecord::rank, "1", "global rank"),
        TextColumn("phase", &ComputeRecord::phase, 16, "what is computed, such as forward"),
        NumberColumn("mini_batch",
                     &ComputeRecord::miniBatch,
                     "1",
                     "local mini-batch of the step, from 0"),
        NumberColumn("start", &ComputeRecord::start, "ps", "computation began"),
        NumberColumn("end", &ComputeRecord::end, "ps", "computation ended"),
        NumberColumn("micro_batch",
                     &ComputeRecord::microBatch,
                     "1",
                     "micro-batch of the mini-batch, from 0"),
        NumberColumn("part",
                     &ComputeRecord::part,
                     "1",
                     "part of the model (virtual pipeline stage), in model order, from 0"));
};

/// The table of NodeRecord.
template <>
struct TraceTable<NodeRecord>
{
    /// Name of the table.
    static constexpr const char* NAME = "nodes";
    /// What a row is.
    static constexpr const char* DESCRIPTION = "one row per node";
    /// The columns in their order.
    static constexpr auto COLUMNS = std::make_tuple(
        NumberColumn("node", &NodeRecord::node, "1", "fabric id"),
        TextColumn("name", &NodeRecord::name, 64, "name for people"),
        TextColumn("kind", &NodeRecord::kind, 16, "host or switch"),
        NumberColumn("address",
                     &NodeRecord::address,
                     "1",
                     "IPv4 address of the first port as a number (10.0.0.1 is 167772161), 0 if "
                     "none"));
};

/// The table of LinkRecord.
template <>
struct TraceTable<LinkRecord>
{
    /// Name of the table.
    static constexpr const char* NAME = "links";
    /// What a row is.
    static constexpr const char* DESCRIPTION = "one row per link, which has two directions";
    /// The columns in their order.
    static constexpr auto COLUMNS = std::make_tuple(
        NumberColumn("node_a", &LinkRecord::nodeA, "1", "fabric id of one end"),
        NumberColumn("port_a", &LinkRecord::portA, "1", "port index there"),
        NumberColumn("node_b", &LinkRecord::nodeB, "1", "fabric id of the other end"),
        NumberColumn("port_b", &LinkRecord::portB, "1", "port index there"),
        NumberColumn("rate_bps", &LinkRecord::rateBps, "bit/s", "rate of each direction"),
        NumberColumn("delay_ps", &LinkRecord::delayPs, "ps", "propagation delay"));
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRACE_SCHEMA_H */
