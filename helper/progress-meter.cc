/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "progress-meter.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

ProgressMeter::ProgressMeter(std::ostream& out, bool inPlace)
    : m_out(out),
      m_inPlace(inPlace),
      m_start(Clock::now())
{
}

double
ProgressMeter::Elapsed() const
{
    return std::chrono::duration<double>(Clock::now() - m_start).count();
}

void
ProgressMeter::Update(const ProgressReport& report, bool last)
{
    const double elapsed = Elapsed();
    const double interval = m_inPlace ? 0.2 : 2.0;
    if (!last && elapsed - m_printedAt < interval)
    {
        return;
    }
    m_printedAt = elapsed;
    const double since = last ? elapsed : elapsed - m_measuredAt;
    const uint64_t packets = last ? report.packets : report.packets - m_packets;
    m_measuredAt = elapsed;
    m_packets = report.packets;

    std::ostringstream line;
    line << "simulated " << std::fixed << std::setprecision(3)
         << static_cast<double>(report.simulated.GetPicoSeconds()) / 1e9 << " ms, " << report.what
         << " " << std::setprecision(1) << 100 * report.part << " %, " << std::setprecision(2)
         << (since > 0 ? static_cast<double>(packets) / since / 1e6 : 0.0) << " M packets/s";
    if (report.whole > 0 && !last)
    {
        line << ", " << std::setprecision(0) << elapsed * (1 - report.whole) / report.whole
             << " s left";
    }
    std::string text = line.str();
    const std::size_t width = text.size();
    text.append(std::max(m_width, width) - width, ' ');
    m_width = width;
    m_out << (m_inPlace ? "\r" : "") << text << (m_inPlace && !last ? "" : "\n") << std::flush;
}

} // namespace llmfabric
} // namespace ns3
