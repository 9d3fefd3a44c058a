/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_LINK_H
#define FABRIC_LINK_H

#include "fabric-frame.h"

#include "ns3/channel.h"
#include "ns3/fabric-engine.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

class FabricPort;

/**
 * @ingroup llm-fabric
 * One direction of a link: the frames on the wire, in order, with one pending event for the first.
 */
class LinkDirection
{
  public:
    ~LinkDirection();

    /**
     * @param engine the engine
     * @param delay propagation delay, ticks
     * @param to the port at the far end
     */
    void Start(FabricEngine& engine, int64_t delay, FabricPort* to);

    /**
     * Carry a frame.
     *
     * @param frame the frame; the link owns it until it arrives
     * @param sent when its last bit leaves the near port, ticks
     */
    void Carry(Frame* frame, int64_t sent)
    {
        frame->due = sent + m_delay;
        const bool first = m_inFlight.IsEmpty();
        m_inFlight.Push(frame);
        if (first)
        {
            m_arrival.ScheduleAt(frame->due);
        }
    }

    /** @return the first frame on the wire, or null; the rest hangs on Frame::next */
    const Frame* GetInFlight() const
    {
        return m_inFlight.Front();
    }

  private:
    /** The first frame has arrived. */
    void Arrive();

    FrameFifo m_inFlight;      //!< frames on the wire
    int64_t m_delay{0};        //!< propagation delay, ticks
    FabricPort* m_to{nullptr}; //!< the far end
    FabricEvent m_arrival;     //!< the first frame arrives
};

/**
 * @ingroup llm-fabric
 * A full-duplex cable between two FabricPorts.
 *
 * @verbatim
     FabricPort 0  ---- LinkDirection 0 ---->  FabricPort 1
                   <--- LinkDirection 1 -----
   @endverbatim
 */
class FabricLink : public Channel
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    FabricLink();
    ~FabricLink() override;

    /**
     * Join two ports by a new link. Aborts if one of them has a link.
     *
     * @param a one port
     * @param b the other
     * @param delay propagation delay, 0 or more
     * @return the link
     */
    static Ptr<FabricLink> Connect(Ptr<FabricPort> a, Ptr<FabricPort> b, Time delay);

    /** @return propagation delay */
    Time GetDelay() const
    {
        return m_delay;
    }

    /**
     * @param end 0 or 1
     * @return the port at that end
     */
    Ptr<FabricPort> GetPort(std::size_t end) const;

    /**
     * @param end 0 or 1
     * @return the direction that starts there
     */
    LinkDirection& GetDirectionFrom(std::size_t end)
    {
        return m_directions[end];
    }

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    friend class FabricPort;
    void DoDispose() override;
    void DoInitialize() override;

    std::array<Ptr<FabricPort>, 2> m_ports;    //!< the two ends
    std::array<LinkDirection, 2> m_directions; //!< direction i starts at port i
    Time m_delay;                              //!< propagation delay
    Ptr<FabricEngine> m_engine;                //!< keeps the engine as long as the events
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_LINK_H */
