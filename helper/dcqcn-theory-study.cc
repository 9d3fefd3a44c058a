/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dcqcn-theory-study.h"

#include "explain-table.h"
#include "scenario-reader.h"
#include "scenario-runner.h"

#include "ns3/cc-dcqcn.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-protocol.h"
#include "ns3/simulator.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Bytes of a packet on the wire.
constexpr uint32_t WIRE_BYTES = DcqcnTheoryStudy::PACKET_BYTES + DATA_OVERHEAD_BYTES;
/// Bytes of a packet in a buffer.
constexpr uint32_t BUFFER_BYTES = WIRE_BYTES - WIRE_GAP_BYTES;
/// Bits of payload in a packet.
constexpr double PACKET_BITS = 8.0 * DcqcnTheoryStudy::PACKET_BYTES;
/// Wire bytes by payload bytes.
constexpr double WIRE_FACTOR = double{WIRE_BYTES} / DcqcnTheoryStudy::PACKET_BYTES;
/// Delay of each of the three links between a mark and the cut, s.
constexpr double LINK_SECONDS = 100e-9;

/**
 * @param value a number
 * @return it as text, with all digits that matter
 */
std::string
ToText(double value)
{
    std::ostringstream text;
    text.precision(15);
    text << value;
    return text.str();
}

/**
 * @param sender a queue pair
 * @return its DCQCN
 * @throws UserError if an override has put something else in its place
 */
Ptr<Dcqcn>
DcqcnOf(const QueuePair& sender)
{
    const Ptr<Dcqcn> control = DynamicCast<Dcqcn>(sender.GetCongestionControl());
    if (!control)
    {
        throw UserError("this study is of DCQCN, and needs its alpha",
                        "nic.congestion_control",
                        "leave it out, or name Dcqcn or a preset of it");
    }
    return control;
}

/** @return alpha of a sender */
double
AlphaOf(const QueuePair& sender)
{
    return DcqcnOf(sender)->GetAlpha(Simulator::Now().GetTimeStep());
}

/** @return time between two samples of alpha, of which DCQCN's timers are no multiples */
Time
GetAlphaPeriod()
{
    return MicroSeconds(13);
}

} // namespace

std::string
DcqcnTheoryCase::GetName() const
{
    return ToText(gbps) + "G N=" + std::to_string(flows);
}

DcqcnTheoryStudy::DcqcnTheoryStudy(const DcqcnTheoryCase& one)
    : m_case(one)
{
}

DcqcnFixedPoint
DcqcnTheoryStudy::GetFixedPoint() const
{
    DcqcnParameters parameters;
    parameters.flows = m_case.flows;
    parameters.capacity = m_case.gbps * 1e9 / PACKET_BITS;
    return DcqcnFixedPoint(parameters);
}

std::string
DcqcnTheoryStudy::MakeText() const
{
    const DcqcnParameters model;
    const double rate = m_case.gbps * 1e9 * WIRE_FACTOR;
    const double inFlight = (WIRE_BYTES + 2 * CNP_WIRE_BYTES) * 8 / rate + 3 * LINK_SECONDS;
    const double generation = std::max(0.0, m_case.delay.GetSeconds() - inFlight);
    // More than a flow can send, so that it has no end.
    const Time end = m_case.warmup + m_case.measured;
    const double bytes = m_case.gbps * 1e9 / 8 * end.GetSeconds() * 1.01;
    std::ostringstream text;
    text.precision(15);
    text << "cluster:\n"
         << "  nodes: " << m_case.flows + 1 << "\n  rate: " << rate / 1e9
         << "Gbps\n  delay: " << LINK_SECONDS * 1e9 << "ns\n"
         << "nic: {mtu: " << PACKET_BYTES << ", congestion_control: Dcqcn, ack_interval: 64}\n"
         << "switch:\n  ecn: {kmin: " << model.kmin * BUFFER_BYTES
         << ", kmax: " << model.kmax * BUFFER_BYTES << ", pmax: " << model.pmax << "}\n"
         << "run: {run_number: " << m_case.run << "}\n"
         << "attributes:\n"
         << "  ns3::llmfabric::Dcqcn::AdditiveIncrease: "
         << model.additive * PACKET_BITS * WIRE_FACTOR / 1e6 << "Mbps\n"
         << "  ns3::llmfabric::RoceNic::CnpDelay: " << std::llround(generation * 1e12) << "ps\n"
         << "flows:\n";
    if (m_case.opening)
    {
        text << "  - {from: 1, to: " << m_case.flows << ", bytes: 1MB, start: 0us}\n";
    }
    for (uint32_t flow = 0; flow < m_case.flows; ++flow)
    {
        text << "  - {from: " << flow << ", to: " << m_case.flows
             << ", bytes: " << std::llround(bytes)
             << ", start: " << (m_case.gap * flow).GetMicroSeconds() << "us}\n";
    }
    return text.str();
}

Scenario
DcqcnTheoryStudy::MakeScenario(const std::vector<std::string>& overrides) const
{
    return ScenarioReader::ReadText(MakeText(), "dcqcn-theory", overrides);
}

DcqcnTheoryResult
DcqcnTheoryStudy::Run(const std::vector<std::string>& overrides)
{
    m_result = DcqcnTheoryResult();
    ScenarioRunner runner(MakeScenario(overrides));
    runner.Setup();
    const Fabric& fabric = runner.GetFabric();
    for (uint32_t flow = 0; flow < m_case.flows; ++flow)
    {
        const Ptr<QueuePair> sender = fabric.nics[flow]->GetQueuePairs().back();
        DcqcnOf(*sender); // a mistake shows before anything runs
        const uint32_t number = sender->GetConfig().peerNumber - FIRST_QUEUE_PAIR;
        m_senders.push_back(sender);
        m_receivers.push_back(fabric.nics[m_case.flows]->GetQueuePairs().at(number));
    }
    m_received.assign(m_case.flows, 0);
    m_bottleneck = fabric.nics[m_case.flows]->GetPort()->GetPeer();
    const Time end = m_case.warmup + m_case.measured;
    m_meter.Watch(m_bottleneck, m_case.warmup, end);
    Simulator::Schedule(m_case.warmup, &DcqcnTheoryStudy::SampleAlpha, this);
    Simulator::Schedule(GetWindow(), &DcqcnTheoryStudy::EndWindow, this);
    if (!m_case.sample.IsZero())
    {
        Simulator::Schedule(m_case.sample, &DcqcnTheoryStudy::SampleSeries, this);
    }
    Simulator::Stop(end + TimeStep(1)); // the last window ends before
    runner.Run();
    DcqcnTheoryResult result = Collect();
    m_senders.clear();
    m_receivers.clear();
    m_bottleneck = nullptr;
    Simulator::Destroy();
    return result;
}

void
DcqcnTheoryStudy::SampleAlpha()
{
    for (const Ptr<QueuePair>& sender : m_senders)
    {
        m_alphaSum += AlphaOf(*sender);
        ++m_alphaCount;
    }
    Simulator::Schedule(GetAlphaPeriod(), &DcqcnTheoryStudy::SampleAlpha, this);
}

void
DcqcnTheoryStudy::SampleSeries()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    DcqcnTheoryResult::Sample sample;
    sample.seconds = Simulator::Now().GetSeconds();
    const uint8_t priority = m_senders.front()->GetConfig().priority;
    const uint64_t bytes = m_bottleneck->GetTransmitter().GetQueue().GetBytes(priority);
    sample.queue = static_cast<double>(bytes) / BUFFER_BYTES;
    for (const Ptr<QueuePair>& sender : m_senders)
    {
        const double rate = sender->GetCongestionControl()->GetRate(now);
        sample.rates.push_back(rate / WIRE_FACTOR / 1e9);
        sample.alphas.push_back(AlphaOf(*sender));
    }
    m_result.series.push_back(sample);
    Simulator::Schedule(m_case.sample, &DcqcnTheoryStudy::SampleSeries, this);
}

void
DcqcnTheoryStudy::EndWindow()
{
    std::vector<uint64_t> shares;
    for (std::size_t flow = 0; flow < m_receivers.size(); ++flow)
    {
        const uint64_t all = m_receivers[flow]->GetResponder().GetReceivedBytes();
        shares.push_back(all - m_received[flow]);
        m_received[flow] = all;
    }
    m_result.windows.push_back(shares);
    Simulator::Schedule(GetWindow(), &DcqcnTheoryStudy::EndWindow, this);
}

double
DcqcnTheoryStudy::GetJain(const std::vector<uint64_t>& shares)
{
    double sum = 0;
    double squares = 0;
    for (uint64_t share : shares)
    {
        const auto x = static_cast<double>(share);
        sum += x;
        squares += x * x;
    }
    return squares > 0 ? sum * sum / (squares * static_cast<double>(shares.size())) : 1;
}

Time
DcqcnTheoryStudy::GetFairTime(const DcqcnTheoryResult& result, Time from, double share)
{
    for (int64_t i = from.GetTimeStep() / GetWindow().GetTimeStep();
         i < static_cast<int64_t>(result.windows.size());
         ++i)
    {
        const std::vector<uint64_t>& window = result.windows[static_cast<std::size_t>(i)];
        const double sum = std::accumulate(window.begin(), window.end(), 0.0);
        const double least = static_cast<double>(*std::min_element(window.begin(), window.end()));
        if (least * static_cast<double>(window.size()) >= share * sum)
        {
            return GetWindow() * (i + 1);
        }
    }
    return Time(0);
}

DcqcnTheoryResult
DcqcnTheoryStudy::Collect()
{
    m_meter.Finish();
    DcqcnTheoryResult& result = m_result;
    result.utilization = m_meter.GetUtilization();
    result.queue = m_meter.GetMeanBytes() / BUFFER_BYTES;
    result.peak = static_cast<double>(m_meter.GetPeakBytes()) / BUFFER_BYTES;
    result.probability =
        static_cast<double>(m_meter.GetMarked()) / static_cast<double>(m_meter.GetPackets());
    result.alpha = m_alphaSum / static_cast<double>(m_alphaCount);
    const auto warm =
        static_cast<std::size_t>(m_case.warmup.GetTimeStep() / GetWindow().GetTimeStep());
    double sum = 0;
    result.leastJain = 1;
    for (std::size_t i = warm; i < result.windows.size(); ++i)
    {
        const double jain = GetJain(result.windows[i]);
        sum += jain;
        result.leastJain = std::min(result.leastJain, jain);
    }
    result.jain = sum / static_cast<double>(result.windows.size() - warm);
    return result;
}

} // namespace llmfabric
} // namespace ns3
