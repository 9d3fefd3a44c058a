/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dcqcn-fixed-point.h"

#include <cmath>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param p probability of an event at each of many tries
 * @param tries how many
 * @return 1 - (1-p)^tries, exact for small p too
 */
double
AtLeastOnce(double p, double tries)
{
    return -std::expm1(tries * std::log1p(-p));
}

/**
 * @param p mark probability
 * @param packets packets of a stage
 * @return stages per packet: p / ((1-p)^(-packets) - 1)
 */
double
StagesPerPacket(double p, double packets)
{
    return p / std::expm1(-packets * std::log1p(-p));
}

} // namespace

DcqcnFixedPoint::DcqcnFixedPoint(const DcqcnParameters& parameters)
    : m_parameters(parameters),
      m_rate(parameters.capacity / parameters.flows)
{
    double low = 1e-12;
    double high = 0.5;
    constexpr int halvings = 100; // of the ratio: far below the resolution of a double
    for (int i = 0; i < halvings; ++i)
    {
        m_probability = std::sqrt(low * high);
        (GetExcess(m_probability) < 0 ? low : high) = m_probability;
    }
}

double
DcqcnFixedPoint::GetExcess(double p) const
{
    const DcqcnParameters& in = m_parameters;
    const double timerPackets = in.timer * m_rate;
    const double a = AtLeastOnce(p, in.cnpInterval * m_rate);
    const double alpha = AtLeastOnce(p, in.alphaTimer * m_rate);
    const double b = StagesPerPacket(p, in.byteCounter);
    const double d = StagesPerPacket(p, timerPackets);
    const double c = b * std::pow(1 - p, in.fastStages * in.byteCounter);
    const double e = d * std::pow(1 - p, in.fastStages * timerPackets);
    return alpha * a * a / (in.cnpInterval * in.cnpInterval) -
           in.additive * m_rate * (b + d) * (c + e);
}

double
DcqcnFixedPoint::GetAlpha() const
{
    return AtLeastOnce(m_probability, m_parameters.alphaTimer * m_rate);
}

std::optional<double>
DcqcnFixedPoint::GetQueue() const
{
    const DcqcnParameters& in = m_parameters;
    if (m_probability > in.pmax)
    {
        return std::nullopt;
    }
    return in.kmin + m_probability / in.pmax * (in.kmax - in.kmin);
}

double
DcqcnFixedPoint::GetApproximation() const
{
    const DcqcnParameters& in = m_parameters;
    const double stages = 1 / in.byteCounter + in.flows / (in.timer * in.capacity);
    return std::cbrt(in.additive / (in.alphaTimer * m_rate * m_rate) * stages * stages);
}

} // namespace llmfabric
} // namespace ns3
