/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAN_COSTS_H
#define PLAN_COSTS_H

#include "cluster-costs.h"
#include "scenario-spec.h"

#include "ns3/collective-tuner.h"
#include "ns3/plan-traffic.h"
#include "ns3/rank-communicator.h"
#include "ns3/step-timeline.h"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What communication costs on the cluster of a scenario, by formula and without contention, and
 * which way it takes. Rank i is on GPU i; GPU numbers run node by node.
 *
 * A message of M bytes takes M / R + latency. Over NVLink R is its rate and the latency its delay;
 * between nodes R is the rate of a link times MTU / (MTU + 82 bytes of headers), divided by the
 * GPUs of a node that send at the same time if they are more than its NICs, the latency the delay
 * of the longest way. A ring of n takes 2 (n - 1) steps of M / n for an AllReduce and n - 1 for an
 * AllGather or ReduceScatter, at the cost of its slowest hop; a direct All-to-All as long as the
 * member that sends or receives the most, over NVLink or over its NIC. Other algorithms take what
 * the CollectiveCostModel says.
 */
class PlanCosts
{
  public:
    /**
     * @param scenario the cluster; must outlive this
     * @param job its job; must outlive this
     * @throws UserError for a mistake in the section `collective`
     */
    PlanCosts(const Scenario& scenario, const TrainingJob& job);

    /**
     * @return the costs; valid as long as this
     */
    TimelineCosts GetCosts() const;

    /**
     * @param row ops of the job, no messages
     * @return the ways to do the first of them, as CollectiveTuner::GetCandidates() gives them
     */
    std::vector<CollectiveCandidate> GetCandidates(const TrafficRow& row) const;

    /**
     * @param row ops of the job, no messages
     * @return how the first of them is done
     */
    CollectiveChoice GetChoice(const TrafficRow& row) const;

    /**
     * @param row ops of the job
     * @return bytes that stay within nodes, of TrafficRow::totalBytes
     */
    uint64_t GetNodeBytes(const TrafficRow& row) const;

  private:
    /**
     * @param from a rank
     * @param to another one
     * @return whether they are in one node
     */
    bool IsSameNode(uint32_t from, uint32_t to) const;

    /// What a rank sends in one call; of rings in any unit.
    struct SentBytes
    {
        double near; //!< within its node
        double all;  //!< in all
    };

    /// Names a collective: group, kind, payload, shares.
    using OpKey = std::tuple<uint32_t, CollectiveKind, uint64_t, AllToAllShares>;

    /**
     * @param bytes size of a message that stays in a node
     * @return how long it takes
     */
    Time GetNodeTime(uint64_t bytes) const;
    /**
     * @param bytes size of a message between nodes
     * @param senders GPUs of a node that send at once
     * @return how long it takes
     */
    Time GetNetworkTime(uint64_t bytes, double senders) const;
    /**
     * @param bytes size
     * @param rate bit/s
     * @return how long it takes without latency
     */
    static Time GetTransferTime(uint64_t bytes, double rate);
    /**
     * @param from the sender
     * @param to the receiver
     * @param bytes size of a message
     * @return how long it takes
     */
    Time GetMessageTime(uint32_t from, uint32_t to, uint64_t bytes) const;
    /**
     * @param op a collective
     * @param group its group
     * @return how long it takes
     */
    Time GetCollectiveTime(const CollectiveOp& op, const RankGroup& group) const;
    /**
     * @param op a collective
     * @param group its group
     * @return what an algorithm has to know of it
     */
    CollectiveTask MakeTask(const CollectiveOp& op, const RankGroup& group) const;
    /**
     * @param row ops of the job, no messages
     * @return the first of them, as its first rank does it
     */
    CollectiveOp GetFirstOp(const TrafficRow& row) const;
    /**
     * @param op an AllReduce, AllGather or ReduceScatter
     * @param group its group
     * @return how long it takes by a ring
     */
    Time GetRingTime(const CollectiveOp& op, const RankGroup& group) const;
    /**
     * @param op an All-to-All
     * @param group its group
     * @return how long it takes
     */
    Time GetAllToAllTime(const CollectiveOp& op, const RankGroup& group) const;
    /**
     * @param op an op that communicates, as a rank does it
     * @param rank the rank
     * @return what it sends
     */
    SentBytes GetSentBytes(const ProgramOp& op, uint32_t rank) const;

    const Scenario& m_scenario;                     //!< the cluster
    const TrainingJob& m_job;                       //!< the job
    ClusterCosts m_cluster;                         //!< what the cost model knows of the cluster
    std::shared_ptr<const CollectiveSetup> m_setup; //!< how collectives are done
    /// Where groups are, by id.
    mutable std::map<uint32_t, std::shared_ptr<const CollectiveLayout>> m_layouts;
    mutable std::map<OpKey, Time> m_times; //!< of collectives, once computed
};

} // namespace llmfabric
} // namespace ns3

#endif /* PLAN_COSTS_H */
