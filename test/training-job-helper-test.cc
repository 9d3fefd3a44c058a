/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-fixture.h"

#include "ns3/trace-recorder.h"
#include "ns3/trace-sink.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr auto ALL_REDUCE = CollectiveKind::ALL_REDUCE;

/// Tests of how jobs are put on clusters and watched.
class TrainingJobHelperTest : public RankFixture
{
  protected:
    /**
     * @param ranks how many ranks do 4 computations of 10 us
     * @return the job
     */
    static std::shared_ptr<HandPlan> MakeComputing(uint32_t ranks)
    {
        auto plan = std::make_shared<HandPlan>(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            plan->Ops(rank).BeginBlock(4);
            plan->Add(rank, 0, Compute(10));
        }
        return plan;
    }

    /**
     * @param factors stragglers
     * @param jitter of all ranks
     * @return why the two are refused
     */
    static std::string ErrorOf(const std::map<uint32_t, double>& factors, const std::string& jitter)
    {
        try
        {
            TrainingJobHelper(1).SetStragglers(factors, jitter);
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "no error";
    }

    /**
     * @param rank a rank
     * @return how long its computations took, microseconds
     */
    std::vector<double> Lengths(uint32_t rank) const
    {
        std::vector<double> lengths;
        for (const ComputeSpan& span : Of(m_computes, rank))
        {
            lengths.push_back(Length(span));
        }
        return lengths;
    }

    /**
     * @param jitter of all ranks
     * @return how long the computations of two ranks took, microseconds
     */
    std::vector<double> RunJitter(const std::string& jitter)
    {
        m_computes.clear();
        m_jitter = jitter;
        Run(MakeComputing(2));
        std::vector<double> lengths = Lengths(0);
        const std::vector<double> others = Lengths(1);
        lengths.insert(lengths.end(), others.begin(), others.end());
        m_ranks.clear();
        m_observer = TrainingObserver();
        EndSimulation();
        return lengths;
    }
};

TEST_F(TrainingJobHelperTest, AStragglerTakesItsFactorAsLong)
{
    m_factors = {{1, 2.5}};
    Run(MakeComputing(2));
    EXPECT_EQ(Lengths(0), std::vector<double>(4, 10));
    EXPECT_EQ(Lengths(1), std::vector<double>(4, 25));
    EXPECT_EQ(Of(m_steps, 1).at(0).compute, MicroSeconds(100));
}

TEST_F(TrainingJobHelperTest, JitterIsDrawnForEachComputationAndTheSameInEachRun)
{
    const std::string jitter = "ns3::UniformRandomVariable[Min=0.9|Max=1.1]";
    const std::vector<double> lengths = RunJitter(jitter);
    ASSERT_EQ(lengths.size(), 8u);
    EXPECT_EQ(std::set<double>(lengths.begin(), lengths.end()).size(), 8u);
    EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), 9);
    EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), 11);
    EXPECT_EQ(RunJitter(jitter), lengths);
    RngSeedManager::SetRun(2);
    EXPECT_NE(RunJitter(jitter), lengths);
}

TEST_F(TrainingJobHelperTest, JitterBelow0Counts0AndMultipliesWithFactors)
{
    EXPECT_EQ(RunJitter("ConstantRandomVariable[Constant=-1]"), std::vector<double>(8, 0));
    m_factors = {{0, 2}, {1, 0.5}};
    const std::vector<double> expected{60, 60, 60, 60, 15, 15, 15, 15};
    EXPECT_EQ(RunJitter("ns3::ConstantRandomVariable[Constant=3]"), expected);
}

TEST_F(TrainingJobHelperTest, BadStragglersAreUserErrors)
{
    EXPECT_EQ(ErrorOf({{0, 1e6}}, "NormalRandomVariable[Mean=1|Variance=0.01]"), "no error");
    EXPECT_EQ(ErrorOf({}, "ns3::NormalVariable"),
              "stragglers.jitter: 'ns3::NormalVariable' is no class of random variables; e.g. "
              "ns3::NormalRandomVariable[Mean=1|Variance=0.01]");
    for (const std::string text : {"ns3::Node",
                                   "RandomVariableStream",
                                   "EmpiricalRandomVariable",
                                   "UniformRandomVariable[Min=0.9",
                                   "UniformRandomVariable[Min]",
                                   "UniformRandomVariable[Min=a]",
                                   "UniformRandomVariable[Least=1]",
                                   "NormalRandomVariable[Variance=-1]",
                                   "LogNormalRandomVariable[Mu=1e9]",
                                   " "})
    {
        EXPECT_EQ(ErrorOf({}, text).substr(0, 19), "stragglers.jitter: ") << text;
    }
    for (double factor : {0.0, -1.0, 1e7, std::numeric_limits<double>::quiet_NaN()})
    {
        EXPECT_EQ(ErrorOf({{3, factor}}, "").substr(0, 27), "stragglers.factors: rank 3 ")
            << factor;
    }
    m_factors = {{2, 2.0}};
    EXPECT_THROW(Install(MakeComputing(2)), UserError) << "there is no rank 2";
}

TEST_F(TrainingJobHelperTest, RanksHaveToFitTheCluster)
{
    EXPECT_NO_THROW(Install(MakeComputing(4), 2));
    try
    {
        TrainingJobHelper(2).Install(m_fabric, MakeComputing(5));
        FAIL();
    }
    catch (const UserError& error)
    {
        EXPECT_STREQ(error.what(),
                     "parallel.data: 5 ranks do not fit the cluster of 4 GPUs; lower the degree or "
                     "enlarge the cluster");
    }
}

TEST_F(TrainingJobHelperTest, UnknownAlgorithmsAreUserErrors)
{
    auto plan = std::make_shared<HandPlan>(1);
    plan->Add(0, 1, Collective(CollectiveKind::ALL_GATHER, plan->AddGroup({0}), 1));
    Install(plan, 1, 1);
    TrainingJobHelper helper(1);
    helper.SetAlgorithm(ALL_REDUCE, "none");
    EXPECT_THROW(helper.Install(m_fabric, plan), UserError) << "though it is not used";
    helper.SetAlgorithm(ALL_REDUCE, "ring");
    helper.SetAlgorithm(CollectiveKind::ALL_GATHER, "none");
    EXPECT_THROW(helper.Install(m_fabric, plan), UserError);
}

TEST_F(TrainingJobHelperTest, AMemberWithoutTheOpIsWaitedFor)
{
    auto plan = std::make_shared<HandPlan>(2);
    plan->Add(0, 0, Collective(ALL_REDUCE, plan->AddGroup({0, 1}), MEGABYTE));
    Install(plan, 1, 2);
    Simulator::Run();
    ASSERT_EQ(m_observer.GetWaits().size(), 1u);
    EXPECT_NE(m_observer.GetWaits()[0].find("a slot at rank 1"), std::string::npos)
        << m_observer.GetWaits()[0];
}

/// A sink that keeps the rows of ranks.
class RankRows : public TraceSink
{
  public:
    void Hop(const HopRecord& /* record */) override
    {
    }

    void Message(const MessageRecord& /* record */) override
    {
    }

    void Collective(const CollectiveRecord& record) override
    {
        collectives.push_back(record);
    }

    void Compute(const ComputeRecord& record) override
    {
        computes.push_back(record);
    }

    void Node(const NodeRecord& /* record */) override
    {
    }

    void Link(const LinkRecord& /* record */) override
    {
    }

    void SetAttribute(const std::string& /* name */, const std::string& /* value */) override
    {
    }

    void SetAttribute(const std::string& /* name */, uint64_t /* value */) override
    {
    }

    void SetAttribute(const std::string& /* name */, int64_t /* value */) override
    {
    }

    void SetAttribute(const std::string& /* name */, double /* value */) override
    {
    }

    void Flush() override
    {
    }

    void Close() override
    {
    }

    std::vector<CollectiveRecord> collectives; //!< rows
    std::vector<ComputeRecord> computes;       //!< rows
};

/// Two groups of two ranks whose ops overlap, and a message.
class TwoGroupsTest : public TrainingJobHelperTest
{
  protected:
    /// Makes the job.
    TwoGroupsTest()
    {
        m_plan = std::make_shared<HandPlan>(3);
        m_one = m_plan->AddGroup({1, 0});
        m_other = m_plan->AddGroup({2, 1});
        m_plan->Add(0, 0, ComputeOp{ComputePhase::BACKWARD_INPUT, 1, 2, 3, MicroSeconds(1)});
        for (uint32_t rank : {0, 1})
        {
            m_plan->Add(rank, 1, Collective(ALL_REDUCE, m_one, 2 * MEGABYTE));
            m_plan->Add(rank, 1, Collective(ALL_REDUCE, m_one, 4 * MEGABYTE));
        }
        m_plan->Add(1, 2, Collective(CollectiveKind::ALL_GATHER, m_other, MEGABYTE));
        m_plan->Add(2, 2, Collective(CollectiveKind::ALL_GATHER, m_other, MEGABYTE));
        m_plan->Add(2, 3, SendOp{0, 1, 777});
        m_plan->Add(0, 3, ReceiveOp{2, 1, 777});
    }

    std::shared_ptr<HandPlan> m_plan; //!< the job
    uint32_t m_one{0};                //!< group of ranks 1 and 0
    uint32_t m_other{0};              //!< group of ranks 2 and 1
};

TEST_F(TwoGroupsTest, TheObserverKeepsGroupsApart)
{
    Run(m_plan);
    const std::vector<CollectiveResult> results = m_observer.GetCollectives();
    ASSERT_EQ(results.size(), 3u);
    EXPECT_EQ(results[0].group, m_one);
    EXPECT_EQ(results[0].firstRank, 1u);
    EXPECT_EQ(results[0].sentBytesPerRank, std::vector<uint64_t>(2, 2 * MEGABYTE));
    EXPECT_EQ(results[1].group, m_other);
    EXPECT_EQ(results[1].groupName, "group15");
    EXPECT_EQ(results[1].op, "allgather");
    EXPECT_EQ(results[1].start, Time(0));
    EXPECT_EQ(results[1].sentBytesPerRank, std::vector<uint64_t>(2, MEGABYTE / 2));
    EXPECT_EQ(results[2].group, m_one);
    EXPECT_EQ(results[2].payload, 4 * MEGABYTE);
    EXPECT_EQ(results[2].sentBytesPerRank, std::vector<uint64_t>(2, 4 * MEGABYTE));
}

TEST_F(TwoGroupsTest, AnInterruptedRunTellsWhatTheEndedCollectivesSent)
{
    Install(m_plan);
    Simulator::Stop(MicroSeconds(35)); // within the second op of the first group
    Simulator::Run();
    const std::vector<CollectiveResult> results = m_observer.GetCollectives();
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].sentBytesPerRank, std::vector<uint64_t>(2, 2 * MEGABYTE));
    EXPECT_EQ(m_ranks[0]->GetSentBytes(), 4 * MEGABYTE) << "it has sent for the second, too";
}

TEST_F(TwoGroupsTest, TheTraceHasRowsOfGroupsAndMessages)
{
    auto rows = std::make_shared<RankRows>();
    TraceRecorder recorder(rows);
    Install(m_plan);
    recorder.Connect(m_ranks);
    Simulator::Run();
    recorder.Finish();
    ASSERT_EQ(rows->computes.size(), 1u);
    EXPECT_EQ(rows->computes[0].phase, "backward-input");
    EXPECT_EQ(rows->computes[0].miniBatch, 1u);
    EXPECT_EQ(rows->computes[0].microBatch, 2u);
    EXPECT_EQ(rows->computes[0].part, 3u);
    std::vector<std::string> texts;
    for (const CollectiveRecord& row : rows->collectives)
    {
        texts.push_back(std::to_string(row.rank) + " " + row.op + " " + row.algorithm + " " +
                        row.group + " " + std::to_string(row.ranks) + " " +
                        std::to_string(row.payloadBytes) + " " + std::to_string(row.sentBytes));
    }
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(texts,
              (std::vector<std::string>{"0 allreduce ring group10 2 2000000 2000000",
                                        "0 allreduce ring group10 2 4000000 4000000",
                                        "0 receive p2p rank 2 channel 1 2 777 0",
                                        "1 allgather ring group15 2 1000000 500000",
                                        "1 allreduce ring group10 2 2000000 2000000",
                                        "1 allreduce ring group10 2 4000000 4000000",
                                        "2 allgather ring group15 2 1000000 500000",
                                        "2 send p2p rank 0 channel 1 2 777 777"}));
}

} // namespace
