/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INGRESS_ACCOUNT_H
#define INGRESS_ACCOUNT_H

#include "fabric-port.h"

#include "ns3/tick-rate.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What one (ingress port, lossless priority) of a switch holds, and whether its sender is paused.
 *
 * Frames count against the shared buffer up to the limit, then against the headroom, which absorbs
 * what the sender still sends while the pause is on its way. Bytes leave the headroom first. A
 * pause is renewed at half of its time for as long as it lasts.
 */
class IngressAccount
{
  public:
    /**
     * @param engine the engine
     * @param port the ingress port
     * @param priority the lossless priority
     * @param headroom reserved bytes
     * @param pauseQuanta how long a pause frame holds, pause quanta
     * @param resumeGap how far below the limit the pause ends, bytes
     */
    void Start(FabricEngine& engine,
               FabricPort* port,
               uint8_t priority,
               uint64_t headroom,
               uint16_t pauseQuanta,
               uint64_t resumeGap);

    /**
     * A frame comes in. The one that crosses the limit still goes to the shared buffer: headroom is
     * for what comes after it.
     *
     * @param bytes its size
     * @param limit what this account may take of the shared buffer now
     * @param fits the shared buffer has room for it
     * @param[out] shared how much of the shared buffer it took
     * @return false if not even the headroom has room for it
     */
    bool Add(uint64_t bytes, uint64_t limit, bool fits, uint64_t& shared)
    {
        shared = !m_paused && fits ? bytes : 0;
        m_shared += shared;
        if (!m_paused && fits && m_shared <= limit)
        {
            return true;
        }
        return AddOverLimit(bytes - shared);
    }

    /**
     * A frame has left the switch.
     *
     * @param bytes its size
     * @return how much of the shared buffer is free again
     */
    uint64_t Remove(uint64_t bytes);

    /** @return true while the sender is held back */
    bool IsPaused() const
    {
        return m_paused;
    }

    /**
     * Let a paused sender go on if there is room again: the headroom is empty and the shared bytes
     * are the resume gap below the limit, or 0.
     *
     * @param limit what this account may take of the shared buffer now
     */
    void Relieve(uint64_t limit);

    /** @return pause frames sent, renewals included */
    uint64_t GetPauses() const
    {
        return m_pauses;
    }

    /** @return resume frames sent */
    uint64_t GetResumes() const
    {
        return m_resumes;
    }

  private:
    /**
     * @param bytes what of a frame goes to the headroom
     * @return false if the headroom has no room for it
     */
    bool AddOverLimit(uint64_t bytes);
    /** Send a pause frame and set the time of the next. */
    void SendPause();

    FabricEngine* m_engine{nullptr}; //!< the engine
    FabricPort* m_port{nullptr};     //!< the ingress port
    uint64_t m_headroom{0};          //!< reserved bytes
    uint64_t m_shared{0};            //!< bytes held in the shared buffer
    uint64_t m_inHeadroom{0};        //!< bytes held in the headroom
    uint64_t m_resumeGap{0};         //!< how far below the limit a pause ends, bytes
    uint64_t m_pauses{0};            //!< pause frames sent
    uint64_t m_resumes{0};           //!< resume frames sent
    int64_t m_refreshTicks{0};       //!< half of the time of a pause
    uint16_t m_pauseQuanta{0};       //!< time of a pause
    uint8_t m_priority{0};           //!< the priority
    bool m_paused{false};            //!< the sender is held back
    FabricEvent m_refresh;           //!< the pause has to be renewed
};

} // namespace llmfabric
} // namespace ns3

#endif /* INGRESS_ACCOUNT_H */
