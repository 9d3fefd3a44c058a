/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_FIXTURE_H
#define RANK_FIXTURE_H

#include "nic-fixture.h"

#include "ns3/training-job-helper.h"
#include "ns3/training-observer.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** A job whose ops a test writes by hand. */
class HandPlan : public RankPlan
{
  public:
    /** @param ranks ranks of the job, which have no ops yet */
    explicit HandPlan(uint32_t ranks)
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            m_ops.push_back(std::make_shared<OpList>());
        }
    }

    /**
     * @param rank a rank
     * @return its ops
     */
    OpList& Ops(uint32_t rank)
    {
        return *m_ops.at(rank);
    }

    /**
     * Add an op to a rank's program.
     *
     * @param rank the rank
     * @param stream the stream
     * @param what the op
     * @param after places of ops that must be done before
     * @return place of the op
     */
    template <typename Op>
    uint32_t Add(uint32_t rank, uint32_t stream, const Op& what, std::vector<uint32_t> after = {})
    {
        return Ops(rank).Add({stream, what}, after);
    }

    /**
     * @param members ranks of a new group
     * @return its id
     */
    uint32_t AddGroup(const std::vector<uint32_t>& members)
    {
        // Ids need not begin at 0 nor follow one another.
        const uint32_t id = 10 + 5 * static_cast<uint32_t>(m_groups.size());
        m_groups.emplace(id, RankGroup(id, members));
        return id;
    }

    uint32_t GetRanks() const override
    {
        return static_cast<uint32_t>(m_ops.size());
    }

    uint64_t GetSteps() const override
    {
        return steps;
    }

    RankProgram GetProgram(uint32_t rank) const override
    {
        return RankProgram(m_ops.at(rank));
    }

    RankGroup GetGroup(uint32_t id) const override
    {
        return m_groups.at(id);
    }

    std::string GetGroupName(uint32_t id) const override
    {
        return "group" + std::to_string(id);
    }

    bool HasShares(uint32_t /* id */) const override
    {
        return !shares.empty();
    }

    double GetShare(uint32_t /* id */, uint32_t index) const override
    {
        return shares.at(index);
    }

    uint64_t steps{1};          //!< how often the programs run
    std::vector<double> shares; //!< of All-to-Alls whose shares are not even, by member

  private:
    std::vector<std::shared_ptr<OpList>> m_ops; //!< by rank
    std::map<uint32_t, RankGroup> m_groups;     //!< by id
};

/**
 * Ranks on servers with NVLink of 100 GB/s each way and no delay, so that 1 MB takes 10 us; between
 * servers a switch.
 */
class RankFixture : public StarFixture
{
  protected:
    static constexpr uint64_t MEGABYTE = 1000000; //!< 10 us on NVLink

    /**
     * @param microseconds how long
     * @param phase what is computed
     * @return a computation
     */
    static ComputeOp Compute(int64_t microseconds, ComputePhase phase = ComputePhase::FORWARD)
    {
        return {phase, 0, 0, 0, MicroSeconds(microseconds)};
    }

    /**
     * @param kind what the group does
     * @param group its id
     * @param payload M, bytes
     * @return a collective
     */
    static CollectiveOp Collective(CollectiveKind kind, uint32_t group, uint64_t payload)
    {
        return {kind, group, payload, AllToAllShares::EVEN};
    }

    /**
     * Make the network and the ranks, and record what they trace.
     *
     * @param plan the job
     * @param gpusPerNode GPUs of a server
     * @param nodes servers
     */
    void Install(const std::shared_ptr<const RankPlan>& plan,
                 uint32_t gpusPerNode = 8,
                 uint32_t nodes = 2)
    {
        TrainingJobHelper helper(gpusPerNode);
        InstallWith(helper, plan, nodes);
    }

    /**
     * Make the network and the ranks, and record what they trace.
     *
     * @param helper who installs the job
     * @param plan the job
     * @param nodes servers
     */
    void InstallWith(TrainingJobHelper& helper,
                     const std::shared_ptr<const RankPlan>& plan,
                     uint32_t nodes)
    {
        Build(nodes);
        helper.SetNvlinkAttribute("Rate", StringValue("800Gbps"));
        helper.SetNvlinkAttribute("Delay", StringValue("0ns"));
        helper.SetStragglers(m_factors, m_jitter);
        helper.InstallGpus(m_fabric);
        m_ranks = helper.Install(m_fabric, plan);
        m_observer.Watch(m_ranks, 0);
        for (const Ptr<RankApplication>& rank : m_ranks)
        {
            rank->TraceConnectWithoutContext("Compute",
                                             MakeCallback(&RankFixture::OnCompute, this));
            rank->TraceConnectWithoutContext("Collective",
                                             MakeCallback(&RankFixture::OnCollective, this));
            rank->TraceConnectWithoutContext("Transfer",
                                             MakeCallback(&RankFixture::OnTransfer, this));
            rank->TraceConnectWithoutContext("Step", MakeCallback(&RankFixture::OnStep, this));
        }
    }

    /**
     * Install a job and run it to its end.
     *
     * @param plan the job
     * @param gpusPerNode GPUs of a server
     */
    void Run(const std::shared_ptr<const RankPlan>& plan, uint32_t gpusPerNode = 8)
    {
        Install(plan, gpusPerNode);
        Simulator::Run();
        EXPECT_TRUE(m_observer.IsFinished());
        EXPECT_TRUE(m_observer.GetWaits().empty());
    }

    /**
     * @tparam Span a kind of span
     * @param spans some spans
     * @param rank a rank
     * @return those of the rank
     */
    template <typename Span>
    static std::vector<Span> Of(const std::vector<Span>& spans, uint32_t rank)
    {
        std::vector<Span> own;
        std::copy_if(spans.begin(), spans.end(), std::back_inserter(own), [rank](const Span& one) {
            return one.rank == rank;
        });
        return own;
    }

    /**
     * @tparam Span a kind of span
     * @param span a span
     * @return its length in microseconds
     */
    template <typename Span>
    static double Length(const Span& span)
    {
        return (span.end - span.start).ToDouble(Time::US);
    }

    void TearDown() override
    {
        m_ranks.clear();
        StarFixture::TearDown();
    }

    std::map<uint32_t, double> m_factors;      //!< of stragglers
    std::string m_jitter;                      //!< of all ranks
    std::vector<Ptr<RankApplication>> m_ranks; //!< the ranks
    TrainingObserver m_observer;               //!< watches them
    std::vector<ComputeSpan> m_computes;       //!< what ranks traced
    std::vector<CollectiveSpan> m_collectives; //!< what ranks traced
    std::vector<TransferSpan> m_transfers;     //!< what ranks traced
    std::vector<StepSpan> m_steps;             //!< what ranks traced

  private:
    /** @param span what a rank traced */
    void OnCompute(const ComputeSpan& span)
    {
        m_computes.push_back(span);
    }

    /** @param span what a rank traced */
    void OnCollective(const CollectiveSpan& span)
    {
        m_collectives.push_back(span);
    }

    /** @param span what a rank traced */
    void OnTransfer(const TransferSpan& span)
    {
        m_transfers.push_back(span);
    }

    /** @param span what a rank traced */
    void OnStep(const StepSpan& span)
    {
        m_steps.push_back(span);
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_FIXTURE_H */
