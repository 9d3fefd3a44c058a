/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HOT_TRACED_CALLBACK_H
#define HOT_TRACED_CALLBACK_H

#include "fabric-engine.h"

#include "ns3/callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A trace source for the hot path: one inline test when nobody listens.
 *
 * The first argument of each sink is the time in ticks, so a sink need not ask Simulator::Now(). A
 * sink that is connected in ns-3's usual way (by name, by Config path) is taken to ask it all the
 * same, and the engine then runs each fabric event in its own ns-3 event; ConnectTickSink() is for
 * sinks that do not.
 *
 * @tparam Ts the arguments after the tick
 */
template <typename... Ts>
class HotTracedCallback
{
  public:
    /** What a sink is. */
    using Sink = Callback<void, int64_t, Ts...>;

    HotTracedCallback() = default;
    HotTracedCallback(const HotTracedCallback&) = delete;
    HotTracedCallback& operator=(const HotTracedCallback&) = delete;

    ~HotTracedCallback()
    {
        for (const Entry& entry : m_entries)
        {
            Release(entry);
        }
    }

    /**
     * @param callback the sink, without context
     */
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        Add(callback, true);
    }

    /**
     * @param callback the sink, whose first argument is the context
     * @param path the context
     */
    void Connect(const CallbackBase& callback, std::string path)
    {
        Callback<void, std::string, int64_t, Ts...> withContext;
        withContext.Assign(callback);
        Add(withContext.Bind(path), true);
    }

    /**
     * @param callback a sink that does not read Simulator::Now()
     */
    void ConnectTickSink(const Sink& callback)
    {
        Add(callback, false);
    }

    /** @param callback the sink to disconnect */
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        for (std::size_t i = 0; i < m_entries.size();)
        {
            if (m_entries[i].sink.IsEqual(callback))
            {
                Release(m_entries[i]);
                m_entries.erase(m_entries.begin() + i);
                continue;
            }
            ++i;
        }
    }

    /**
     * @param callback the sink to disconnect
     * @param path its context
     */
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        Callback<void, std::string, int64_t, Ts...> withContext;
        withContext.Assign(callback);
        DisconnectWithoutContext(withContext.Bind(path));
    }

    /** @return true if nobody listens */
    bool IsEmpty() const
    {
        return m_entries.empty();
    }

    /**
     * @param tick the time, ticks
     * @param args the rest
     */
    void operator()(int64_t tick, Ts... args) const
    {
        for (std::size_t i = 0; i < m_entries.size(); ++i) // a sink may connect another one
        {
            m_entries[i].sink(tick, args...);
        }
    }

  private:
    /** A sink and what it needs. */
    struct Entry
    {
        Sink sink;               //!< whom to call
        Ptr<FabricEngine> clock; //!< the engine that it holds at batch 1, or null
    };

    /** @param entry a sink that goes */
    static void Release(const Entry& entry)
    {
        if (entry.clock)
        {
            entry.clock->RemoveClockReader();
        }
    }

    /**
     * @param callback the sink
     * @param readsClock it may ask Simulator::Now()
     */
    void Add(const CallbackBase& callback, bool readsClock)
    {
        Sink sink;
        sink.Assign(callback);
        m_entries.push_back({sink, readsClock ? FabricEngine::Get() : nullptr});
        if (readsClock)
        {
            m_entries.back().clock->AddClockReader();
        }
    }

    std::vector<Entry> m_entries; //!< the sinks, in the order of connection
};

} // namespace llmfabric
} // namespace ns3

#endif /* HOT_TRACED_CALLBACK_H */
