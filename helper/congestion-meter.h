/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_METER_H
#define CONGESTION_METER_H

#include "fabric-helper.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Measures what congestion does to a whole network: the largest queue of a switch, and for how long
 * ports were paused. It has to live as long as the simulation.
 */
class CongestionMeter
{
  public:
    CongestionMeter() = default;
    CongestionMeter(const CongestionMeter&) = delete;
    CongestionMeter& operator=(const CongestionMeter&) = delete;

    /**
     * Begin to listen; call this before the simulation.
     *
     * @param fabric the network
     */
    void Watch(const Fabric& fabric);

    /** @return largest queue of data packets that one made when it came to a switch port, bytes */
    uint64_t GetPeakQueue() const
    {
        return m_peak;
    }

    /** @return how long ports were held back by PFC, summed over ports and priorities */
    Time GetPauseTime() const;

  private:
    /// A pause of one priority of a port.
    struct Pause
    {
        int64_t since{0}; //!< when it began, ticks
        int64_t until{0}; //!< when it ends by itself, ticks
    };

    /// Pauses of a port, by priority.
    using PortPauses = std::array<Pause, PRIORITIES>;

    /**
     * The sink of the trace source Hop of a switch port or a NIC's port.
     *
     * @param index the port, as in Fabric::GetPorts()
     * @param tick the time, ticks
     * @param frame a frame that came to the far end
     * @param outcome its times
     */
    void OnHop(std::size_t index, int64_t tick, const Frame& frame, const HopOutcome& outcome);
    /**
     * @param tick when a PFC frame came, ticks
     * @param frame the frame
     * @param index the port that sent it
     */
    void OnPause(int64_t tick, const Frame& frame, std::size_t index);

    std::vector<Ptr<FabricPort>> m_ports; //!< all ports
    std::vector<PortPauses> m_pauses;     //!< of the far end of each port
    uint64_t m_peak{0};                   //!< largest queue, bytes
    int64_t m_paused{0};                  //!< time of the pauses that are over, ticks
};

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_METER_H */
