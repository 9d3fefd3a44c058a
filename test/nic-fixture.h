/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_FIXTURE_H
#define NIC_FIXTURE_H

#include "simulation-fixture.h"

#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/fabric-helper.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-protocol.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// A test of the NIC and what it needs; leaves ns-3 as it found it.
using NicFixture = SimulationTest;

/**
 * @tparam V the AttributeValue subclass
 * @param object an object
 * @param name name of its attribute
 * @return the attribute's value
 */
template <typename V>
auto
AttributeOf(const Ptr<Object>& object, const std::string& name)
{
    V value;
    object->GetAttribute(name, value);
    return value.Get();
}

/**
 * @param rates what each got
 * @return Jain's index of fairness
 */
inline double
JainIndex(const std::vector<double>& rates)
{
    double sum = 0;
    double squares = 0;
    for (double rate : rates)
    {
        sum += rate;
        squares += rate * rate;
    }
    return sum * sum / (static_cast<double>(rates.size()) * squares);
}

/** Loses the frames that a rule chooses by their bytes. */
class LossRule : public ErrorModel
{
  public:
    /// Number of the frame at this port, its PSN; true loses it.
    using Rule = std::function<bool(uint32_t arrival, uint32_t psn)>;

    /** @param rule which frames to lose */
    explicit LossRule(Rule rule)
        : m_rule(std::move(rule))
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        constexpr std::size_t psn = 51; // Ethernet 14, IPv4 20, UDP 8, BTH 9
        const uint32_t number = static_cast<uint32_t>(bytes.at(psn)) << 16 |
                                static_cast<uint32_t>(bytes.at(psn + 1)) << 8 | bytes.at(psn + 2);
        return m_rule(m_arrivals++, number);
    }

    void DoReset() override
    {
        m_arrivals = 0;
    }

    Rule m_rule;            //!< which frames to lose
    uint32_t m_arrivals{0}; //!< frames seen
};

/** A frame that crossed a link. */
struct SeenFrame
{
    int64_t tick;       //!< when it arrived
    Frame frame;        //!< a copy
    HopOutcome outcome; //!< how it went
};

/** A queue pair and what its callbacks told. */
struct Connection
{
    Ptr<QueuePair> sender;                                       //!< its end that sends
    Ptr<QueuePair> receiver;                                     //!< its end that receives
    std::vector<std::pair<int64_t, uint64_t>> received;          //!< time in ticks, bytes
    std::vector<std::pair<int64_t, TransferResult>> completions; //!< time in ticks, what became

    /** @return when the first transfer had arrived, ticks; -1: never */
    int64_t ReceivedAt() const
    {
        return received.empty() ? -1 : received.front().first;
    }

    /** @return when the first transfer was acknowledged or given up, ticks; -1: never */
    int64_t CompletedAt() const
    {
        return completions.empty() ? -1 : completions.front().first;
    }

    /** @return counters of the sending end */
    const RequesterCounters& Counters() const
    {
        return sender->GetRequester().GetCounters();
    }
};

/**
 * Hosts on one switch, 100 Gb/s and 1 us a link, at line rate unless a test asks for more.
 */
class StarFixture : public NicFixture
{
  protected:
    static constexpr int64_t TICKS_PER_BYTE = 80;       //!< at 100 Gb/s
    static constexpr int64_t PATH_DELAY = 2000000;      //!< two links of 1 us, ticks
    static constexpr int64_t TIMEOUT = 4096000LL << 14; //!< retransmission timeout, ticks
    static constexpr int64_t ACK_TIME = 2 * 86 * TICKS_PER_BYTE + PATH_DELAY; //!< of an ACK's way

    StarFixture()
    {
        UseControl("FixedRate");
    }

    /** @param name congestion control of NICs made from now on */
    void UseControl(const std::string& name)
    {
        m_helper.SetNicAttribute("CongestionControl", StringValue("ns3::llmfabric::" + name));
    }

    /**
     * @param name attribute of NICs made from now on
     * @param value its value
     */
    void SetNic(const std::string& name, uint64_t value)
    {
        m_helper.SetNicAttribute(name, UintegerValue(value));
    }

    /**
     * Make the network.
     *
     * @param hosts how many
     * @param mtu path MTU
     */
    void Build(uint32_t hosts, uint32_t mtu = 4096)
    {
        SetNic("Mtu", mtu);
        m_helper.SetSwitchAttribute("RoceMtu", UintegerValue(mtu));
        TopologySpec spec;
        spec.nodes = hosts;
        m_fabric = m_helper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
    }

    /**
     * @param from sending host
     * @param to receiving host
     * @param index number of the queue pair between them
     * @return a new queue pair whose callbacks are recorded
     */
    Connection& Connect(uint32_t from, uint32_t to, uint32_t index = 0)
    {
        Connection& made = m_connections.emplace_back();
        std::tie(made.sender, made.receiver) =
            RoceNic::Connect(m_fabric.nics.at(from), m_fabric.nics.at(to), index);
        made.receiver->GetResponder().SetReceiveCallback(
            Callback<void, uint64_t>([&made](uint64_t bytes) {
                made.received.emplace_back(Simulator::Now().GetTimeStep(), bytes);
            }));
        made.sender->GetRequester().SetCompletionCallback(
            Callback<void, const TransferResult&>([&made](const TransferResult& result) {
                made.completions.emplace_back(Simulator::Now().GetTimeStep(), result);
            }));
        return made;
    }

    /**
     * @param connection who sends
     * @param bytes how many
     * @param at when
     */
    static void Post(const Connection& connection, uint64_t bytes, Time at = Time(0))
    {
        Simulator::Schedule(at, [pair = connection.sender, bytes]() { pair->PostWrite(bytes); });
    }

    /**
     * Connect two hosts, send, and run to the end.
     *
     * @param bytes size of the transfer from host 0 to host 1
     * @return the queue pair
     */
    Connection& RunOne(uint64_t bytes)
    {
        Connection& made = Connect(0, 1);
        Post(made, bytes);
        Simulator::Run();
        return made;
    }

    /**
     * @param host a host
     * @return its port
     */
    Ptr<FabricPort> Port(uint32_t host) const
    {
        return m_fabric.nics.at(host)->GetPort();
    }

    /**
     * @param host a host
     * @param kind a kind of frames
     * @return how many of that kind it sent
     */
    uint64_t Sent(uint32_t host, FrameKind kind) const
    {
        return Port(host)->GetCounters().framesSent.at(static_cast<std::size_t>(kind));
    }

    /**
     * @param host the host whose arriving frames may get lost
     * @param rule which are lost
     */
    void LoseAt(uint32_t host, LossRule::Rule rule) const
    {
        Port(host)->SetAttribute("ReceiveErrorModel",
                                 PointerValue(CreateObject<LossRule>(std::move(rule))));
    }

    /**
     * @param port a port whose frames are to be recorded when they have crossed its link
     * @return the record
     */
    const std::deque<SeenFrame>& Watch(const Ptr<FabricPort>& port)
    {
        std::deque<SeenFrame>& seen = m_seen.emplace_back();
        port->GetHopSource().ConnectTickSink(
            [&seen](int64_t tick, const Frame& frame, const HopOutcome& outcome) {
                seen.push_back({tick, frame, outcome});
            });
        return seen;
    }

    /** Let switches that are made from now on mark every packet. */
    static void MarkAll()
    {
        Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmin", UintegerValue(0));
        Config::SetDefault("ns3::llmfabric::RedMarkPolicy::Kmax", UintegerValue(0));
    }

    /**
     * Hand an answer to the sending end that no wire carried.
     *
     * @param connection the queue pair
     * @param kind ACK or NAK
     * @param psn what it names
     */
    static void Answer(const Connection& connection, FrameKind kind, uint32_t psn)
    {
        Frame answer;
        answer.kind = kind;
        answer.psn = psn;
        connection.sender->GetRequester().OnAcknowledge(answer);
    }

    /**
     * Expect one transfer that has come whole: each byte and each callback once.
     *
     * @param connection its queue pair
     * @param bytes its size
     */
    static void ExpectWhole(const Connection& connection, uint64_t bytes)
    {
        ASSERT_EQ(connection.received.size(), 1u);
        EXPECT_EQ(connection.received[0].second, bytes);
        EXPECT_EQ(connection.receiver->GetResponder().GetReceivedBytes(), bytes);
        ASSERT_EQ(connection.completions.size(), 1u);
        EXPECT_FALSE(connection.completions[0].second.failed);
        EXPECT_EQ(connection.completions[0].second.bytes, bytes);
    }

    /**
     * @param bytes size of a message
     * @param mtu path MTU, a multiple of 4
     * @return its wire bytes: MTU + 82 a packet, 16 more in the first, the payload padded to 4
     */
    static int64_t WireBytes(uint64_t bytes, uint64_t mtu)
    {
        const uint64_t packets = std::max<uint64_t>(1, (bytes + mtu - 1) / mtu);
        return static_cast<int64_t>((bytes + 3) / 4 * 4 + packets * 82 + 16);
    }

    /**
     * @param bytes size of a message that is posted at 0 and has the network for itself
     * @param mtu path MTU, a multiple of 4
     * @return when its last byte arrives, ticks. The first packet is the longest: the switch sends
     *         it when it has come whole, and the rest follows without a gap.
     */
    static int64_t ArrivalOf(uint64_t bytes, uint64_t mtu)
    {
        const int64_t first = WireBytes(std::min(bytes, mtu), mtu);
        return (WireBytes(bytes, mtu) + first) * TICKS_PER_BYTE + PATH_DELAY;
    }

    FabricHelper m_helper;                    //!< makes the network
    Fabric m_fabric;                          //!< the network
    std::deque<Connection> m_connections;     //!< all that were made
    std::deque<std::deque<SeenFrame>> m_seen; //!< what was recorded
};

} // namespace llmfabric
} // namespace ns3

#endif /* NIC_FIXTURE_H */
