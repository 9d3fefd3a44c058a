/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CAPTURE_FIXTURE_H
#define CAPTURE_FIXTURE_H

#include "command-folder.h"
#include "fabric-fixture.h"
#include "frame-bytes.h"
#include "nic-fixture.h"

#include "ns3/congestion-control.h"
#include "ns3/fabric-link.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// What the ends of a captured port's link saw.
struct CapturedPort
{
    const std::deque<SeenFrame>* sent;    //!< by the port
    const std::deque<SeenFrame>* arrived; //!< sent by the port at the other end
};

/// A frame as it ought to stand in a capture.
struct CapturedFrame
{
    int64_t tick; //!< when its first bit left, or its last bit came, ticks
    Frame frame;  //!< a copy; its extension is no longer there
};

/**
 * @param address an IPv4 address
 * @return it with dots
 */
inline std::string
Dotted(uint32_t address)
{
    std::ostringstream text;
    text << Ipv4Address(address);
    return text.str();
}

/** A congestion control at line rate that wants to know all of the way, and keeps it. */
class CuriousControl : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llmfabric::CuriousControl")
                                .SetParent<CongestionControl>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<CuriousControl>();
        return tid;
    }

    uint8_t GetFeedback() const override
    {
        return AckFeedback::HOPS | AckFeedback::MARKS | AckFeedback::TELEMETRY;
    }

    void OnAck(int64_t /* now */, const AckFeedback& feedback) override
    {
        hops.insert(feedback.hops);
    }

    std::set<uint32_t> hops; //!< all that it was told

  protected:
    void DoStart(int64_t now) override
    {
        SetRate(now, GetLineRate());
    }
};

NS_OBJECT_ENSURE_REGISTERED(CuriousControl);

/** A star whose ports are captured; the files are read by other programs. */
class CaptureFixture : public StarFixture
{
  protected:
    /**
     * Capture a port, and remember what it sends and receives.
     *
     * @param port the port
     * @param name name of the file
     */
    void Capture(const Ptr<FabricPort>& port, const std::string& name)
    {
        Ptr<RoceNic> nic = port->GetObject<RoceNic>();
        if (nic)
        {
            m_helper.EnablePcap(m_folder.PathOf(name), nic, true);
        }
        else
        {
            m_helper.EnablePcap(m_folder.PathOf(name), port, false, true);
        }
        m_captured[name] = {&Watch(port), &Watch(port->GetPeer())};
    }

    /** End the simulation, which closes the files. */
    void CloseFiles()
    {
        m_connections.clear();
        EndSimulation();
        m_fabric = Fabric();
    }

    /**
     * @param name name of a file
     * @return what ought to be in it
     */
    std::vector<CapturedFrame> GetFrames(const std::string& name) const
    {
        std::vector<CapturedFrame> frames;
        for (const SeenFrame& seen : *m_captured.at(name).sent)
        {
            if (seen.outcome.started >= 0)
            {
                frames.push_back({seen.outcome.started, seen.frame});
            }
        }
        for (const SeenFrame& seen : *m_captured.at(name).arrived)
        {
            if (seen.outcome.reason == DropReason::NONE)
            {
                frames.push_back({seen.tick, seen.frame});
            }
        }
        return frames;
    }

    /**
     * @param frames frames
     * @param kind a kind
     * @return how many of them are of that kind
     */
    static std::size_t Count(const std::vector<CapturedFrame>& frames, FrameKind kind)
    {
        return static_cast<std::size_t>(
            std::count_if(frames.begin(), frames.end(), [kind](const CapturedFrame& one) {
                return one.frame.kind == kind;
            }));
    }

    /**
     * Expect the same lines; those of one time may come in any order.
     *
     * @param found lines of a program's output
     * @param expected lines that it should have
     */
    static void ExpectSameLines(std::vector<std::string> found, std::vector<std::string> expected)
    {
        EXPECT_EQ(found.size(), expected.size());
        std::sort(found.begin(), found.end());
        std::sort(expected.begin(), expected.end());
        int shown = 0;
        for (std::size_t i = 0; i < std::min(found.size(), expected.size()) && shown < 3; ++i)
        {
            EXPECT_EQ(found[i], expected[i]) << "line " << i;
            shown += found[i] == expected[i] ? 0 : 1;
        }
    }

    /**
     * Four hosts send to host 0 at line rate over a switch whose buffer is small and that marks
     * every packet; some packets and some answers get lost. Captured are the receiver's NIC
     * (receiver.pcap), a sender's NIC (sender.pcap), and the switch's port to the receiver
     * (switch.pcap).
     */
    void RunIncast()
    {
        constexpr uint64_t hosts = 5;
        constexpr uint64_t headroom = 25000 + 2 * (1024 + 82) + 84 + 25216; // 100 Gb/s, 1 us
        MarkAll();
        m_helper.SetSwitchAttribute("Buffer", UintegerValue(hosts * headroom + 60000));
        Build(hosts, 1024);
        Capture(Port(0), "receiver.pcap");
        Capture(Port(1), "sender.pcap");
        Capture(Port(0)->GetPeer(), "switch.pcap");
        LoseAt(0, [](uint32_t arrival, uint32_t) { return arrival % 97 == 50; });
        LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival == 4; });
        for (uint32_t host = 1; host < hosts; ++host)
        {
            const Connection& flow = Connect(host, 0);
            Post(flow, 200001);
            Post(flow, 1);
            Post(flow, 100000 + host);
        }
        Simulator::Run();
        CloseFiles();
    }

    /**
     * Hosts 1 and 2 write, send and read with host 0, with and without immediate data, one with
     * go-back-N and one with selective repeat; receives are posted late, and some packets get lost.
     * Both hosts want to know all of the way. Captured is host 0's NIC (verbs.pcap).
     */
    void RunVerbs()
    {
        UseControl("CuriousControl");
        MarkAll();
        Build(3, 1024);
        Capture(Port(0), "verbs.pcap");
        LoseAt(0, [](uint32_t arrival, uint32_t) { return arrival % 41 == 20; });
        LoseAt(1, [](uint32_t arrival, uint32_t) { return arrival % 41 == 30; });
        PostVerbs(Connect(1, 0));
        for (uint32_t host : {0, 2})
        {
            m_fabric.nics[host]->SetAttribute("LossRecovery",
                                              StringValue("ns3::llmfabric::SelectiveRepeat"));
        }
        PostVerbs(Connect(2, 0));
        Simulator::Run();
        CloseFiles();
    }

    /** @param flow a queue pair that is to do everything that queue pairs can */
    static void PostVerbs(const Connection& flow)
    {
        for (uint64_t bytes : {0, 1, 1024, 1025, 20000, 60003})
        {
            for (RoceVerb verb : {RoceVerb::WRITE, RoceVerb::SEND, RoceVerb::READ})
            {
                flow.sender->Post({verb, bytes, {}});
            }
            flow.sender->Post({RoceVerb::WRITE, bytes, 0xaa000000});
            flow.sender->Post({RoceVerb::SEND, bytes, 0xbb000000});
        }
        Simulator::Schedule(MicroSeconds(100),
                            [pair = flow.receiver]() { pair->PostReceive(100000, 18); });
    }

    /**
     * Send a frame of each opcode with several payloads over a link that is captured at its begin
     * (opcodes.pcap), and negative acknowledgments of all kinds. Some have a trailer.
     */
    void RunAllOpcodes()
    {
        Ptr<FabricPort> port = m_helper.AddPort(CreateObject<Node>(), DataRate("100Gbps"));
        Ptr<FabricPort> peer = m_helper.AddPort(CreateObject<Node>(), DataRate("100Gbps"));
        FabricLink::Connect(port, peer, MicroSeconds(1));
        FrameRecorder recorder;
        peer->SetReceiver(&recorder);
        Capture(port, "opcodes.pcap");
        port->Prepare();
        for (const OpcodeRow& row : OPCODE_ROWS)
        {
            const bool data = KindOf(row.opcode) == FrameKind::DATA && row.opcode != 0x0c;
            for (uint32_t payload : {0u, 1u, 2u, 3u, 4u, 1000u})
            {
                SendByHand(port,
                           MakeRoceFrame(KindOf(row.opcode),
                                         static_cast<RoceOpcode>(row.opcode),
                                         data ? payload : 0));
            }
        }
        SendNaks(port);
        Simulator::Run();
        EXPECT_EQ(recorder.arrivals.size(), m_sentByHand);
        CloseFiles();
    }

    /**
     * @param port a port that sends
     * @param model a frame without trailer; what is not told apart by its opcode is filled in
     * @param bitmap bytes of a bitmap
     */
    void SendByHand(const Ptr<FabricPort>& port, const Frame& model, uint32_t bitmap = 0)
    {
        static constexpr uint8_t FEEDBACK[]{0,
                                            AckFeedback::HOPS,
                                            AckFeedback::MARKS,
                                            AckFeedback::TELEMETRY,
                                            AckFeedback::HOPS | AckFeedback::MARKS};
        Frame* frame = FramePool::Allocate(model);
        const uint32_t number = m_sentByHand++;
        frame->feedback = FEEDBACK[number % 5];
        frame->wireBytes += bitmap + GetTrailerBytes(frame->kind, frame->feedback);
        frame->wireBytes = std::max(frame->wireBytes, MIN_WIRE_BYTES);
        frame->ecn = static_cast<Ecn>(number % 4);
        frame->dscp = static_cast<uint8_t>(number % 64);
        frame->hops = 3;
        frame->psn = frame->kind == FrameKind::CNP ? 0 : 2 * number; // no whole messages
        if (frame->kind != FrameKind::NAK)
        {
            frame->syndrome = SYNDROME_ACK;
        }
        if (frame->kind == FrameKind::DATA)
        {
            frame->ackRequest = number % 2 == 1;
            frame->immediate = 0x01000000 + number;
            frame->messageBytes = frame->payloadBytes; // or its MSN
        }
        if (bitmap > 0 || frame->feedback & AckFeedback::TELEMETRY)
        {
            FramePool::Extend(frame);
        }
        if (bitmap > 0)
        {
            FrameExtension& extension = *frame->extension;
            extension.bitmapBytes = bitmap;
            extension.received.set(number % (8 * bitmap));
        }
        frame->id = port->NextFrameId();
        port->GetTransmitter().Enqueue(frame);
    }

    /** @param port a port that sends negative acknowledgments of all kinds */
    void SendNaks(const Ptr<FabricPort>& port)
    {
        for (uint8_t syndrome : {SYNDROME_NAK_SEQUENCE, SYNDROME_NAK_INVALID, SYNDROME_RNR})
        {
            for (uint32_t bitmap : {0u, 4u, 128u})
            {
                Frame nak = MakeRoceFrame(FrameKind::NAK, RoceOpcode::ACKNOWLEDGE);
                nak.syndrome =
                    static_cast<uint8_t>(syndrome == SYNDROME_RNR ? syndrome | 12 : syndrome);
                nak.msn = bitmap + 1;
                SendByHand(port, nak, syndrome == SYNDROME_NAK_SEQUENCE ? bitmap : 0);
            }
        }
    }

    CommandFolder m_folder;                         //!< where the files are
    std::map<std::string, CapturedPort> m_captured; //!< by name of the file
    uint32_t m_sentByHand{0};                       //!< frames
};

} // namespace llmfabric
} // namespace ns3

#endif /* CAPTURE_FIXTURE_H */
