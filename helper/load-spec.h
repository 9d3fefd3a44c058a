/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOAD_SPEC_H
#define LOAD_SPEC_H

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Flows that arrive at random: section `load` of a scenario, and what PoissonLoad makes flows of.
 */
struct LoadSpec
{
    /// `distribution`: of the sizes, a preset or a file (FlowSizeDistribution); required
    std::string distribution;
    /// `percent`: payload that a sending host is given, of what its line carries; above 0, up to
    /// 100; required
    double percent{0};
    std::optional<Time> duration;  //!< `duration`: flows arrive for so long
    std::optional<uint64_t> flows; //!< `flows`: so many arrive; either this or duration

    /// `pairs`: hosts that send, and to whom, as a list of {from, to}; empty: all-to-all (default)
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    Time start{0}; //!< `start`: when flows begin to arrive; default 0
};

/** What a load has become. */
struct LoadSummary
{
    LoadSpec spec;           //!< what was asked for
    double meanBytes{0};     //!< of the distribution
    double expectedFlows{0}; //!< in the duration; with `flows` their number
    uint64_t flows{0};       //!< that were drawn
    uint64_t bytes{0};       //!< their payload
    Time span;               //!< the duration; with `flows` from start to the last arrival
    double offered{0}; //!< payload of the span, percent of what the sending hosts' lines carry
};

} // namespace llmfabric
} // namespace ns3

#endif /* LOAD_SPEC_H */
