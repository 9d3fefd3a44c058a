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
 * Messages arrive whole and in order. The receiver can tell the sender, by a clear-to-send, that it
 * has a slot free for a message; what that means is up to the two. Callbacks run in true ns-3
 * events.
 */
class GpuConnection : public SimpleRefCount<GpuConnection>
{
  public:
    /// A message has come whole, and may be used: its bytes.
    using ReceiveCallback = Callback<void, uint64_t>;
    /// A slot was granted.
    using GrantCallback = Callback<void>;
    /// The connection is broken: why.
    using ErrorCallback = Callback<void, const std::string&>;

    virtual ~GpuConnection() = default;

    /** @param bytes size of the message to send, above 0 */
    virtual void Send(uint64_t bytes) = 0;

    /** Send a clear-to-send from the receiving GPU to the sending one. */
    virtual void Grant() = 0;

    /** @return whether it leads from node to node */
    virtual bool IsFar() const = 0;

    /** @return payload bytes of messages that were sent, as counted where they leave, repeated ones
     * too */
    virtual uint64_t GetSentBytes() const = 0;

    /** @param callback called at the receiving GPU */
    void SetReceiveCallback(ReceiveCallback callback)
    {
        m_receive = callback;
    }

    /** @param callback called at the sending GPU */
    void SetGrantCallback(GrantCallback callback)
    {
        m_grant = callback;
    }

    /** @param callback called at the sending GPU */
    void SetErrorCallback(ErrorCallback callback)
    {
        m_error = callback;
    }

  protected:
    ReceiveCallback m_receive; //!< called at the receiving GPU
    GrantCallback m_grant;     //!< called at the sending GPU
    ErrorCallback m_error;     //!< called at the sending GPU
};

} // namespace llmfabric
} // namespace ns3

#endif /* GPU_CONNECTION_H */
