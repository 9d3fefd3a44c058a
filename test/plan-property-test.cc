/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "random-plan.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Plans that each property is tried on.
constexpr int PLANS = 300;

/// A collective as all members of its group must call it: kind, payload, shares.
using Call = std::tuple<CollectiveKind, uint64_t, AllToAllShares>;

/// What the members of each group call, in order, by group and rank.
using Calls = std::map<uint32_t, std::map<uint32_t, std::vector<Call>>>;

/**
 * @param plan a job
 * @return what all ranks call
 */
Calls
ListCalls(const RankPlan& plan)
{
    Calls calls;
    for (uint32_t rank = 0; rank < plan.GetRanks(); ++rank)
    {
        ForEachOp(plan.GetProgram(rank), [&](const ProgramOp& op, uint64_t) {
            if (const auto* one = std::get_if<CollectiveOp>(&op.what))
            {
                calls[one->group][rank].emplace_back(one->kind, one->payload, one->shares);
            }
        });
    }
    return calls;
}

/**
 * Check the exchanges of tokens of one rank, if they are unequal: to the experts, within the tensor
 * group, and back.
 */
class ExchangeCheck
{
  public:
    /**
     * @param job the job
     * @param rank the rank
     */
    ExchangeCheck(const TrainingJob& job, uint32_t rank)
        : m_job(job),
          m_rank(rank)
    {
    }

    /**
     * @param op the rank's next op
     */
    void Look(const ProgramOp& op)
    {
        const auto* collective = std::get_if<CollectiveOp>(&op.what);
        if (collective && collective->shares == AllToAllShares::BY_DESTINATION)
        {
            Dispatch(*collective);
        }
        else if (collective && collective->shares == AllToAllShares::BY_SOURCE)
        {
            Combine(*collective);
        }
        else if (collective && m_dispatch && op.stream == GetStream(GroupKind::TENSOR))
        {
            // What all tensor ranks received, but for the rounding of each part.
            const uint64_t tensor = m_job.GetSpec().parallel.tensor;
            const uint64_t rounding = 2 * uint64_t{m_job.GetSpec().parallel.expert};
            EXPECT_GE(collective->payload, tensor * m_received);
            EXPECT_LE(collective->payload, tensor * (m_received + rounding));
        }
    }

    uint64_t exchanges{0}; //!< exchanges that were complete

  private:
    /**
     * @param op an All-to-All to the experts
     */
    void Dispatch(const CollectiveOp& op)
    {
        const RankGroup group = m_job.GetGroup(op.group);
        const uint32_t own = group.GetIndex(m_rank);
        uint64_t sent = 0;
        m_received = 0;
        for (uint32_t i = 0; i < group.GetSize(); ++i)
        {
            m_received += m_job.GetAllToAllBytes(op, group, i, own);
            sent += m_job.GetAllToAllBytes(op, group, own, i);
        }
        EXPECT_LE(sent, op.payload);
        EXPECT_FALSE(m_dispatch);
        m_dispatch = op;
    }

    /**
     * @param op an All-to-All back
     */
    void Combine(const CollectiveOp& op)
    {
        ASSERT_TRUE(m_dispatch);
        const RankGroup group = m_job.GetGroup(op.group);
        for (uint32_t i = 0; i < group.GetSize() * group.GetSize(); ++i)
        {
            const uint32_t from = i / group.GetSize();
            const uint32_t to = i % group.GetSize();
            EXPECT_EQ(m_job.GetAllToAllBytes(op, group, from, to),
                      m_job.GetAllToAllBytes(*m_dispatch, group, to, from));
        }
        m_dispatch.reset();
        ++exchanges;
    }

    const TrainingJob& m_job;               //!< the job
    uint32_t m_rank;                        //!< the rank
    std::optional<CollectiveOp> m_dispatch; //!< tokens that have not come back
    uint64_t m_received{0};                 //!< by it, from all members
};

TEST(PlanProperty, EveryStepComesToItsEnd)
{
    ForRandomPlans(1, PLANS, [](const TrainingJob& job) {
        const StepTimeline timeline = RunFree(job, ListRanks(job));
        ASSERT_EQ(timeline.GetProblems(), std::vector<std::string>());
        uint64_t ops = 0;
        for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
        {
            ops += job.GetProgram(rank).GetOpCount();
            ASSERT_EQ(timeline.GetComputeTime(rank), SumCompute(job.GetProgram(rank)));
        }
        ASSERT_EQ(timeline.GetSpans().size(), ops);
    });
}

TEST(PlanProperty, EveryStepComesToItsEndWithMessagesThatTakeTime)
{
    TimelineCosts costs;
    costs.collective = [](const CollectiveOp& op, const RankGroup& group) {
        return TimeStep(1 + op.payload * group.GetSize() % 977);
    };
    costs.message = [](uint32_t from, uint32_t to, uint64_t bytes) {
        return TimeStep(1 + (from * 7 + to * 13 + bytes) % 1009);
    };
    ForRandomPlans(2, PLANS / 3, [&costs](const TrainingJob& job) {
        ASSERT_EQ(StepTimeline(job, ListRanks(job), costs).GetProblems(),
                  std::vector<std::string>());
    });
}

TEST(PlanProperty, AllMembersOfAGroupCallTheSameInTheSameOrder)
{
    ForRandomPlans(3, PLANS, [](const TrainingJob& job) {
        for (const auto& [id, members] : ListCalls(job))
        {
            const RankGroup group = job.GetGroup(id);
            ASSERT_EQ(members.size(), group.GetSize());
            ASSERT_GT(group.GetSize(), 1u);
            for (const auto& [rank, calls] : members)
            {
                ASSERT_TRUE(group.Contains(rank));
                ASSERT_EQ(calls, members.begin()->second) << job.GetGroupName(id);
            }
        }
    });
}

TEST(PlanProperty, WhatIsSentIsReceived)
{
    ForRandomPlans(4, PLANS, [](const TrainingJob& job) {
        const LaneBytes sent = CountMessages(job, false);
        ASSERT_EQ(sent, CountMessages(job, true));
        for (const auto& [lane, bytes] : sent)
        {
            ASSERT_NE(std::get<0>(lane), std::get<1>(lane));
            ASSERT_GT(bytes, 0u);
        }
    });
}

TEST(PlanProperty, OpsWaitForEarlierOnesOnly)
{
    ForRandomPlans(5, PLANS, [](const TrainingJob& job) {
        for (const RankClass& one : job.GetClasses())
        {
            const RankProgram program = job.GetProgram(one.first);
            for (uint64_t i = 0; i < program.GetOpCount(); ++i)
            {
                for (uint64_t before : program.GetAfter(i))
                {
                    ASSERT_LT(before, i);
                }
            }
        }
    });
}

TEST(PlanProperty, TotalsAreWhatTheProgramsSend)
{
    ForRandomPlans(6, PLANS, [](const TrainingJob& job) {
        ASSERT_EQ(SumTraffic(job), WalkTraffic(job));
        for (const TrafficRow& row : GetTraffic(job))
        {
            ASSERT_GE(row.bytesPerRank * row.ranks, row.totalBytes);
            ASSERT_LE(row.ranks, job.GetRanks());
        }
    });
}

TEST(PlanProperty, MicroBatchesDoNotChangeTheBytesOfMessages)
{
    PlanDrawer drawer(8);
    int compared = 0;
    for (int i = 0; i < PLANS; ++i)
    {
        TrainingSpec spec = drawer.DrawValid();
        SCOPED_TRACE(Describe(spec));
        const LaneBytes lanes = CountMessages(TrainingJob(spec), false);
        for (uint64_t micro = 1; micro <= spec.batch.localSequences; ++micro)
        {
            spec.batch.microSequences = micro;
            if (!RefusalOf(spec))
            {
                ASSERT_EQ(CountMessages(TrainingJob(spec), false), lanes) << micro;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, PLANS);
}

TEST(PlanProperty, APipelineComputesWhatIsGivenToTheTick)
{
    int given = 0;
    ForRandomPlans(9, PLANS, [&given](const TrainingJob& job) {
        if (job.GetCompute().GetRate() > 0 && job.GetSpec().model.GetDimensions().experts.experts)
        {
            return; // experts take as long as they have tokens
        }
        const uint64_t steps = job.GetReport().accumulationSteps;
        const ComputeTimes& times = job.GetSpec().compute;
        const uint64_t layers = job.GetSpec().model.GetDimensions().layers;
        Time miniBatch = job.GetCompute().GetWholeForward() + job.GetCompute().GetWholeBackward();
        if (times.forward)
        {
            ASSERT_EQ(miniBatch, *times.forward + *times.backward);
        }
        else if (times.forwardPerLayer)
        {
            ASSERT_EQ(miniBatch, (*times.forwardPerLayer + *times.backwardPerLayer) * layers);
        }
        given += times.gpu.empty() ? 1 : 0;
        Time sum;
        for (uint32_t rank : ListPipeline(job))
        {
            sum += SumCompute(job.GetProgram(rank));
        }
        ASSERT_EQ(sum, miniBatch * steps + times.update * job.GetSpec().parallel.pipeline);
    });
    EXPECT_GT(given, PLANS / 2);
}

TEST(PlanProperty, UnequalAllToAllsBringBackWhatWasSent)
{
    uint64_t exchanges = 0;
    ForRandomPlans(10, PLANS, [&exchanges](const TrainingJob& job) {
        for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
        {
            ExchangeCheck check(job, rank);
            ForEachOp(job.GetProgram(rank),
                      [&check](const ProgramOp& op, uint64_t) { check.Look(op); });
            exchanges += check.exchanges;
        }
    });
    EXPECT_GT(exchanges, 1000u);
}

} // namespace
