/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-text.h"

#include "ns3/program-cursor.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Enough repetitions that no program of them could be held in memory.
constexpr uint64_t HUGE_COUNT = 1000000000000;

/**
 * @param list ops
 * @return a program that stands as it is
 */
RankProgram
ProgramOf(const OpList& list)
{
    return RankProgram(std::make_shared<OpList>(list));
}

/**
 * @param entries ops of a cursor
 * @return their places
 */
std::vector<uint64_t>
IndicesOf(const std::vector<ProgramCursor::Entry>& entries)
{
    std::vector<uint64_t> indices;
    for (const ProgramCursor::Entry& entry : entries)
    {
        indices.push_back(entry.index);
    }
    return indices;
}

using Indices = std::vector<uint64_t>;

/// Runs a program, ends ops in random order, and checks that each is given at the right moment.
class CheckedRun
{
  public:
    /**
     * @param program the program; must outlive this
     * @param seed of the order in which ops end
     */
    CheckedRun(const RankProgram& program, uint32_t seed)
        : m_program(program),
          m_cursor(program),
          m_random(seed),
          m_given(program.GetOpCount(), false),
          m_over(program.GetOpCount(), false)
    {
    }

    /// Run to the end.
    void Run()
    {
        Take();
        while (!m_running.empty())
        {
            ASSERT_FALSE(m_cursor.IsDone());
            auto ending = m_running.begin();
            std::advance(ending, m_random() % m_running.size());
            const uint64_t index = *ending;
            m_running.erase(ending);
            m_over[index] = true;
            m_cursor.Finish(index);
            Take();
        }
        EXPECT_TRUE(m_cursor.IsDone());
        EXPECT_EQ(std::count(m_given.begin(), m_given.end(), false), 0);
    }

  private:
    /// Take what may start; nothing must be missing, and nothing be there too early.
    void Take()
    {
        const auto ready = m_cursor.TakeReady();
        Indices expected;
        for (uint64_t i = 0; i < m_program.GetOpCount(); ++i)
        {
            if (!m_given[i] && MayStart(i))
            {
                expected.push_back(i);
            }
        }
        ASSERT_EQ(IndicesOf(ready), expected);
        for (const ProgramCursor::Entry& entry : ready)
        {
            EXPECT_EQ(Write(entry.op), Write(m_program.GetOp(entry.index)));
            m_given[entry.index] = true;
            m_running.insert(entry.index);
        }
        EXPECT_EQ(IndicesOf(m_cursor.GetRunning()), Indices(m_running.begin(), m_running.end()));
        EXPECT_TRUE(m_cursor.TakeReady().empty());
    }

    /**
     * @param index an op
     * @return whether what it waits for and all before it on its stream is over
     */
    bool MayStart(uint64_t index) const
    {
        for (uint64_t before : m_program.GetAfter(index))
        {
            if (!m_over[before])
            {
                return false;
            }
        }
        const uint32_t stream = m_program.GetOp(index).stream;
        for (uint64_t i = 0; i < index; ++i)
        {
            if (!m_over[i] && m_program.GetOp(i).stream == stream)
            {
                return false;
            }
        }
        return true;
    }

    const RankProgram& m_program; //!< the program
    ProgramCursor m_cursor;       //!< what is tested
    std::mt19937 m_random;        //!< which op ends next
    std::vector<bool> m_given;    //!< by op: whether it was given
    std::vector<bool> m_over;     //!< by op: whether it is over
    std::set<uint64_t> m_running; //!< given and not over
};

TEST(ProgramCursor, OfNoOpsIsDoneAtOnce)
{
    const RankProgram program = ProgramOf(OpList());
    ProgramCursor cursor(program);
    EXPECT_TRUE(cursor.TakeReady().empty());
    EXPECT_TRUE(cursor.IsDone());
}

TEST(ProgramCursor, OpsOfAStreamRunInOrderAndStreamsInParallel)
{
    OpList list;
    list.Add(MakeCompute(1), {});
    list.Add(MakeCompute(2), {});
    list.Add(MakeSend(1, 5), {});
    list.Add(MakeReceive(1, 5), {});
    list.Add(MakeSend(1, 6), {});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), (Indices{0, 2, 3}));
    cursor.Finish(3);
    EXPECT_TRUE(cursor.TakeReady().empty());
    cursor.Finish(2);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), Indices{4});
    cursor.Finish(0);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), Indices{1});
    EXPECT_EQ(IndicesOf(cursor.GetRunning()), (Indices{1, 4}));
    cursor.Finish(1);
    EXPECT_FALSE(cursor.IsDone());
    cursor.Finish(4);
    EXPECT_TRUE(cursor.IsDone());
}

TEST(ProgramCursor, OpsWaitForAllThatTheyMust)
{
    OpList list;
    list.Add(MakeCompute(1), {});
    list.Add(MakeReceive(1, 5), {});
    list.Add(MakeCollective(GroupKind::DATA, 7), {0, 1});
    list.Add(MakeSend(1, 5), {2});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), (Indices{0, 1}));
    cursor.Finish(0);
    EXPECT_TRUE(cursor.TakeReady().empty());
    cursor.Finish(1);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), Indices{2});
    EXPECT_TRUE(cursor.TakeReady().empty());
    cursor.Finish(2);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), Indices{3});
}

/**
 * @param random source of randomness
 * @return a program of a few blocks over some streams
 */
OpList
AnyList(std::mt19937& random)
{
    OpList list;
    for (uint32_t blocks = 1 + random() % 3; blocks > 0; --blocks)
    {
        list.BeginBlock(1 + random() % 3);
        const uint32_t count = 1 + random() % 12;
        for (uint32_t i = 0; i < count; ++i)
        {
            std::vector<uint32_t> after;
            for (uint32_t before = 0; before < i; ++before)
            {
                if (random() % 6 == 0)
                {
                    after.push_back(before);
                }
            }
            const std::vector<ProgramOp> choice{MakeCompute(1),
                                                MakeSend(1, 5),
                                                MakeReceive(1, 5),
                                                MakeCollective(GroupKind::DATA, 7),
                                                MakeCollective(GroupKind::TENSOR, 7)};
            list.Add(choice[random() % choice.size()], after);
        }
    }
    return list;
}

TEST(ProgramCursor, GivesEachOpOnceAndAsSoonAsItMayStart)
{
    std::mt19937 random(1);
    for (uint32_t i = 0; i < 150; ++i)
    {
        const RankProgram program = ProgramOf(AnyList(random));
        CheckedRun(program, i).Run();
        if (testing::Test::HasFailure())
        {
            FAIL() << WriteOps(program);
        }
    }
}

TEST(ProgramCursor, WalksThroughMiniBatchesWithoutReadingThemAll)
{
    OpList list;
    list.BeginBlock(HUGE_COUNT);
    list.Add(MakeCompute(1), {});
    list.Add(MakeCollective(GroupKind::DATA, 7), {0});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    for (uint64_t i = 0; i < 5000; ++i)
    {
        const auto ready = cursor.TakeReady(); // the next computation, and what the last one left
        ASSERT_EQ(IndicesOf(ready), i == 0 ? Indices{0} : (Indices{2 * i - 1, 2 * i}));
        EXPECT_EQ(std::get<ComputeOp>(ready.back().op.what).miniBatch, i);
        for (const ProgramCursor::Entry& entry : ready)
        {
            cursor.Finish(entry.index);
        }
    }
    EXPECT_FALSE(cursor.IsDone());
}

TEST(ProgramCursor, DoesNotReadAllOfAProgramThatHardlyComputes)
{
    OpList list;
    list.BeginBlock(HUGE_COUNT);
    list.Add(MakeCollective(GroupKind::DATA, 7), {});
    list.Add(MakeSend(1, 5), {0});
    list.BeginBlock(1);
    list.Add(MakeCompute(1), {});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), Indices{0}); // comes back
    for (uint64_t i = 0; i < 10000; ++i)
    {
        cursor.Finish(2 * i);
        EXPECT_EQ(IndicesOf(cursor.TakeReady()), (Indices{2 * i + 1, 2 * i + 2}));
        cursor.Finish(2 * i + 1);
    }
}

TEST(ProgramCursor, OneStreamCanNotRunAheadForEver)
{
    OpList list;
    list.BeginBlock(HUGE_COUNT);
    list.Add(MakeCompute(1), {});
    list.Add(MakeCollective(GroupKind::DATA, 7), {0});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    uint64_t computed = 0;
    bool progress = true;
    while (progress && computed < 1000000) // the first collective never ends
    {
        progress = false;
        for (const ProgramCursor::Entry& entry : cursor.TakeReady())
        {
            if (entry.op.GetKind() == ProgramOpKind::COMPUTE)
            {
                cursor.Finish(entry.index);
                ++computed;
                progress = true;
            }
        }
    }
    EXPECT_GE(computed, 1000u);
    EXPECT_LT(computed, 1000000u);
}

TEST(ProgramCursor, CommunicationStartsManyComputationsAhead)
{
    OpList list;
    for (uint32_t i = 0; i < 200; ++i)
    {
        list.Add(MakeCompute(1), {});
        list.Add(MakeSend(1, 5, MessageChannel::CONTEXT), {2 * i});
        list.Add(MakeReceive(1, 5, MessageChannel::CONTEXT), {});
    }
    list.Add(MakeCollective(GroupKind::PARAMETER, 7), {0});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), (Indices{0, 2}));
    cursor.Finish(0);
    EXPECT_EQ(IndicesOf(cursor.TakeReady()), (Indices{1, 3, 600}));
}

TEST(ProgramCursor, EndsOnlyWhatRuns)
{
    OpList list;
    list.Add(MakeCompute(1), {});
    list.Add(MakeCompute(1), {});
    const RankProgram program = ProgramOf(list);
    ProgramCursor cursor(program);
    EXPECT_DEATH(cursor.Finish(0), "op 0 does not run");
    cursor.TakeReady();
    EXPECT_DEATH(cursor.Finish(1), "op 1 does not run");
    cursor.Finish(0);
    EXPECT_DEATH(cursor.Finish(0), "op 0 does not run");
}

} // namespace
