/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The attributes and trace sources of RoceNic.

#include "roce-nic.h"
#include "roce-protocol.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(RoceNic);

namespace
{
/** @return the accessor of a trace source that RoceNic inherits */
template <typename S>
Ptr<const TraceSourceAccessor>
Source(S NicTraces::*source)
{
    return MakeTraceSourceAccessor(static_cast<S RoceNic::*>(source));
}
} // namespace

TypeId
RoceNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::RoceNic")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RoceNic>()
            .AddAttribute("Mtu",
                          "Path MTU: payload bytes of a full packet (standard: 256, 512, 1024, "
                          "2048, 4096).",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RoceNic::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, MAX_ROCE_MTU))
            .AddAttribute("InitialPsn",
                          "Sequence number of the first packet that a queue pair sends, 24 bit (0, "
                          "as NCCL).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNic::m_initialPsn),
                          MakeUintegerChecker<uint32_t>(0, MASK_24))
            .AddAttribute(
                "AckInterval",
                "An acknowledgment is asked for each so many packets, and for the last of "
                "a message; 0: as many as the congestion control wants, else 16.",
                UintegerValue(0),
                MakeUintegerAccessor(&RoceNic::m_ackInterval),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("TimeoutExponent",
                          "Retransmission timeout is 4.096 us * 2^n; 0: none (InfiniBand local ACK "
                          "timeout).",
                          UintegerValue(14),
                          MakeUintegerAccessor(&RoceNic::m_timeoutExponent),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RetryCount",
                          "Timeouts and sequence NAKs without progress before a queue pair gives "
                          "up (InfiniBand: at most 7).",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RoceNic::m_retryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("RnrTimer",
                          "Code of the time that a receiver-not-ready NAK asks to wait (12: "
                          "0.64 ms, as NCCL).",
                          UintegerValue(12),
                          MakeUintegerAccessor(&RoceNic::m_rnrTimer),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RnrRetryCount",
                          "Receiver-not-ready NAKs without progress before a queue pair gives up; "
                          "7: never (InfiniBand).",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RoceNic::m_rnrRetryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("MaxReads",
                          "Reads of a queue pair that may be under way (verbs: max_rd_atomic).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RoceNic::m_maxReads),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("LossRecovery",
                          "What new queue pairs do about losses: a subclass of LossRecovery; the "
                          "same at both ends.",
                          StringValue("ns3::llmfabric::GoBackN"),
                          MakeTypeIdAccessor(&RoceNic::m_recoveryType),
                          MakeTypeIdChecker())
            .AddAttribute("Priority",
                          "Priority of data and acknowledgments.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RoceNic::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("CnpPriority",
                          "Priority of congestion notification packets (ConnectX: 6).",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RoceNic::m_cnpPriority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("Dscp",
                          "DSCP of the IP header by priority, priority 0 first (RFC 2474's class "
                          "selectors).",
                          StringValue("0,8,16,24,32,40,48,56"),
                          MakeStringAccessor(&RoceNic::m_dscp),
                          MakeStringChecker())
            .AddAttribute("CnpScope",
                          "Where CnpInterval counts: queue-pair, address (of the sender) or port.",
                          StringValue("queue-pair"),
                          MakeStringAccessor(&RoceNic::m_cnpScope),
                          MakeStringChecker())
            .AddAttribute("CnpDelay",
                          "From a marked packet to its CNP.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&RoceNic::m_cnpDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CnpInterval",
                          "Least time between two CNPs of a scope (DCQCN paper: 50 us).",
                          StringValue("50us"),
                          MakeTimeAccessor(&RoceNic::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TransmitLatency",
                          "From posting a transfer to its first packet.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&RoceNic::m_transmitLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReceiveLatency",
                          "From the last bit of a frame to its processing.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&RoceNic::m_receiveLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DrainRate",
                          "Payload that the host takes out of the receive buffer; 0: line rate, "
                          "nothing is buffered.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RoceNic::m_drainRate),
                          MakeDataRateChecker())
            .AddAttribute("ReceiveBuffer",
                          "Receive buffer of each priority with headroom, bytes; counts if "
                          "DrainRate is set (port buffer of a ConnectX: Mellanox, HowTo Tune "
                          "Receive Buffers on Mellanox Adapter Cards).",
                          UintegerValue(262016),
                          MakeUintegerAccessor(&RoceNic::m_receiveBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("ReceiveXoff",
                          "More bytes of a priority than that in the receive buffer pause it; 0: "
                          "as many as headroom leaves.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNic::m_receiveXoff),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReceiveXon",
                          "At most that many bytes end the pause; 0: two MTUs below ReceiveXoff.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNic::m_receiveXon),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReceivePfc",
                          "The receive buffer sends PFC; else what does not fit is lost.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RoceNic::m_receivePfc),
                          MakeBooleanChecker())
            .AddAttribute("BaseRtt",
                          "Round-trip time of the network without queues, for congestion controls "
                          "that need it; 0: FabricHelper finds it, else unknown.",
                          StringValue("0ns"),
                          MakeTimeAccessor(&RoceNic::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StepEvents",
                          "Timer steps of congestion controls are events of their own while there "
                          "is work; else they are applied when a rate is read. The rates are the "
                          "same.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceNic::m_stepEvents),
                          MakeBooleanChecker())
            .AddAttribute("CongestionControl",
                          "Congestion control of new queue pairs: a subclass of CongestionControl.",
                          StringValue("ns3::llmfabric::Dcqcn"),
                          MakeTypeIdAccessor(&RoceNic::m_controlType),
                          MakeTypeIdChecker())
            .AddTraceSource("MessageSent",
                            "A message is acknowledged, or the queue pair gave up.",
                            Source(&NicTraces::messageSent),
                            "ns3::llmfabric::NicTraces::MessageTracedCallback")
            .AddTraceSource("MessageReceived",
                            "The last packet of a message has come.",
                            Source(&NicTraces::messageReceived),
                            "ns3::llmfabric::NicTraces::MessageTracedCallback")
            .AddTraceSource("Rate",
                            "The rate of a queue pair has changed, bit/s.",
                            Source(&NicTraces::rate),
                            "ns3::llmfabric::NicTraces::StateTracedCallback")
            .AddTraceSource("TargetRate",
                            "The target rate (R_T of DCQCN) of a queue pair has changed, bit/s.",
                            Source(&NicTraces::targetRate),
                            "ns3::llmfabric::NicTraces::StateTracedCallback")
            .AddTraceSource("Alpha",
                            "The estimate of congestion of a queue pair has changed.",
                            Source(&NicTraces::alpha),
                            "ns3::llmfabric::NicTraces::StateTracedCallback")
            .AddTraceSource("Window",
                            "The window of a queue pair has changed, bytes.",
                            Source(&NicTraces::window),
                            "ns3::llmfabric::NicTraces::StateTracedCallback")
            .AddTraceSource("CnpSent",
                            "A congestion notification packet is sent.",
                            Source(&NicTraces::cnpSent),
                            "ns3::llmfabric::NicTraces::CnpTracedCallback")
            .AddTraceSource("CnpReceived",
                            "A congestion notification packet has come.",
                            Source(&NicTraces::cnpReceived),
                            "ns3::llmfabric::NicTraces::CnpTracedCallback")
            .AddTraceSource("Retransmission",
                            "A packet is sent again.",
                            Source(&NicTraces::retransmission),
                            "ns3::llmfabric::NicTraces::RetransmissionTracedCallback")
            .AddTraceSource("Rtt",
                            "A round-trip time was measured, ticks.",
                            Source(&NicTraces::rtt),
                            "ns3::llmfabric::NicTraces::RttTracedCallback")
            .AddTraceSource("BytesInFlight",
                            "What a queue pair has under way has changed, bytes.",
                            Source(&NicTraces::bytesInFlight),
                            "ns3::llmfabric::NicTraces::BytesTracedCallback");
    return tid;
}

} // namespace llmfabric
} // namespace ns3
