/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCQCN_THEORY_STUDY_H
#define DCQCN_THEORY_STUDY_H

#include "dcqcn-fixed-point.h"
#include "port-queue-meter.h"
#include "scenario-spec.h"

#include "ns3/fabric-port.h"
#include "ns3/nstime.h"
#include "ns3/queue-pair.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** N endless flows of DCQCN through one link. */
struct DcqcnTheoryCase
{
    double gbps{40};                   //!< C, 10^9 payload bits/s
    uint32_t flows{2};                 //!< N
    Time delay{MicroSeconds(4)};       //!< from a mark at the switch to the cut at the sender
    Time warmup{MilliSeconds(500)};    //!< before anything is measured
    Time measured{MilliSeconds(1500)}; //!< how long is measured
    Time gap{0};                       //!< from the start of a flow to that of the next
    uint64_t run{1};                   //!< run number: chooses the coins of the switch
    Time sample{0};                    //!< time between two rows of the series; 0: no series
    /// A short flow crosses flow 0 at its start. It teaches flow 0 a small alpha by the time that
    /// flow 1 joins; without it flow 0 has never got a CNP, and its alpha is 1.
    bool opening{false};

    /** @return the name of link and flows, e.g. "40G N=2" */
    std::string GetName() const;
};

/** What was measured; queues in packets of 1000 B of payload. */
struct DcqcnTheoryResult
{
    /** The system at one time. */
    struct Sample
    {
        double seconds;             //!< when
        double queue;               //!< waiting, packets
        std::vector<double> rates;  //!< R_C by flow, 10^9 payload bits/s
        std::vector<double> alphas; //!< alpha by flow
    };

    double queue{0};       //!< mean queue, without the packet on the wire: what the switch marks by
    double peak{0};        //!< largest queue
    double probability{0}; //!< marked packets by packets
    double alpha{0};       //!< mean over time and flows
    double utilization{0}; //!< of the link
    double jain{0};        //!< fairness of the flows' bytes in a window, mean of all windows
    double leastJain{0};   //!< that of the worst window
    /// Payload of each flow in each window, by window and flow, bytes; from the start on.
    std::vector<std::vector<uint64_t>> windows;
    std::vector<Sample> series; //!< one row for each sampling time, from the start on
};

/**
 * @ingroup llm-fabric
 * Simulates N endless flows of DCQCN with the paper's parameters from N hosts to one over a switch,
 * to be held against the fluid model (DcqcnFixedPoint).
 *
 * The model counts packets of 1000 B and knows no headers. Here a packet has 1000 B of payload, is
 * 1082 B long on the wire and 1062 B in a buffer; so that each number of the model stands for the
 * same number of packets, the link is 1.082 times as fast, R_AI 1.082 times as large, and the
 * thresholds are counted in packets of 1062 B.
 */
class DcqcnTheoryStudy
{
  public:
    /// Payload of a packet, bytes.
    static constexpr uint32_t PACKET_BYTES = 1000;

    /** @param one what is simulated */
    explicit DcqcnTheoryStudy(const DcqcnTheoryCase& one);

    /** @return the fixed point of the fluid model for this case */
    DcqcnFixedPoint GetFixedPoint() const;

    /**
     * @param overrides path=value each, see ScenarioOverride
     * @return the scenario that is run
     */
    Scenario MakeScenario(const std::vector<std::string>& overrides = {}) const;

    /**
     * Simulate; ends with Simulator::Destroy(). Set the time resolution before.
     *
     * @param overrides path=value each, see ScenarioOverride
     * @return what was measured
     * @throws UserError for a mistake in the overrides, or if they choose another congestion
     *         control than DCQCN
     */
    DcqcnTheoryResult Run(const std::vector<std::string>& overrides = {});

    /// Length of the windows of fairness.
    static Time GetWindow()
    {
        return MilliSeconds(10);
    }

    /**
     * Jain's fairness index, (sum x)^2 / (n sum x^2) (Jain, Chiu, Hawe, DEC-TR-301, 1984).
     *
     * @param shares what each gets
     * @return 1 if all get the same, 1/n if one gets all
     */
    static double GetJain(const std::vector<uint64_t>& shares);

    /**
     * @param result what was measured
     * @param from a time
     * @param share a share of the even part, e.g. 0.9
     * @return end of the first window, from that time on, in which no flow got less than that share
     *         of the even part; 0 if there is none
     */
    static Time GetFairTime(const DcqcnTheoryResult& result, Time from, double share);

  private:
    /** @return the scenario as YAML */
    std::string MakeText() const;
    /** Add the states of alpha to their mean. */
    void SampleAlpha();
    /** Add a row to the series. */
    void SampleSeries();
    /** End a window of fairness. */
    void EndWindow();
    /**
     * Take what was measured.
     *
     * @return it
     */
    DcqcnTheoryResult Collect();

    DcqcnTheoryCase m_case;                  //!< what is simulated
    PortQueueMeter m_meter;                  //!< of the bottleneck
    Ptr<FabricPort> m_bottleneck;            //!< the port to the receiver
    std::vector<Ptr<QueuePair>> m_senders;   //!< by flow
    std::vector<Ptr<QueuePair>> m_receivers; //!< by flow
    std::vector<uint64_t> m_received;        //!< by flow, at the end of the last window, bytes
    double m_alphaSum{0};                    //!< sum of the samples of alpha
    uint64_t m_alphaCount{0};                //!< how many
    DcqcnTheoryResult m_result;              //!< what was measured
};

} // namespace llmfabric
} // namespace ns3

#endif /* DCQCN_THEORY_STUDY_H */
