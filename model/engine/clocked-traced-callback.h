/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLOCKED_TRACED_CALLBACK_H
#define CLOCKED_TRACED_CALLBACK_H

#include "fabric-engine.h"

#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * An ns-3 trace source that fires inside fabric events, and whose sinks read Simulator::Now(): as
 * long as it has one, each fabric event runs in its own ns-3 event.
 *
 * @tparam Ts the arguments
 */
template <typename... Ts>
class ClockedTracedCallback : public TracedCallback<Ts...>
{
  public:
    ClockedTracedCallback() = default;
    ClockedTracedCallback(const ClockedTracedCallback&) = delete;
    ClockedTracedCallback& operator=(const ClockedTracedCallback&) = delete;

    ~ClockedTracedCallback()
    {
        Hold(false);
    }

    /** @param callback the sink, without context */
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        TracedCallback<Ts...>::ConnectWithoutContext(callback);
        Hold(true);
    }

    /**
     * @param callback the sink, whose first argument is the context
     * @param path the context
     */
    void Connect(const CallbackBase& callback, std::string path)
    {
        TracedCallback<Ts...>::Connect(callback, path);
        Hold(true);
    }

    /** @param callback the sink to disconnect */
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        TracedCallback<Ts...>::DisconnectWithoutContext(callback);
        Hold(!this->IsEmpty());
    }

    /**
     * @param callback the sink to disconnect
     * @param path its context
     */
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        TracedCallback<Ts...>::Disconnect(callback, path);
        Hold(!this->IsEmpty());
    }

  private:
    /** @param hold true to keep the engine at batch 1 */
    void Hold(bool hold)
    {
        if (hold && !m_clock)
        {
            m_clock = FabricEngine::Get();
            m_clock->AddClockReader();
        }
        else if (!hold && m_clock)
        {
            m_clock->RemoveClockReader();
            m_clock = nullptr;
        }
    }

    Ptr<FabricEngine> m_clock; //!< the engine that is kept at batch 1, or null
};

} // namespace llmfabric
} // namespace ns3

#endif /* CLOCKED_TRACED_CALLBACK_H */
