/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-fixture.h"

#include "ns3/pipeline-schedule.h"
#include "ns3/step-timeline.h"
#include "ns3/training-job.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @return a small model in mini-batches of 8 sequences
 */
TrainingSpec
SmallSpec()
{
    TransformerDimensions dimensions;
    dimensions.layers = 4;
    dimensions.hidden = 64;
    dimensions.heads = 8;
    dimensions.vocabulary = 1000;
    dimensions.sequence = 16;
    TrainingSpec spec;
    spec.corpus = Corpus::FromTokens(100000);
    spec.model = Transformer(dimensions);
    spec.batch.localSequences = 8;
    spec.compute.forwardPerLayer = PicoSeconds(1234567);
    spec.compute.backwardPerLayer = PicoSeconds(2345679);
    spec.compute.update = PicoSeconds(1);
    spec.steps = 3;
    return spec;
}

/**
 * @param spec a training run
 * @param experts experts of each layer
 * @return the run with them, loaded unequally
 */
TrainingSpec
WithExperts(TrainingSpec spec, uint64_t experts)
{
    TransformerDimensions dimensions = spec.model.GetDimensions();
    dimensions.experts.experts = experts;
    dimensions.experts.topK = 2;
    spec.model = Transformer(dimensions);
    spec.parallel.load.zipfExponent = 1.3;
    return spec;
}

/**
 * @param op an op
 * @return all its values
 */
std::vector<uint64_t>
ValuesOf(const ProgramOp& op)
{
    std::vector<uint64_t> values{op.stream, op.what.index()};
    if (const auto* compute = std::get_if<ComputeOp>(&op.what))
    {
        values.insert(values.end(),
                      {static_cast<uint64_t>(compute->phase),
                       compute->miniBatch,
                       compute->microBatch,
                       compute->part,
                       static_cast<uint64_t>(compute->duration.GetTimeStep())});
    }
    else if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        values.insert(values.end(),
                      {static_cast<uint64_t>(collective->kind),
                       collective->group,
                       collective->payload,
                       static_cast<uint64_t>(collective->shares)});
    }
    else if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        values.insert(values.end(), {send->peer, send->channel, send->bytes});
    }
    else
    {
        const auto& receive = std::get<ReceiveOp>(op.what);
        values.insert(values.end(), {receive.peer, receive.channel, receive.bytes});
    }
    return values;
}

/**
 * Expect the same group in two plans, and the same bytes of an All-to-All over it.
 *
 * @param op an op of the group
 * @param job a plan
 * @param copy the other plan
 */
void
ExpectSameGroup(const CollectiveOp& op, const RankPlan& job, const RankPlan& copy)
{
    const RankGroup group = job.GetGroup(op.group);
    const RankGroup other = copy.GetGroup(op.group);
    EXPECT_EQ(job.GetGroupName(op.group), copy.GetGroupName(op.group));
    ASSERT_EQ(group.GetSize(), other.GetSize());
    for (uint32_t from = 0; from < group.GetSize(); ++from)
    {
        EXPECT_EQ(group.GetRank(from), other.GetRank(from));
        for (uint32_t to = 0; op.kind == CollectiveKind::ALL_TO_ALL && to < group.GetSize(); ++to)
        {
            EXPECT_EQ(job.GetAllToAllBytes(op, group, from, to),
                      copy.GetAllToAllBytes(op, other, from, to));
        }
    }
}

/**
 * Write a job, read it, and expect the same in every op and group; then write it again.
 *
 * @param job the job
 * @return kinds of ops that it has, with unequal All-to-Alls as "unequal"
 */
std::set<std::string>
ExpectRoundTrip(const TrainingJob& job)
{
    const std::string text = ToText(job);
    const std::shared_ptr<ListedPlan> copy = FromText(text);
    std::set<std::string> kinds;
    EXPECT_EQ(copy->GetRanks(), job.GetRanks());
    EXPECT_EQ(copy->GetSteps(), job.GetSteps());
    for (uint32_t rank = 0; rank < job.GetRanks(); ++rank)
    {
        const RankProgram program = job.GetProgram(rank);
        const RankProgram other = copy->GetProgram(rank);
        EXPECT_EQ(program.GetOpCount(), other.GetOpCount());
        for (uint64_t i = 0; i < program.GetOpCount(); ++i)
        {
            const ProgramOp op = program.GetOp(i);
            EXPECT_EQ(ValuesOf(op), ValuesOf(other.GetOp(i))) << "op " << i;
            EXPECT_EQ(program.GetAfter(i), other.GetAfter(i)) << "op " << i;
            if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
            {
                ExpectSameGroup(*collective, job, *copy);
                const bool even = collective->shares == AllToAllShares::EVEN;
                kinds.insert(even ? GetName(collective->kind) : "unequal");
            }
            else if (op.GetKind() == ProgramOpKind::SEND)
            {
                kinds.insert("send");
            }
        }
    }
    EXPECT_EQ(ToText(*copy), text);
    return kinds;
}

} // namespace

TEST(ScheduleFile, DataParallelJobWithAccumulationComesBackAsItWas)
{
    TrainingSpec spec = SmallSpec();
    spec.parallel.data = 4;
    spec.parallel.gradients = {true, 4096, 65536};
    spec.batch.globalTokens = 8 * 16 * 4 * 5; // 5 mini-batches
    const TrainingJob job(spec);
    EXPECT_LT(job.GetProgram(0).GetList()->GetStoredCount(), job.GetProgram(0).GetOpCount());
    EXPECT_EQ(ExpectRoundTrip(job), (std::set<std::string>{"allreduce"}));
}

TEST(ScheduleFile, PipelineWithTensorRanksComesBackAsItWas)
{
    TrainingSpec spec = SmallSpec();
    spec.parallel.data = 2;
    spec.parallel.tensor = 2;
    spec.parallel.pipeline = 4;
    spec.batch.microSequences = 2;
    const std::set<std::string> kinds = ExpectRoundTrip(TrainingJob(spec));
    EXPECT_EQ(kinds, (std::set<std::string>{"allgather", "allreduce", "send"}));
}

TEST(ScheduleFile, UnequalExpertsKeepTheBytesOfEveryPair)
{
    TrainingSpec spec = WithExperts(SmallSpec(), 16);
    spec.parallel.data = 8;
    spec.parallel.expert = 4;
    spec.parallel.load.capacityFactor = 2;
    const std::set<std::string> kinds = ExpectRoundTrip(TrainingJob(spec));
    EXPECT_EQ(kinds, (std::set<std::string>{"allreduce", "unequal"}));
}

TEST(ScheduleFile, SmallestSharesAreExact)
{
    TrainingSpec spec = WithExperts(SmallSpec(), 4);
    spec.parallel.data = 4;
    spec.parallel.expert = 4;
    spec.parallel.load.weights = {9998, 1, 1e-9, 1};
    const TrainingJob job(spec);
    const std::shared_ptr<ListedPlan> copy = FromText(ToText(job));
    const ExpertShares shares(spec.parallel.load, 4, 4);
    const uint32_t id = job.GetGrid().GetGroup(GroupKind::EXPERT, 0).GetId();
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(copy->GetShare(id, i), shares.GetShare(i));
    }
}

TEST(ScheduleFile, ZeroThreeComesBackAsItWas)
{
    TrainingSpec spec = SmallSpec();
    spec.parallel.data = 4;
    spec.parallel.zero = 3;
    spec.batch.microSequences = 4;
    const std::set<std::string> kinds = ExpectRoundTrip(TrainingJob(spec));
    EXPECT_EQ(kinds, (std::set<std::string>{"allgather", "reducescatter"}));
}

TEST(ScheduleFile, RandomJobsComeBackAsTheyWere)
{
    std::mt19937 random(20261);
    const auto draw = [&random](std::vector<uint32_t> values) {
        return values[random() % values.size()];
    };
    std::set<std::string> kinds;
    uint32_t done = 0;
    for (uint32_t i = 0; i < 60; ++i)
    {
        TrainingSpec spec = draw({0, 1}) == 0 ? SmallSpec() : WithExperts(SmallSpec(), 4);
        ParallelPlan& plan = spec.parallel;
        plan.expert = spec.model.GetDimensions().experts.experts > 0 ? draw({1, 2}) : 1;
        plan.data = plan.expert * draw({1, 2});
        plan.tensor = draw({1, 2});
        plan.context = draw({1, 1, 2});
        plan.contextMethod = draw({0, 1}) == 0 ? ContextMethod::RING : ContextMethod::ULYSSES;
        plan.pipeline = draw({1, 2});
        const std::vector<std::string> schedules = PipelineSchedule::GetNames();
        plan.schedule = schedules[random() % schedules.size()];
        plan.chunks = draw({1, 2});
        plan.zero = draw({0, 1, 2, 3});
        plan.sequenceParallel = draw({0, 1}) == 1;
        spec.batch.microSequences = draw({2, 4, 8});
        try
        {
            kinds.merge(ExpectRoundTrip(TrainingJob(spec)));
            ++done;
        }
        catch (const UserError& error)
        {
            // Not every combination makes a job; those that do are read without complaint.
            EXPECT_EQ(std::string(error.what()).find("a.jsonl"), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(done, 20U);
    EXPECT_EQ(kinds.size(), 6U);
}

TEST(ScheduleFile, WhatIsReadIsWrittenAgain)
{
    EXPECT_EQ(ToText(*FromText(SMALL)), SMALL);
}

TEST(ScheduleFile, ValuesAreThoseOfTheFile)
{
    const std::shared_ptr<ListedPlan> plan = FromText(SMALL);
    EXPECT_EQ(plan->GetRanks(), 3U);
    EXPECT_EQ(plan->GetSteps(), 2U);
    EXPECT_EQ(plan->GetProgram(2).GetOpCount(), 0U);
    const RankProgram program = plan->GetProgram(0);
    EXPECT_EQ(ValuesOf(program.GetOp(0)), (std::vector<uint64_t>{0, 0, 0, 0, 0, 0, 20000000000}));
    EXPECT_EQ(ValuesOf(program.GetOp(1)), (std::vector<uint64_t>{1, 1, 0, 5, 4096, 0}));
    EXPECT_EQ(ValuesOf(program.GetOp(2)), (std::vector<uint64_t>{20, 2, 1, 7, UINT64_MAX}));
    EXPECT_EQ(program.GetAfter(2), (std::vector<uint64_t>{0, 1}));
    EXPECT_EQ(ValuesOf(program.GetOp(3)), (std::vector<uint64_t>{1, 1, 3, 5, 100000, 2}));
    EXPECT_EQ(ValuesOf(plan->GetProgram(1).GetOp(0)),
              (std::vector<uint64_t>{21, 0, 3, 1, 2, 3, 0}));
    EXPECT_EQ(plan->GetStreamName(20), "copy");
    EXPECT_EQ(plan->GetStreamName(21), "7");
    EXPECT_EQ(plan->GetStreamName(22), "22");
}

TEST(ScheduleFile, SharesGoByMemberNotByRank)
{
    const std::shared_ptr<ListedPlan> plan = FromText(SMALL);
    CollectiveOp op = std::get<CollectiveOp>(plan->GetProgram(0).GetOp(3).what);
    const RankGroup group = plan->GetGroup(5);
    EXPECT_EQ(group.GetIndex(1), 0U);
    EXPECT_EQ(plan->GetAllToAllBytes(op, group, 0, 1), 25000U);
    EXPECT_EQ(plan->GetAllToAllBytes(op, group, 1, 0), 10U);
    op.shares = AllToAllShares::BY_DESTINATION;
    EXPECT_EQ(plan->GetAllToAllBytes(op, group, 0, 1), 10U);
    op.shares = AllToAllShares::EVEN;
    op.payload = UINT64_MAX;
    EXPECT_EQ(plan->GetAllToAllBytes(op, group, 0, 0), UINT64_MAX / 2);
    EXPECT_EQ(plan->GetAllToAllBytes(op, group, 0, 1), UINT64_MAX / 2 + 1);
}

TEST(ScheduleFile, CommentsEmptyLinesAndOtherLineEndsAreIgnored)
{
    std::string text = "# made by hand\n\n  \t\n" + SMALL + "   # the end";
    for (std::size_t place = 0; (place = text.find('\n', place)) != std::string::npos; place += 2)
    {
        text.replace(place, 1, "\r\n");
    }
    EXPECT_EQ(ToText(*FromText(text)), SMALL);
}

TEST(ScheduleFile, OpsOfRanksMayAlternateAndDefaultsBeLeftOut)
{
    const std::string text = R"({"ranks": 2, "steps": 1, "llm_fabric_schedule": 1}
{"compute": "update", "duration_ps": 5, "rank": 1, "op": 0, "stream": "compute", "after": []}
{"rank": 0, "op": 0, "stream": "a", "send": 1, "channel": 0, "bytes": 1}
{"rank": 1, "op": 1, "stream": "b", "receive": 0, "channel": "forward", "bytes": 1}
)";
    const std::string written = R"({"llm_fabric_schedule":1,"ranks":2,"steps":1}
{"rank":0,"op":0,"stream":"a","send":1,"channel":"forward","bytes":1}
{"rank":1,"op":0,"stream":"compute","compute":"update","mini_batch":0,"micro_batch":0,"part":0,"duration_ps":5}
{"rank":1,"op":1,"stream":"b","receive":0,"channel":"forward","bytes":1}
)";
    EXPECT_EQ(ToText(*FromText(text)), written);
}

TEST(ScheduleFile, DurationsMayBeEdited)
{
    const std::string edited =
        Replace(SMALL, "\"duration_ps\":20000000000", "\"duration_ps\":30000000001");
    const std::shared_ptr<ListedPlan> plan = FromText(edited);
    EXPECT_EQ(StepTimeline(*plan, {0, 1, 2}, {}).GetEnd(), PicoSeconds(30000000001));
}

TEST(ScheduleFile, FilesAreWrittenAndRead)
{
    const std::string path = testing::TempDir() + "llm-fabric-schedule.jsonl";
    const std::shared_ptr<ListedPlan> plan = FromText(SMALL);
    ScheduleWriter::Write(*plan, path);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_EQ(text.str(), SMALL);
    EXPECT_EQ(ToText(*ScheduleReader::Read(path)), SMALL);
    std::filesystem::remove(path);
}

TEST(ScheduleFile, FilesMustBeThere)
{
    const auto read = [](const std::string& path) {
        try
        {
            ScheduleReader::Read(path);
        }
        catch (const UserError& error)
        {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    const std::string folder = testing::TempDir();
    EXPECT_EQ(read(folder), folder + ": this is a folder; name a schedule file");
    EXPECT_EQ(read("no/such.jsonl"),
              "no/such.jsonl: the schedule can't be read (No such file or directory); name a file "
              "that exists and that you may read, from the working folder");
    try
    {
        ScheduleWriter::Write(*FromText(SMALL), std::string("no/such.jsonl"));
        ADD_FAILURE() << "written";
    }
    catch (const UserError& error)
    {
        EXPECT_STREQ(error.what(),
                     "no/such.jsonl: the schedule can't be written; choose a file in a folder that "
                     "exists and can be written");
    }
}
