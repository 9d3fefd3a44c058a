/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_SINK_H
#define TRACE_SINK_H

#include "trace-records.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Where the records of a run go.
 *
 * A subclass is a file format. Rows of a kind are kept in the order in which they come. All calls
 * may throw std::runtime_error when the medium fails, for example on a full disk.
 */
class TraceSink
{
  public:
    virtual ~TraceSink() = default;

    /**
     * Takes one frame at one output port. Called for every frame and hop, so it has to be cheap.
     * @param record the row
     */
    virtual void Hop(const HopRecord& record) = 0;

    /**
     * Takes one message.
     * @param record the row
     */
    virtual void Message(const MessageRecord& record) = 0;

    /**
     * Takes one collective operation of one rank.
     * @param record the row
     */
    virtual void Collective(const CollectiveRecord& record) = 0;

    /**
     * Takes one computation of one rank.
     * @param record the row
     */
    virtual void Compute(const ComputeRecord& record) = 0;

    /**
     * Takes one node.
     * @param record the row
     */
    virtual void Node(const NodeRecord& record) = 0;

    /**
     * Takes one link.
     * @param record the row
     */
    virtual void Link(const LinkRecord& record) = 0;

    /**
     * Says something about the whole run; a second call with the same name replaces the value.
     * @param name name of the attribute
     * @param value text of any length
     */
    virtual void SetAttribute(const std::string& name, const std::string& value) = 0;

    /**
     * Says something about the whole run; a second call with the same name replaces the value.
     * @param name name of the attribute
     * @param value the value
     */
    virtual void SetAttribute(const std::string& name, uint64_t value) = 0;

    /**
     * Says something about the whole run; a second call with the same name replaces the value.
     * @param name name of the attribute
     * @param value the value
     */
    virtual void SetAttribute(const std::string& name, int64_t value) = 0;

    /**
     * Says something about the whole run; a second call with the same name replaces the value.
     * @param name name of the attribute
     * @param value the value
     */
    virtual void SetAttribute(const std::string& name, double value) = 0;

    /// Makes all rows so far readable, whatever becomes of this process.
    virtual void Flush() = 0;

    /// Flushes and lets the medium go. Nothing may be written afterwards; a second call is fine.
    virtual void Close() = 0;
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRACE_SINK_H */
