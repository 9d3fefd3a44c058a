/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-cost-model.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param time a time
 * @return the same in ticks
 */
double
ToTicks(const Time& time)
{
    return static_cast<double>(time.GetTimeStep());
}

/**
 * @param bytes bytes
 * @param rate bytes per second; 0: no limit
 * @return what they take, ticks
 */
double
GetTicks(double bytes, double rate)
{
    return rate > 0 ? bytes / rate * ToTicks(Seconds(1)) : 0;
}

/**
 * @param bytes payload bytes; formulas may give parts of bytes
 * @param protocol a protocol
 * @return what is sent for them, bytes
 */
double
GetSent(double bytes, CollectiveProtocol protocol)
{
    const auto whole = static_cast<uint64_t>(std::ceil(bytes));
    return static_cast<double>(ProtocolProfile::Get(protocol).GetSentBytes(whole));
}

} // namespace

CollectiveCostModel::CollectiveCostModel(const LinkCost& near,
                                         const LinkCost& far,
                                         const CollectiveConfig& config)
    : m_near(near),
      m_far(far),
      m_config(config)
{
    for (const LinkCost& link : {near, far})
    {
        NS_ABORT_MSG_IF(link.latency.IsStrictlyNegative() || link.bandwidth < 0,
                        "CollectiveCostModel: negative cost of a link");
    }
}

std::string
CollectiveCostModel::FindObstacle(const CollectiveAlgorithm& algorithm,
                                  const CollectiveLayout& layout,
                                  CollectiveProtocol protocol)
{
    const bool hasLines =
        protocol == CollectiveProtocol::LL || protocol == CollectiveProtocol::LL128;
    if (hasLines && algorithm.GetLatencyRow() == LatencyRow::PAT)
    {
        return "it is not done with protocol " + GetName(protocol);
    }
    return algorithm.GetObstacle(layout);
}

std::optional<Time>
CollectiveCostModel::GetTime(const CollectiveAlgorithm& algorithm,
                             const CollectiveTask& task,
                             CollectiveProtocol protocol) const
{
    if (!FindObstacle(algorithm, *task.layout, protocol).empty())
    {
        return {};
    }
    const std::optional<CollectiveCost> cost = algorithm.GetCost(task);
    if (!cost)
    {
        return {};
    }
    const bool hasBytes = task.payload > 0 || task.bytes || algorithm.GetOp() == "barrier";
    if (cost->empty() || !hasBytes || task.GetRanks() == 1)
    {
        return Time(0);
    }
    const LatencyRow row = algorithm.GetLatencyRow();
    double ticks = ToTicks(ProtocolProfile::Get(protocol).GetBaseLatency(row)) + GetGrant(*cost);
    for (const CostPhase& phase : *cost)
    {
        ticks += phase.rounds * GetRound(phase, {task, protocol, row});
    }
    constexpr double LONGEST = 9e18; // what Time can hold
    return TimeStep(static_cast<uint64_t>(std::llround(std::min(ticks, LONGEST))));
}

double
CollectiveCostModel::GetRound(const CostPhase& phase, const Means& means) const
{
    const LinkCost& link = phase.far ? m_far : m_near;
    const CollectiveTask& task = means.task;
    const Time step = m_config.GetStepLatency(means.row, phase.far, *task.layout, means.protocol);
    double message = ToTicks(link.latency) + ToTicks(step) +
                     GetTicks(GetSent(phase.slice, means.protocol), link.bandwidth);
    double additions = 0; // of all that a GPU receives in the round
    if (phase.reduces)
    {
        message += GetReduction(phase, task.cut, *task.layout);
        additions = GetTicks(std::max(phase.nearBytes, phase.farBytes),
                             GetReductionRate(task.cut) * task.cut.channels);
    }
    return std::max({message,
                     additions,
                     GetTicks(GetSent(phase.nearBytes, means.protocol), m_near.bandwidth),
                     GetTicks(GetSent(phase.farBytes, means.protocol), m_far.bandwidth)});
}

double
CollectiveCostModel::GetReduction(const CostPhase& phase,
                                  const CollectiveCut& cut,
                                  const CollectiveLayout& layout) const
{
    // All channels share the links of a GPU, but only some of them a NIC.
    const uint32_t nics = phase.far ? std::min(cut.channels, layout.GetRails()) : 1;
    const double sharers = std::ceil(static_cast<double>(cut.channels) / nics);
    return GetTicks(phase.slice / sharers, GetReductionRate(cut));
}

double
CollectiveCostModel::GetReductionRate(const CollectiveCut& cut) const
{
    const double most = m_config.memoryBandwidth / cut.channels;
    const double rate = m_config.reductionRate;
    return most > 0 && (rate == 0 || most < rate) ? most : rate;
}

double
CollectiveCostModel::GetGrant(const CollectiveCost& cost) const
{
    const bool goesFar = std::any_of(cost.begin(), cost.end(), [](const CostPhase& phase) {
        return phase.far && phase.rounds > 0;
    });
    return m_config.slots > 0 ? ToTicks(goesFar ? m_far.latency : m_near.latency) : 0;
}

} // namespace llmfabric
} // namespace ns3
