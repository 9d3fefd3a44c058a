/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef POISSON_LOAD_H
#define POISSON_LOAD_H

#include "flow-set.h"
#include "flow-size-distribution.h"
#include "load-spec.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Draws flows that arrive at each sending host as a Poisson process, with sizes of a distribution.
 *
 * @code
 *   LoadSpec spec;
 *   spec.distribution = "web-search";
 *   spec.percent = 60;
 *   spec.duration = MilliSeconds(5);
 *   FlowSet flows;
 *   const auto sizes = FlowSizeDistribution::Create(spec.distribution);
 *   flows.Install(fabric, PoissonLoad(spec, sizes, PoissonLoad::GetRates(fabric)).Draw());
 * @endcode
 *
 * The load counts payload against the line rate, as the traffic generator of HPCC's authors does
 * (Li et al., SIGCOMM 2019): a host of R bit/s is given R percent / 100 / 8 bytes a second, so
 * flows of mean size m come every 800 m / (R percent) seconds in the mean. Headers come on top:
 * with an MTU of 4096 a load of 98 percent fills the line. Each flow goes to another host, all
 * others being equally likely, or to one of those that the pairs name for its sender.
 *
 * Gaps, sizes and destinations of a host come from three random streams of its own, so they depend
 * on seed, run number and the host's number alone, and not on how many other hosts send.
 */
class PoissonLoad
{
  public:
    /// Most flows that are drawn; each takes memory for two ends of a queue pair.
    static constexpr uint64_t MAX_FLOWS = 10000000;

    /**
     * @param spec what to draw
     * @param distribution of the sizes; that of the spec, or another
     * @param rates line rate of each host
     * @throws UserError for what the spec must not have, at `load` and its keys
     */
    PoissonLoad(const LoadSpec& spec,
                const FlowSizeDistribution& distribution,
                const std::vector<DataRate>& rates);

    /**
     * @param spec what to draw
     * @param hosts how many hosts there are
     * @throws UserError for what the spec must not have, at `load` and its keys
     */
    static void Check(const LoadSpec& spec, uint64_t hosts);

    /**
     * @param fabric a network
     * @return line rate of each host's NIC
     */
    static std::vector<DataRate> GetRates(const Fabric& fabric);

    /** @return the flows, by start and then sender; the same at each call */
    std::vector<FlowSpec> Draw() const;

    /**
     * @param flows flows that were drawn
     * @return what the load has become
     */
    LoadSummary Summarize(const std::vector<FlowSpec>& flows) const;

    /**
     * @param host a sending host
     * @return mean time from one of its flows to the next, ticks
     */
    double GetMeanGap(uint32_t host) const;

    /** @return hosts that send, in rising order */
    std::vector<uint32_t> GetSenders() const;

  private:
    /**
     * @param spec whose percent must be in its range, and that must have one end
     */
    static void CheckNumbers(const LoadSpec& spec);
    /**
     * @param spec whose pairs must be of two hosts that there are, each named once
     * @param hosts how many hosts there are
     */
    static void CheckPairs(const LoadSpec& spec, uint64_t hosts);
    /** Refuse more flows than can be drawn, and a clock that does not hold them. */
    void CheckAmount() const;
    /** @return flows that all senders together are given in a tick */
    double GetArrivalRate() const;
    /**
     * @param host a sender
     * @param draw a random number below GetReceiverCount()
     * @return to whom the flow goes
     */
    uint32_t GetReceiver(uint32_t host, uint32_t draw) const;
    /**
     * @param host a sender
     * @return to how many hosts it sends
     */
    uint32_t GetReceiverCount(uint32_t host) const;

    LoadSpec m_spec;                     //!< what to draw
    FlowSizeDistribution m_distribution; //!< of sizes
    std::vector<DataRate> m_rates;       //!< by host
    /// By sender: to whom it sends; empty of all-to-all.
    std::map<uint32_t, std::vector<uint32_t>> m_receivers;
};

} // namespace llmfabric
} // namespace ns3

#endif /* POISSON_LOAD_H */
