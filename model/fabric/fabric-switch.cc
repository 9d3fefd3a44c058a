/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-switch.h"

#include "buffer-policy.h"
#include "mark-policy.h"
#include "path-selector.h"
#include "subclass-factory.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::FabricSwitch")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("Buffer",
                          "Packet buffer with headroom, bytes (Trident 3: 32 MB).",
                          UintegerValue(32000000),
                          MakeUintegerAccessor(&FabricSwitch::m_buffer),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Pfc",
                          "Priority flow control; without it the lossless priorities are lossy.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_pfc),
                          MakeBooleanChecker())
            .AddAttribute("Ecn",
                          "Mark ECN-capable frames.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("LosslessPriorities",
                          "Bit i set: priority i is lossless.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&FabricSwitch::m_losslessMask),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "RoceMtu",
                "Largest RoCE payload, bytes; enters headroom and resume threshold. 0: the "
                "largest MTU of the NICs, as FabricHelper finds it, else 4096.",
                UintegerValue(0),
                MakeUintegerAccessor(&FabricSwitch::m_mtu),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("PauseResponse",
                          "What a neighbor still sends after it got a pause, bytes; 0: the most "
                          "that IEEE 802.3 allows at the rate of the link (25216 at 100 Gb/s).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSwitch::m_pauseResponse),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PauseQuanta",
                          "Time of a pause, quanta of 512 bit times; renewed at half of it, which "
                          "has to be longer than a PFC frame.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&FabricSwitch::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(8))
            .AddAttribute("Latency",
                          "Time from the last bit in to the egress queue.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&FabricSwitch::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PathSelector",
                          "Chooses among equally short paths: a subclass of PathSelector.",
                          StringValue("ns3::llmfabric::EcmpSelector"),
                          MakeTypeIdAccessor(&FabricSwitch::m_selectorType),
                          MakeTypeIdChecker())
            .AddAttribute("BufferPolicy",
                          "Shares the buffer: a subclass of BufferPolicy.",
                          StringValue("ns3::llmfabric::DynamicThreshold"),
                          MakeTypeIdAccessor(&FabricSwitch::m_bufferPolicyType),
                          MakeTypeIdChecker())
            .AddAttribute("MarkPolicy",
                          "Marks frames: a subclass of MarkPolicy.",
                          StringValue("ns3::llmfabric::RedMarkPolicy"),
                          MakeTypeIdAccessor(&FabricSwitch::m_markPolicyType),
                          MakeTypeIdChecker());
    return tid;
}

FabricSwitch::FabricSwitch() = default;

FabricSwitch::~FabricSwitch() = default;

uint64_t
FabricSwitch::StandardPauseResponse(uint64_t bitsPerSecond)
{
    constexpr uint64_t G = 1000000000;
    static constexpr std::pair<uint64_t, uint64_t> QUANTA[] = {{10 * G, 67},
                                                               {25 * G, 80},
                                                               {40 * G, 118},
                                                               {50 * G, 147},
                                                               {100 * G, 394},
                                                               {200 * G, 453},
                                                               {400 * G, 905}};
    uint64_t quanta = 905;
    for (const auto& row : QUANTA)
    {
        if (bitsPerSecond <= row.first)
        {
            quanta = row.second;
            break;
        }
    }
    return quanta * PAUSE_QUANTUM_BITS / 8;
}

uint64_t
FabricSwitch::HeadroomOf(const FabricPort& port, Time latency, uint32_t mtu, uint64_t pauseResponse)
{
    const uint64_t rate = port.GetDataRate().GetBitRate();
    const Time inFlight = port.GetLink()->GetDelay() * 2 + latency;
    const double cable = inFlight.GetSeconds() * static_cast<double>(rate) / 8;
    const uint64_t response = pauseResponse ? pauseResponse : StandardPauseResponse(rate);
    return static_cast<uint64_t>(std::ceil(cable)) + 2 * (uint64_t{mtu} + DATA_OVERHEAD_BYTES) +
           PFC_WIRE_BYTES + response;
}

std::vector<Ptr<FabricPort>>
FabricSwitch::CollectPorts()
{
    Ptr<Node> node = GetObject<Node>();
    NS_ABORT_MSG_UNLESS(node, "a FabricSwitch has to be aggregated to a Node");
    std::vector<Ptr<FabricPort>> ports;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        Ptr<FabricPort> port = DynamicCast<FabricPort>(node->GetDevice(i));
        if (port && port->GetLink())
        {
            ports.push_back(port);
        }
    }
    std::sort(ports.begin(), ports.end(), [](const auto& a, const auto& b) {
        return a->GetPortIndex() < b->GetPortIndex();
    });
    return ports;
}

void
FabricSwitch::Prepare()
{
    if (m_prepared)
    {
        return;
    }
    m_prepared = true;
    m_ports = CollectPorts();
    for (std::size_t slot = 0; slot < m_ports.size(); ++slot)
    {
        m_ports[slot]->SetSwitchSlot(static_cast<uint16_t>(slot));
    }
}

void
FabricSwitch::DivideBuffer()
{
    Prepare();
    const uint64_t classes = m_pfc ? __builtin_popcount(m_losslessMask) : 0;
    m_totalHeadroom = 0;
    for (const Ptr<FabricPort>& port : m_ports)
    {
        m_totalHeadroom += classes * HeadroomOf(*port);
    }
    if (m_totalHeadroom >= m_buffer)
    {
        throw UserError("the headroom of " + std::to_string(m_ports.size()) + " ports is " +
                            std::to_string(m_totalHeadroom) +
                            " B in sum, which does not fit the buffer of " +
                            std::to_string(m_buffer) + " B",
                        "switch " + std::to_string(GetObject<Node>()->GetId()),
                        "enlarge switch.buffer, or lower the delay, the MTU or PauseResponse");
    }
    m_capacity = m_buffer - m_totalHeadroom;
}

void
FabricSwitch::SetRoutes(const std::map<uint32_t, std::vector<Ptr<FabricPort>>>& routes)
{
    Prepare();
    std::map<uint32_t, std::vector<uint16_t>> slots;
    for (const auto& route : routes)
    {
        for (const Ptr<FabricPort>& port : route.second)
        {
            slots[route.first].push_back(port->GetSwitchSlot());
        }
    }
    m_routes.Set(slots);
}

void
FabricSwitch::DoInitialize()
{
    Object::DoInitialize();
    DivideBuffer();
    if (m_ports.empty())
    {
        return; // no link, no frames
    }
    m_engine = FabricEngine::Get();
    const uint32_t fabricId = m_ports.front()->GetFabricId();
    m_selector = CreateSubclass<PathSelector>(m_selectorType);
    m_selector->Start(fabricId);
    m_bufferPolicy = CreateSubclass<BufferPolicy>(m_bufferPolicyType);
    if (m_ecn)
    {
        m_markPolicy = CreateSubclass<MarkPolicy>(m_markPolicyType);
        // Far from the numbers that scripts choose, and the same however the network is made.
        constexpr int64_t perSwitch = 16;
        const int64_t stream = (int64_t{1} << 40) + perSwitch * fabricId;
        const int64_t taken = m_markPolicy->AssignStreams(stream);
        NS_ABORT_MSG_IF(taken > perSwitch, "a MarkPolicy takes at most 16 random streams");
    }
    m_pipeline.Start(*m_engine,
                     this,
                     m_latency.GetTimeStep(),
                     {fabricId, 0, FabricEventKind::PIPELINE, 0});
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->Prepare();
        port->SetReceiver(this);
        port->GetTransmitter().SetObserver(this);
    }
    StartAccounts();
}

void
FabricSwitch::StartAccounts()
{
    m_accounts.resize(m_ports.size() * PRIORITIES);
    const uint64_t resumeGap = 2 * GetRoceMtu();
    for (std::size_t slot = 0; m_pfc && slot < m_ports.size(); ++slot)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            if (m_losslessMask >> priority & 1)
            {
                auto account = std::make_unique<IngressAccount>();
                account->Start(*m_engine,
                               PeekPointer(m_ports[slot]),
                               priority,
                               HeadroomOf(*m_ports[slot]),
                               m_pauseQuanta,
                               resumeGap);
                m_accounts[slot * PRIORITIES + priority] = std::move(account);
            }
        }
    }
}

void
FabricSwitch::DoDispose()
{
    m_ports.clear();
    m_selector = nullptr;
    m_bufferPolicy = nullptr;
    m_markPolicy = nullptr;
    Object::DoDispose();
}

void
FabricSwitch::ReceiveFrame(Frame* frame, FabricPort& port)
{
    frame->ingress = port.GetSwitchSlot();
    if (m_pipeline.IsBypassed())
    {
        Forward(frame);
    }
    else
    {
        m_pipeline.Enter(frame);
    }
}

void
FabricSwitch::Forward(Frame* frame)
{
    frame->hops += frame->kind == FrameKind::DATA ? 1 : 0; // an answer brings those of its packet
    const PortGroup group = m_routes.Find(frame->destination);
    if (group.count == 0)
    {
        m_ports[frame->ingress]->Drop(frame, DropReason::NO_ROUTE);
        return;
    }
    const uint16_t slot = group.count == 1 ? group.ports[0] : m_selector->Select(*frame, group);
    FabricPort* egress = PeekPointer(m_ports[slot]);
    const DropReason reason = Admit(*frame, *egress);
    if (reason != DropReason::NONE)
    {
        egress->Drop(frame, reason);
        return;
    }
    egress->GetTransmitter().Enqueue(frame);
}

DropReason
FabricSwitch::Admit(const Frame& frame, const FabricPort& egress)
{
    const uint64_t bytes = frame.BufferBytes();
    const uint64_t free = m_capacity - m_used;
    if (IngressAccount* account = AccountOf(frame))
    {
        const uint64_t limit = m_bufferPolicy->GetIngressLimit(free);
        uint64_t shared = 0;
        if (!account->Add(bytes, limit, bytes <= free, shared))
        {
            return DropReason::HEADROOM_OVERFLOW;
        }
        m_used += shared;
        return DropReason::NONE;
    }
    if (bytes > free)
    {
        return DropReason::BUFFER_FULL;
    }
    const uint64_t queued = egress.GetTransmitter().GetQueue().GetBytes(frame.priority);
    if (queued + bytes > m_bufferPolicy->GetEgressLimit(free))
    {
        return DropReason::EGRESS_THRESHOLD;
    }
    m_used += bytes;
    return DropReason::NONE;
}

void
FabricSwitch::OnDequeue(Frame& frame, uint64_t queueBytes)
{
    IngressAccount* account = AccountOf(frame);
    if (!account)
    {
        m_used -= frame.BufferBytes();
    }
    else
    {
        m_used -= account->Remove(frame.BufferBytes());
        if (account->IsPaused())
        {
            account->Relieve(m_bufferPolicy->GetIngressLimit(m_capacity - m_used));
        }
    }
    const bool ecnCapable = frame.ecn == Ecn::ECT0 || frame.ecn == Ecn::ECT1;
    if (ecnCapable && m_markPolicy && m_markPolicy->ShouldMark(queueBytes))
    {
        frame.ecn = Ecn::CE;
        ++m_marked;
    }
}

uint64_t
FabricSwitch::GetPausesSent() const
{
    uint64_t sum = 0;
    for (const auto& account : m_accounts)
    {
        sum += account ? account->GetPauses() : 0;
    }
    return sum;
}

uint64_t
FabricSwitch::GetResumesSent() const
{
    uint64_t sum = 0;
    for (const auto& account : m_accounts)
    {
        sum += account ? account->GetResumes() : 0;
    }
    return sum;
}

} // namespace llmfabric
} // namespace ns3
