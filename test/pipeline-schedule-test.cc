/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-run.h"

#include "ns3/pipeline-schedule.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param name name of a schedule
 * @param shape the pipeline
 * @param stage a stage
 * @return its tasks as text: F, B, I, W and the micro-batch; in small letters on chunk 0 of several
 */
std::string
Write(const std::string& name, const PipelineShape& shape, uint32_t stage)
{
    const auto schedule = PipelineSchedule::Create(name);
    std::string text;
    for (const PipelineTask& task : schedule->GetTasks(shape, stage))
    {
        const bool small = task.chunk == 0 && schedule->GetChunks(shape) > 1;
        text += text.empty() ? "" : " ";
        text += (small ? "fbiw" : "FBIW")[static_cast<int>(task.action)];
        text += std::to_string(task.microBatch);
    }
    return text;
}

/**
 * @param name name of a schedule
 * @param shape the pipeline
 * @param times durations of a micro-batch on a part
 * @return time of a mini-batch over that in which a stage would do its work without a pause
 */
int64_t
BubbleOf(const std::string& name, const PipelineShape& shape, const PassTimes& times)
{
    const auto schedule = PipelineSchedule::Create(name);
    const PipelineRun run(*schedule, shape, times);
    EXPECT_TRUE(run.IsComplete()) << name;
    return run.GetTime() - int64_t{shape.microBatches} * shape.chunks * times.GetSum();
}

/**
 * @param name name of a schedule
 * @param shape the pipeline
 * @param stage a stage
 * @return activations that it holds at most
 */
uint32_t
PeakOf(const std::string& name, const PipelineShape& shape, uint32_t stage)
{
    const auto peak = PipelineSchedule::Create(name)->GetPeakInFlight(shape, stage);
    return std::accumulate(peak.begin(), peak.end(), 0u);
}

/**
 * @param name name of a schedule
 * @param shape the pipeline
 * @return the message with which it is refused
 */
std::string
ErrorOf(const std::string& name, const PipelineShape& shape)
{
    try
    {
        PipelineSchedule::Create(name)->Check(shape);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param random source of randomness
 * @param least the least number
 * @param most the largest number
 * @return a number between them
 */
uint32_t
Draw(std::mt19937& random, uint32_t least, uint32_t most)
{
    return std::uniform_int_distribution<uint32_t>(least, most)(random);
}

/**
 * @param name name of a schedule
 * @param random source of randomness
 * @return a small pipeline that it can work with
 */
PipelineShape
DrawShape(const std::string& name, std::mt19937& random)
{
    PipelineShape shape;
    if (name == "dualpipe")
    {
        shape.stages = 2 * Draw(random, 1, 4);
        shape.microBatches = 2 * (shape.stages + Draw(random, 0, 6));
    }
    else if (name == "interleaved")
    {
        shape.stages = Draw(random, 2, 5);
        shape.microBatches = shape.stages * Draw(random, 1, 4);
        shape.chunks = Draw(random, 2, 4);
    }
    else
    {
        shape.stages = Draw(random, 1, 7);
        shape.microBatches = Draw(random, 1, 16);
    }
    return shape;
}

/**
 * Call a function for each schedule with random pipelines.
 *
 * @tparam VISIT takes a schedule and the size of a pipeline
 * @param seed seed of the sizes
 * @param visit called each time
 */
template <typename VISIT>
void
ForRandomShapes(uint32_t seed, VISIT visit)
{
    std::mt19937 random(seed);
    for (const std::string& name : PipelineSchedule::GetNames())
    {
        for (int i = 0; i < 60; ++i)
        {
            const PipelineShape shape = DrawShape(name, random);
            SCOPED_TRACE(name + " " + std::to_string(shape.stages) + " " +
                         std::to_string(shape.microBatches) + " " + std::to_string(shape.chunks));
            visit(*PipelineSchedule::Create(name), shape);
        }
    }
}

TEST(PipelineSchedule, IsMadeByName)
{
    const std::vector<std::string> names{"1f1b",
                                         "dualpipe",
                                         "gpipe",
                                         "interleaved",
                                         "naive",
                                         "zero-bubble"};
    EXPECT_EQ(PipelineSchedule::GetNames(), names);
    for (const std::string& name : names)
    {
        EXPECT_EQ(PipelineSchedule::Create(name)->GetName(), name);
    }
    EXPECT_EQ(ErrorOf("2f2b", {}),
              "parallel.schedule: unknown schedule '2f2b'; allowed: 1f1b, dualpipe, gpipe, "
              "interleaved, naive, zero-bubble");
}

TEST(PipelineSchedule, PipelinesItCanNotWorkWithAreRefused)
{
    for (const std::string& name : PipelineSchedule::GetNames())
    {
        const uint32_t chunks = name == "interleaved" ? 2 : 1;
        EXPECT_EQ(ErrorOf(name, {4, 8, chunks}), "no error");
        EXPECT_EQ(ErrorOf(name, {4, 0, chunks}).rfind("batch.micro_sequences: ", 0), 0u);
        EXPECT_EQ(ErrorOf(name, {0, 8, chunks}).rfind("parallel.pipeline: ", 0), 0u);
        EXPECT_EQ(ErrorOf(name, {4, 8, 3 - chunks}).rfind("parallel.chunks: ", 0), 0u);
        EXPECT_EQ(ErrorOf(name, {4, 8, 0}).rfind("parallel.chunks: ", 0), 0u);
        EXPECT_THROW(PipelineSchedule::Create(name)->GetTasks({4, 0, chunks}, 0), UserError);
        EXPECT_DEATH(PipelineSchedule::Create(name)->GetTasks({4, 8, chunks}, 4), "stage 4 of 4");
        EXPECT_DEATH(PipelineSchedule::Create(name)->GetPart({4, 8, chunks}, {0, 2}), "no chunk 2");
    }
    EXPECT_EQ(ErrorOf("interleaved", {4, 10, 2}),
              "batch.micro_sequences: 10 micro-batches of a mini-batch are not a multiple of the 4 "
              "stages, as an interleaved pipeline needs; choose another size of micro-batches, or "
              "schedule 1f1b");
    EXPECT_EQ(ErrorOf("interleaved", {1, 4, 2}).rfind("parallel.pipeline: ", 0), 0u);
    EXPECT_EQ(ErrorOf("interleaved", {65536, 65536, 65536}).rfind("parallel.chunks: ", 0), 0u);
    EXPECT_EQ(ErrorOf("dualpipe", {5, 20, 1}).rfind("parallel.pipeline: ", 0), 0u);
    EXPECT_EQ(ErrorOf("dualpipe", {4, 9, 1}).rfind("batch.micro_sequences: ", 0), 0u);
    EXPECT_EQ(ErrorOf("dualpipe", {4, 6, 1}).rfind("batch.micro_sequences: ", 0), 0u);
}

TEST(PipelineSchedule, StagesDoTheirTasksInThePublishedOrder)
{
    EXPECT_EQ(Write("naive", {2, 2, 1}, 1), "F0 B0 F1 B1");
    EXPECT_EQ(Write("gpipe", {2, 3, 1}, 0), "F0 F1 F2 B2 B1 B0");
    EXPECT_EQ(Write("1f1b", {3, 4, 1}, 0), "F0 F1 F2 B0 F3 B1 B2 B3");
    EXPECT_EQ(Write("1f1b", {3, 4, 1}, 2), "F0 B0 F1 B1 F2 B2 F3 B3");
    EXPECT_EQ(Write("1f1b", {8, 2, 1}, 1), "F0 F1 B0 B1");
    EXPECT_EQ(Write("zero-bubble", {3, 4, 1}, 0), "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3");
    EXPECT_EQ(Write("zero-bubble", {3, 4, 1}, 2), "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3");
    EXPECT_EQ(Write("interleaved", {2, 4, 2}, 0),
              "f0 f1 F0 F1 f2 B0 f3 B1 F2 b0 F3 b1 B2 B3 b2 b3");
    EXPECT_EQ(Write("interleaved", {2, 4, 2}, 1),
              "f0 f1 F0 B0 F1 B1 f2 b0 f3 b1 F2 B2 F3 B3 b2 b3");
    EXPECT_EQ(Write("dualpipe", {4, 8, 1}, 0),
              "f0 f1 f2 F4 I4 W4 F5 f3 B5 F6 b0 B6 F7 b1 B7 i2 w2 i3 w3");
    EXPECT_EQ(Write("dualpipe", {4, 8, 1}, 1),
              "f0 F4 f1 F5 f2 B4 F6 b0 f3 B5 F7 b1 B6 b2 I7 i3 W7 w3");
    EXPECT_EQ(Write("dualpipe", {4, 8, 1}, 3),
              "F4 F5 F6 f0 i0 w0 f1 F7 b1 f2 B4 b2 f3 B5 b3 I6 W6 I7 W7");
}

TEST(PipelineSchedule, EachPartSeesEachOfItsMicroBatchesOnceEachWay)
{
    ForRandomShapes(1, [](const PipelineSchedule& schedule, const PipelineShape& shape) {
        // by chunk and micro-batch: 0 before, 1 after the forward pass, 2 and 3 after the halves
        using State = std::map<std::pair<uint32_t, uint32_t>, int>;
        State all;
        const uint32_t chunks = schedule.GetChunks(shape);
        const uint32_t share = shape.microBatches / (schedule.IsBidirectional() ? chunks : 1);
        for (uint32_t i = 0; i < chunks * share; ++i)
        {
            all[{i / share, schedule.IsBidirectional() ? i : i % share}] = 3;
        }
        for (uint32_t stage = 0; stage < shape.stages; ++stage)
        {
            State state;
            for (const PipelineTask& task : schedule.GetTasks(shape, stage))
            {
                int& now = state[{task.chunk, task.microBatch}];
                const bool weight = task.action == PipelineAction::BACKWARD_WEIGHT;
                ASSERT_EQ(now, task.action == PipelineAction::FORWARD ? 0 : weight ? 2 : 1);
                now += task.action == PipelineAction::BACKWARD ? 2 : 1;
            }
            ASSERT_EQ(state, all);
        }
    });
}

TEST(PipelineSchedule, NeverComesToAStandstill)
{
    ForRandomShapes(2, [](const PipelineSchedule& schedule, const PipelineShape& shape) {
        ASSERT_TRUE(PipelineRun(schedule, shape, {3, 2, 1}).IsComplete());
    });
}

TEST(PipelineSchedule, MessagesAreNeededInTheOrderInWhichTheyAreSent)
{
    ForRandomShapes(3, [](const PipelineSchedule& schedule, const PipelineShape& shape) {
        const PipelineMessages sent = ListMessages(schedule, shape, true);
        ASSERT_EQ(sent, ListMessages(schedule, shape, false));
        ASSERT_EQ(sent.empty(), shape.stages == 1);
    });
}

TEST(PipelineSchedule, ActivationsWalkThroughAllPartsAndGradientsBack)
{
    ForRandomShapes(4, [](const PipelineSchedule& schedule, const PipelineShape& shape) {
        const uint32_t ends = schedule.IsBidirectional() ? 2 : 1;
        for (uint32_t chunk = 0; chunk < ends; ++chunk)
        {
            PipelinePlace place{chunk == 0 ? 0 : shape.stages - 1, chunk};
            ASSERT_FALSE(schedule.GetPrevious(shape, place));
            uint32_t parts = 1;
            while (const auto next = schedule.GetNext(shape, place))
            {
                ASSERT_EQ(schedule.GetPart(shape, *next), schedule.GetPart(shape, place) + 1);
                const auto back = schedule.GetPrevious(shape, *next);
                ASSERT_TRUE(back && back->stage == place.stage && back->chunk == place.chunk);
                place = *next;
                ++parts;
            }
            ASSERT_EQ(parts, schedule.GetParts(shape));
            ASSERT_EQ(parts * ends, shape.stages * schedule.GetChunks(shape));
        }
    });
}

TEST(PipelineBubble, NaivePipelineKeepsOneStageAtWork)
{
    const PipelineRun run(*PipelineSchedule::Create("naive"), {5, 7, 1}, {20, 30, 10});
    EXPECT_EQ(run.GetTime(), 5 * 7 * (20 + 40));
}

TEST(PipelineBubble, EightStagesGiveThePublishedShares)
{
    const std::map<uint32_t, double> shares{{8, 87.5}, {16, 43.75}, {32, 21.875}, {64, 10.9375}};
    for (const auto& [microBatches, percent] : shares)
    {
        for (const PassTimes& times : {PassTimes{1, 1, 1}, PassTimes{7, 2, 3}, PassTimes{2, 9, 9}})
        {
            const double ideal = microBatches * times.GetSum();
            EXPECT_EQ(BubbleOf("gpipe", {8, microBatches, 1}, times) / ideal * 100, percent);
            EXPECT_EQ(BubbleOf("1f1b", {8, microBatches, 1}, times) / ideal * 100, percent);
            for (uint32_t v : {2, 4})
            {
                const int64_t bubble = BubbleOf("interleaved", {8, microBatches, v}, times);
                EXPECT_EQ(bubble / (v * ideal) * 100, percent / v);
            }
        }
    }
}

TEST(PipelineBubble, HalvesOfBackwardPassesFillAPartOfIt)
{
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i)
    {
        const int64_t weight = Draw(random, 0, 9);
        const PassTimes times{weight + Draw(random, 0, 9), weight + Draw(random, 0, 9), weight};
        const uint32_t p = Draw(random, 1, 9);
        const PipelineShape shape{p, p + Draw(random, 0, 9), 1};
        ASSERT_EQ(BubbleOf("zero-bubble", shape, times),
                  (p - 1) * (times.forward + times.input - weight));
    }
}

TEST(PipelineBubble, MicroBatchesFromBothEndsLeaveLess)
{
    std::mt19937 random(6);
    for (int i = 0; i < 100; ++i)
    {
        const int64_t weight = Draw(random, 1, 9);
        const int64_t input = weight + Draw(random, 0, 9);
        const uint32_t p = 2 * Draw(random, 1, 6);
        const PipelineShape shape{p, 2 * (p + Draw(random, 0, 9)), 1};
        const PassTimes times{input, input, weight};
        const int64_t backward = input + weight;
        const int64_t pair = times.forward + backward;
        ASSERT_EQ(BubbleOf("dualpipe", shape, times), (p / 2 - 1) * (pair + backward - 3 * weight));
    }
    EXPECT_EQ(BubbleOf("dualpipe", {8, 16, 1}, {1, 1, 1}), 6);
}

TEST(PipelinePeak, StagesHoldThePublishedNumbersOfActivations)
{
    ForRandomShapes(7, [](const PipelineSchedule& schedule, const PipelineShape& shape) {
        const uint32_t p = shape.stages;
        const uint32_t m = shape.microBatches;
        for (uint32_t s = 0; s < p; ++s)
        {
            const std::map<std::string, uint32_t> peaks{
                {"naive", 1},
                {"gpipe", m},
                {"1f1b", std::min(p - s, m)},
                {"interleaved",
                 std::min(2 * (p - 1 - s) + (shape.chunks - 1) * p + 1, m * shape.chunks)},
                {"zero-bubble", std::min(p, m)},
                {"dualpipe", p + 1}};
            ASSERT_EQ(PeakOf(schedule.GetName(), shape, s), peaks.at(schedule.GetName()));
        }
    });
    EXPECT_EQ(PeakOf("interleaved", {8, 16, 4}, 0), 8u * 4 + 7);
}

TEST(PipelinePeak, IsCountedByChunk)
{
    const auto schedule = PipelineSchedule::Create("interleaved");
    // after f0-f3 F0-F3 f4-f6; from then on a backward pass comes before each forward pass
    EXPECT_EQ(schedule->GetPeakInFlight({4, 8, 2}, 0), (std::vector<uint32_t>{7, 4}));
}

} // namespace
