/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "drop-reason.h"
#include "fabric-frame.h"
#include "port-transmitter.h"

#include "ns3/clocked-traced-callback.h"
#include "ns3/data-rate.h"
#include "ns3/hot-traced-callback.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>

namespace ns3
{

class ErrorModel;

namespace llmfabric
{

class FabricPort;

/**
 * @ingroup llm-fabric
 * Takes the frames that arrive at a port: a switch or a NIC.
 */
class FrameReceiver
{
  public:
    virtual ~FrameReceiver() = default;

    /**
     * @param frame the frame; the receiver owns it from now on
     * @param port the port it came in by
     */
    virtual void ReceiveFrame(Frame* frame, FabricPort& port) = 0;
};

/** How one hop of a frame went; an argument of the trace source Hop. */
struct HopOutcome
{
    int64_t enqueued;  //!< when it entered the queue, ticks
    int64_t started;   //!< when its first bit left, ticks; -1 if it never did
    int64_t ended;     //!< when its last bit left, ticks; -1 if it never did
    bool lastHop;      //!< the far end is a host
    DropReason reason; //!< why it was lost, or NONE
};

/** What a port has counted. */
struct PortCounters
{
    std::array<uint64_t, static_cast<std::size_t>(FrameKind::COUNT)> framesSent{}; //!< by kind
    uint64_t wireBytesSent{0}; //!< wire bytes of all frames
    DropCounters drops{};      //!< lost frames by reason
};

/**
 * @ingroup llm-fabric
 * A port of a host or a switch: an Ethernet NetDevice with eight priorities.
 *
 * @verbatim
       Internet stack     RoceNic or FabricSwitch
             | Send            | Enqueue, FrameSource      ^ FrameReceiver
     +-------v-----------------v---------------------------|-----+
     | FabricPort   PortTransmitter (8 queues, PFC)     Receive   |
     +-------------------------|----------------------------^----+
                          LinkDirection                LinkDirection
   @endverbatim
 *
 * The Internet stack runs over it without ARP: all hosts are in one subnet (10.0.0.0/8), and the
 * destination and the 5-tuple are read from the IPv4 header once, in Send().
 */
class FabricPort : public NetDevice
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    FabricPort();
    ~FabricPort() override;

    /**
     * Signature of the trace source Hop: once per frame and hop, when the frame has reached the far
     * end or is lost.
     *
     * @param tick the time, ticks
     * @param frame the frame
     * @param outcome its times on this hop, and its fate
     */
    typedef void (*HopTracedCallback)(int64_t tick, const Frame& frame, const HopOutcome& outcome);

    /**
     * @param link the link to hang on
     * @param end this port's end of it, 0 or 1
     */
    void Attach(Ptr<FabricLink> link, std::size_t end);

    /** Get ready to send; called when the simulation starts, or earlier by whoever sends first. */
    void Prepare();

    /** @return the port at the far end of the link, or null */
    Ptr<FabricPort> GetPeer() const
    {
        return m_link ? m_link->GetPort(1 - m_end) : nullptr;
    }

    /** @return the fabric id of the node: attribute FabricId, or the node's id */
    uint32_t GetFabricId() const;

    /** @return the index of this port on its node: attribute Index, or by order of AddDevice */
    uint32_t GetPortIndex() const;

    /** @return IPv4 address of a host port, 0.0.0.0 on a switch */
    Ipv4Address GetIpv4Address() const
    {
        return m_address;
    }

    /** @return the link, or null */
    Ptr<FabricLink> GetLink() const
    {
        return m_link;
    }

    /** @return line rate */
    DataRate GetDataRate() const
    {
        return m_dataRate;
    }

    /** @return the sending half */
    PortTransmitter& GetTransmitter()
    {
        return m_transmitter;
    }

    /** @return the sending half */
    const PortTransmitter& GetTransmitter() const
    {
        return m_transmitter;
    }

    /** @param receiver who takes frames; null: the Internet stack alone */
    void SetReceiver(FrameReceiver* receiver)
    {
        m_receiver = receiver;
    }

    /** @param slot place of this port in the port list of its switch */
    void SetSwitchSlot(uint16_t slot)
    {
        m_isSwitch = true;
        m_slot = slot;
    }

    /** @return place of this port in the port list of its switch */
    uint16_t GetSwitchSlot() const
    {
        return m_slot;
    }

    /** @return true if the port belongs to a switch */
    bool IsSwitchPort() const
    {
        return m_isSwitch;
    }

    /** @return a new frame id: (node 20 bit, port 10 bit, counter 34 bit) */
    uint64_t NextFrameId()
    {
        return m_frameIdBase + m_frameCounter++;
    }

    /** @return what was counted so far */
    const PortCounters& GetCounters() const
    {
        return m_counters;
    }

    /**
     * Count and trace a frame that is lost before it starts on this port, and free it.
     *
     * @param frame the frame
     * @param reason why
     */
    void Drop(Frame* frame, DropReason reason);

    /**
     * Give a frame of the Internet stack to the stack of this node, and free it.
     *
     * @param frame the frame
     */
    void DeliverToStack(Frame* frame);

    /**
     * Called by the link: a frame has arrived.
     *
     * @param frame the frame
     */
    void Receive(Frame* frame);

    /**
     * Called by the transmitter: a frame starts on the wire.
     *
     * @param frame the frame
     * @param end when its last bit leaves, ticks
     */
    void OnTransmit(const Frame& frame, int64_t end)
    {
        ++m_counters.framesSent[static_cast<std::size_t>(frame.kind)];
        m_counters.wireBytesSent += frame.wireBytes;
        if (HasTransmitSinks())
        {
            TracePackets(frame, end);
        }
    }

    /**
     * Send a PFC frame.
     *
     * @param priority the priority to hold back
     * @param quanta for how long, pause quanta; 0 ends the pause
     */
    void SendPause(uint8_t priority, uint16_t quanta);

    /**
     * Look at the frames that wait in this port or are on its wire.
     *
     * @tparam F a function of (const Frame&, tick of the first bit or -1, tick of the last or -1)
     * @param visit called with each frame
     */
    template <typename F>
    void ForEachUnderWay(F visit) const
    {
        if (!m_link)
        {
            return;
        }
        const Frame* frame = m_link->GetDirectionFrom(m_end).GetInFlight();
        for (; frame; frame = frame->next)
        {
            visit(*frame, frame->started, frame->due - m_linkDelay);
        }
        m_transmitter.GetQueue().ForEach([&visit](const Frame& one) { visit(one, -1, -1); });
    }

    /** @return the source Hop, for sinks that do not read Simulator::Now() */
    HotTracedCallback<const Frame&, const HopOutcome&>& GetHopSource()
    {
        return m_hop;
    }

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsPointToPoint() const override;
    bool IsBridge() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /** @return true if a packet trace source of the sending side has a sink */
    bool HasTransmitSinks() const
    {
        return !(m_phyTxBegin.IsEmpty() && m_phyTxEnd.IsEmpty() && m_sniffer.IsEmpty() &&
                 m_promiscSniffer.IsEmpty());
    }

    /** @return true if a received frame needs its bytes */
    bool HasReceiveSinks() const
    {
        return m_errorModel || !(m_phyRxEnd.IsEmpty() && m_phyRxDrop.IsEmpty() &&
                                 m_sniffer.IsEmpty() && m_promiscSniffer.IsEmpty());
    }

    /**
     * @param frame a frame that starts on the wire
     * @param end when its last bit leaves, ticks
     */
    void TracePackets(const Frame& frame, int64_t end);
    /** @param packet a frame whose last bit has left */
    void TraceTransmitEnd(Ptr<const Packet> packet);
    /**
     * @param frame a frame that arrived
     * @return true if the error model loses it
     */
    bool CheckArrival(const Frame& frame);
    /**
     * @param packet a packet of the Internet stack
     * @param protocol its EtherType
     * @param reason set if the packet can't be sent
     * @return a frame, or null
     */
    Frame* MakeFrame(Ptr<Packet> packet, uint16_t protocol, DropReason& reason);

    PortTransmitter m_transmitter;                            //!< the sending half
    FrameReceiver* m_receiver{nullptr};                       //!< takes frames
    FabricPort* m_peer{nullptr};                              //!< the far end
    HotTracedCallback<const Frame&, const HopOutcome&> m_hop; //!< one call a frame and hop
    Ptr<ErrorModel> m_errorModel;                             //!< loses arriving frames
    PortCounters m_counters;                                  //!< what was counted
    int64_t m_linkDelay{0};                                   //!< propagation delay, ticks
    uint64_t m_frameIdBase{0};                                //!< node and port part of frame ids
    uint64_t m_frameCounter{0};                               //!< frames made here
    uint16_t m_slot{0};                                       //!< place in the switch's port list
    bool m_isSwitch{false};                                   //!< belongs to a switch
    Ptr<FabricEngine> m_engine;                               //!< the engine
    Ptr<FabricLink> m_link;                                   //!< the link
    std::size_t m_end{0};                                     //!< this port's end of the link
    Ptr<Node> m_node;                                         //!< the node
    DataRate m_dataRate;                                      //!< line rate
    Ipv4Address m_address;                                    //!< of a host port
    uint32_t m_fabricId{0};                                   //!< attribute FabricId
    uint32_t m_index{0};                                      //!< attribute Index
    uint32_t m_ifIndex{0};                                    //!< ns-3's interface index
    uint32_t m_txQueueLimit{0};                            //!< of the Internet stack's queue, bytes
    uint16_t m_mtu{0};                                     //!< of the Internet stack, bytes
    NetDevice::ReceiveCallback m_receiveCallback;          //!< the stack
    NetDevice::PromiscReceiveCallback m_promiscCallback;   //!< whoever listens to all
    TracedCallback<Ptr<const Packet>> m_macTx;             //!< from the stack
    TracedCallback<Ptr<const Packet>> m_macTxDrop;         //!< from the stack, lost at once
    TracedCallback<Ptr<const Packet>> m_macRx;             //!< to the stack
    ClockedTracedCallback<Ptr<const Packet>> m_phyTxBegin; //!< first bit on the wire
    ClockedTracedCallback<Ptr<const Packet>> m_phyTxEnd;   //!< last bit on the wire
    ClockedTracedCallback<Ptr<const Packet>> m_phyRxEnd;   //!< last bit received
    ClockedTracedCallback<Ptr<const Packet>> m_phyRxDrop;  //!< lost by the error model
    ClockedTracedCallback<Ptr<const Packet>> m_sniffer;    //!< sent and received
    ClockedTracedCallback<Ptr<const Packet>> m_promiscSniffer; //!< the same
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_PORT_H */
