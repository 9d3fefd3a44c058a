/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRESS_METER_H
#define PROGRESS_METER_H

#include "ns3/nstime.h"

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{
namespace llmfabric
{

/** How far a run is. */
struct ProgressReport
{
    Time simulated;      //!< simulated time
    uint64_t packets{0}; //!< data packets that NICs have sent
    double part{0};      //!< of the step, or of the flows' bytes: 0 to 1
    double whole{0};     //!< of the whole run: 0 to 1
    std::string what;    //!< what part is of, e.g. "step 1/4"
};

/**
 * @ingroup llm-fabric
 * Prints a progress line: simulated time, percent, packets per second, time left. On a terminal it
 * is overwritten in place, else a new line comes now and then.
 */
class ProgressMeter
{
  public:
    /**
     * @param out where to print
     * @param inPlace overwrite the line
     */
    ProgressMeter(std::ostream& out, bool inPlace);

    /**
     * @param report how far the run is
     * @param last the run has ended: print in any case, and end the line
     */
    void Update(const ProgressReport& report, bool last);

  private:
    using Clock = std::chrono::steady_clock;

    /** @return seconds since the meter was made */
    double Elapsed() const;

    std::ostream& m_out;       //!< where to print
    bool m_inPlace;            //!< overwrite the line
    Clock::time_point m_start; //!< when the run began
    double m_printedAt{0};     //!< elapsed time of the last line, s
    double m_measuredAt{0};    //!< elapsed time of the last rate, s
    uint64_t m_packets{0};     //!< packets at that time
    std::size_t m_width{0};    //!< of the last line
};

} // namespace llmfabric
} // namespace ns3

#endif /* PROGRESS_METER_H */
