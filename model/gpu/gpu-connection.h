/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPU_CONNECTION_H
#define GPU_CONNECTION_H

#include "ns3/callback.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A one-way way of bytes from the memory of one GPU to that of another; it lives for the whole job.
 *
 * Messages arrive whole and in order. Callbacks run in true ns-3 events.
 */
class GpuConnection : public SimpleRefCount<GpuConnection>
{
  public:
    /// A message has come whole, and may be used: its bytes.
    using ReceiveCallback = Callback<void, uint64_t>;
    /// The connection is broken: why.
    using ErrorCallback = Callback<void, const std::string&>;

    virtual ~GpuConnection() = default;

    /** @param bytes size of the message to send, above 0 */
    virtual void Send(uint64_t bytes) = 0;

    /** @return payload bytes that were sent, as counted where they leave, repeated ones too */
    virtual uint64_t GetSentBytes() const = 0;

    /** @param callback called at the receiving GPU */
    void SetReceiveCallback(ReceiveCallback callback)
    {
        m_receive = callback;
    }

    /** @param callback called at the sending GPU */
    void SetErrorCallback(ErrorCallback callback)
    {
        m_error = callback;
    }

  protected:
    ReceiveCallback m_receive; //!< called at the receiving GPU
    ErrorCallback m_error;     //!< called at the sending GPU
};

} // namespace llmfabric
} // namespace ns3

#endif /* GPU_CONNECTION_H */
