/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"
#include "lane-rounds.h"

#include "ns3/algorithm-reader.h"
#include "ns3/ring-all-reduce.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// The lines before the steps.
const std::string HEAD = "llm-fabric algorithm 1\nname my-pair\nop allreduce\nranks 2\nchunks 2\n";

/// The steps of rank 0.
const std::string FIRST = "0 0 send 1 1\n0 1 reduce 1 0\n0 2 send 1 0 after 1\n0 3 recv 1 1\n";

/// The steps of rank 1.
const std::string SECOND = "1 0 send 0 0\n1 1 reduce 0 1\n1 2 send 0 1 after 1\n1 3 recv 0 0\n";

/**
 * @param text a file
 * @return the algorithm
 */
std::shared_ptr<ListedAlgorithm>
Read(const std::string& text)
{
    std::istringstream in(text);
    return AlgorithmReader::Read(in, "a.txt");
}

/**
 * @param text a file
 * @return the message with which it is refused, or "no error"
 */
std::string
ErrorOf(const std::string& text)
{
    try
    {
        Read(text);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param line the sixth line of a file, after a head of 2 ranks and 2 chunks
 * @return the message with which it is refused, after the line
 */
std::string
LineError(const std::string& line)
{
    const std::string error = ErrorOf(HEAD + line + "\n");
    const std::string place = "a.txt:6:";
    EXPECT_EQ(error.substr(0, place.size()), place) << error;
    return error.substr(std::min(error.size(), place.size()));
}

/**
 * @param path a file
 * @return the message with which it is refused
 */
std::string
FileError(const std::string& path)
{
    try
    {
        AlgorithmReader::Read(path);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param name name of an example
 * @return where it lies
 */
std::string
GetExample(const std::string& name)
{
    return std::string(LLM_FABRIC_SOURCE_DIR) + "/examples/algorithms/" + name;
}

/**
 * @param ranks p
 * @return an op of one slice a step
 */
CollectiveTask
MakeTask(uint32_t ranks)
{
    CollectiveTask task;
    task.layout = std::make_shared<const CollectiveLayout>(CollectiveLayout::Spread(ranks));
    task.payload = 4000;
    task.cut = {1, 4000, 4000};
    return task;
}

} // namespace

TEST(AlgorithmReader, ReadsWhatTheSchemaDescribes)
{
    const auto algorithm = Read(HEAD + FIRST + SECOND);
    EXPECT_EQ(algorithm->GetName(), "my-pair");
    EXPECT_EQ(algorithm->GetOp(), "allreduce");
    CollectiveRun run(*algorithm, MakeTask(2), 1, 1);
    run.Run();
    EXPECT_TRUE(run.HoldsResult(0));
    EXPECT_TRUE(run.HoldsResult(1));
    EXPECT_EQ(run.GetTotal(), 2 * 4000u);
}

TEST(AlgorithmReader, CommentsBlanksAndTheOrderOfLinesDoNotMatter)
{
    EXPECT_EQ(ErrorOf("# mine\n\n  llm-fabric\talgorithm 1 # the form\r\nchunks 2\nranks 2\r\nop "
                      "allreduce\nname x\n" +
                      SECOND + "   # rank 0\n" + FIRST + "#"),
              "no error");
    EXPECT_EQ(ErrorOf(HEAD + FIRST + SECOND.substr(0, SECOND.size() - 1)), "no error")
        << "the last line may lack its end";
}

TEST(AlgorithmReader, RunsOfChunksMoveTogether)
{
    const std::string head = "llm-fabric algorithm 1\nname x\nop broadcast\nranks 2\nchunks 3\n";
    const auto algorithm = Read(head + "0 0 send 1 0-1\n1 0 recv 0 0-1\n0 1 send 1 2-2\n1 1 recv "
                                       "0 2\n");
    CollectiveRun run(*algorithm, MakeTask(2), 1, 1);
    run.Run();
    EXPECT_EQ(run.GetMessages(), 2u);
    EXPECT_TRUE(run.HoldsResult(1));
}

TEST(AlgorithmReader, ExamplesDoWhatTheySay)
{
    const CollectiveTask task = MakeTask(4);
    const auto ring = AlgorithmReader::Read(GetExample("ring-4.txt"));
    EXPECT_EQ(ring->GetName(), "ring-4");
    EXPECT_EQ(LaneRounds(*ring, task).Get(), LaneRounds(RingAllReduce(), task).Get());
    const auto mesh = AlgorithmReader::Read(GetExample("mesh-4.txt"));
    EXPECT_EQ(mesh->GetName(), "mesh-4");
    EXPECT_EQ(LaneRounds(*mesh, task).Get(), 2u);
    for (const auto& algorithm : {ring, mesh})
    {
        CollectiveRun run(*algorithm, task, 2, 1);
        run.Run();
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            EXPECT_TRUE(run.HoldsResult(rank));
            EXPECT_EQ(run.GetSent(rank), 6000u);
        }
    }
}

TEST(AlgorithmReader, HeaderMustBeThere)
{
    const std::string begin = "begin it with 'llm-fabric algorithm 1'";
    EXPECT_EQ(ErrorOf(""), "a.txt: the file is empty; " + begin);
    EXPECT_EQ(ErrorOf("# nothing\n\n"), "a.txt: the file is empty; " + begin);
    EXPECT_EQ(ErrorOf("\n  name x\n"),
              "a.txt:2:3: the header is missing; begin the file with 'llm-fabric algorithm 1'");
    EXPECT_EQ(ErrorOf("llm-fabric algorithm\n"),
              "a.txt:1:21: the line ends where the version of the format should stand");
    EXPECT_EQ(ErrorOf("llm-fabric algorithm 2\n"),
              "a.txt:1:22: version '2' of the format is not known; known is 1");
    EXPECT_EQ(ErrorOf("llm-fabric algorithm 1 x\n"),
              "a.txt:1:24: 'x' should not stand there; end the line before it");
}

TEST(AlgorithmReader, HeadMustBeCompleteAndStandOnce)
{
    const std::string needed = "say it before the steps; needed: name, op, ranks, chunks";
    const std::string begin = "llm-fabric algorithm 1\nname x\n";
    EXPECT_EQ(ErrorOf(begin + "0 0 send 1 1\n"), "a.txt:3: 'op' is missing; " + needed);
    EXPECT_EQ(ErrorOf(begin), "a.txt: 'op' is missing; " + needed);
    EXPECT_EQ(ErrorOf(HEAD), "a.txt: no rank has a step; was the file cut off?");
    EXPECT_EQ(LineError("op reduce"), "1: 'op' stands twice; say it once");
    EXPECT_EQ(ErrorOf(begin + "name y\n"), "a.txt:3:1: 'name' stands twice; say it once");
    EXPECT_EQ(LineError("chunk 3"),
              "1: unknown word 'chunk', did you mean 'chunks'?; allowed: name, op, ranks, chunks");
    EXPECT_EQ(LineError("-1 0 send 1 1"), "1: unknown word '-1'; allowed: name, op, ranks, chunks");
}

TEST(AlgorithmReader, HeadMustBeRight)
{
    const auto error = [](const std::string& line) {
        return ErrorOf("llm-fabric algorithm 1\n" + line + "\n");
    };
    EXPECT_EQ(error("name"), "a.txt:2:5: the line ends where the name should stand");
    const std::string names = " is no name for an algorithm; allowed: up to 24 letters, digits, "
                              "'-' and '_', but not 'auto'";
    EXPECT_EQ(error("name a/b"), "a.txt:2:6: 'a/b'" + names);
    EXPECT_EQ(error("name auto"), "a.txt:2:6: 'auto'" + names);
    EXPECT_EQ(error("name \xc3\xa4"), "a.txt:2:6: '?\?'" + names);
    EXPECT_EQ(error("name " + std::string(25, 'x')),
              "a.txt:2:6: '" + std::string(25, 'x') + "'" + names);
    EXPECT_EQ(error("name " + std::string(1000, 'x')),
              "a.txt:2:6: '" + std::string(40, 'x') + "...'" + names);
    EXPECT_EQ(error("op allreduced"),
              "a.txt:2:4: unknown op 'allreduced', did you mean 'allreduce'?; allowed: allreduce, "
              "reducescatter, allgather, broadcast, reduce, alltoall");
    EXPECT_EQ(error("ranks 1"),
              "a.txt:2:7: '1' is not a number of ranks; allowed: whole numbers from 2 to 1024");
    EXPECT_EQ(error("ranks 4294967298"),
              "a.txt:2:7: '4294967298' is not a number of ranks; allowed: whole numbers from 2 to "
              "1024");
    EXPECT_EQ(error("chunks 4.0"),
              "a.txt:2:8: '4.0' is not a number of chunks; allowed: whole numbers from 1 to "
              "1048576");
    EXPECT_EQ(error("ranks 2 4"), "a.txt:2:9: '4' should not stand there; end the line before it");
}

TEST(AlgorithmReader, StepsMustBeRight)
{
    EXPECT_EQ(LineError("2 0 send 1 1"),
              "1: '2' is not a rank; allowed: whole numbers from 0 to 1");
    EXPECT_EQ(LineError("0"), "2: the line ends where the number of a step should stand");
    EXPECT_EQ(LineError("0 8192 send 1 1"),
              "3: '8192' is not the number of a step; allowed: whole numbers from 0 to 8191");
    EXPECT_EQ(LineError("0 0 receive 1 1"),
              "5: unknown action 'receive'; allowed: send, recv, reduce");
    EXPECT_EQ(LineError("0 0"), "4: the line ends where the action should stand");
    EXPECT_EQ(LineError("0 0 send 2 1"),
              "10: '2' is not a rank; allowed: whole numbers from 0 to 1");
    EXPECT_EQ(LineError("0 0 send 0 1"),
              "10: rank 0 is its own peer; what a rank has need not be sent");
    EXPECT_EQ(LineError("0 0 send 1"), "11: the line ends where a chunk should stand");
    EXPECT_EQ(LineError("0 0 send 1 0-2"),
              "14: '2' is not a chunk; allowed: whole numbers from 0 to 1");
    EXPECT_EQ(LineError("0 0 send 1 0-"),
              "14: '' is not a chunk; allowed: whole numbers from 0 to 1");
    EXPECT_EQ(LineError("0 0 send 1 1-0"),
              "12: '1-0' is no run of chunks; write the first and the last, such as 2-3");
    EXPECT_EQ(LineError("0 0 send 1 0-1-1"),
              "12: '0-1-1' is no run of chunks; write the first and the last, such as 2-3");
}

TEST(AlgorithmReader, WaitsMustBeRight)
{
    const std::string lower =
        " is not the number of a step before this one; allowed: whole numbers from 0 to 1";
    EXPECT_EQ(LineError("0 2 send 1 0 before 1"), "14: unknown word 'before'; allowed: after");
    EXPECT_EQ(LineError("0 2 send 1 0 after"),
              "19: the line ends where the number of a step before this one should stand");
    EXPECT_EQ(LineError("0 2 send 1 0 after 2"), "20: '2'" + lower);
    EXPECT_EQ(LineError("0 2 send 1 0 after 0,,1"), "22: ''" + lower);
    EXPECT_EQ(LineError("0 2 send 1 0 after 0,x"), "22: 'x'" + lower);
    EXPECT_EQ(LineError("0 2 send 1 0 after 0, 1"), "22: ''" + lower);
    EXPECT_EQ(LineError("0 2 send 1 0 after 0 1"),
              "22: '1' should not stand there; end the line before it");
    EXPECT_EQ(LineError("0 0 send 1 0 after 0"),
              "14: step 0 is after nothing; number the steps of a rank in order");
}

TEST(AlgorithmReader, MistakesOfTheWholeSayTheLine)
{
    EXPECT_EQ(ErrorOf(HEAD + FIRST + FIRST),
              "a.txt:10: step 0 of rank 0 stands twice; number the steps of a rank 0, 1, 2, ...");
    EXPECT_EQ(ErrorOf(HEAD + FIRST),
              "a.txt:6: rank 1 never receives what step 0 of rank 0 sends it; each send needs a "
              "receive, and each receive a send");
    EXPECT_EQ(ErrorOf("llm-fabric algorithm 1\nname x\nop alltoall\nranks 2\nchunks 2\n" + FIRST),
              "a.txt: there are 2 chunks; allowed: multiples of 4 up to 1048576");
}

TEST(AlgorithmReader, HugeFilesAreRefusedNotRead)
{
    EXPECT_EQ(ErrorOf(HEAD + "0 0 send 1 1 # " + std::string(AlgorithmReader::MAX_LINE, 'x')),
              "a.txt:6: the line is too long; allowed: 65536 bytes");
    EXPECT_EQ(ErrorOf(HEAD + std::string(AlgorithmReader::MAX_LINE, '#') + "\n" + FIRST + SECOND),
              "no error");
    EXPECT_EQ(FileError("/dev/zero"), "/dev/zero:1: the line is too long; allowed: 65536 bytes");
    EXPECT_EQ(ErrorOf(HEAD + FIRST + std::string(1, '\0') + "\n"),
              "a.txt:10: the line holds a zero byte; write the file as text");
    std::string steps;
    for (std::size_t i = 0; i <= ListedSchedule::MAX_STEPS; ++i)
    {
        steps += "0 0 send 1 1\n";
    }
    EXPECT_EQ(ErrorOf(HEAD + steps), "a.txt:1048582:1: there are too many steps; allowed: 1048576");
}

TEST(AlgorithmReader, FilesThatCanNotBeReadAreNamed)
{
    EXPECT_EQ(FileError("/nowhere/a.txt"),
              "/nowhere/a.txt: the algorithm can't be read (No such file or directory); name a "
              "file that exists and that you may read, from the working folder");
    EXPECT_EQ(FileError("/"), "/: this is a folder; name an algorithm file");
}

TEST(AlgorithmReader, DamagedFilesAreRefusedOrRead)
{
    std::mt19937 random(20262);
    const std::string letters = "0123456789-, \n#aesrf\xc3";
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        std::string text = HEAD + FIRST + SECOND;
        for (uint32_t j = 0; j < 1 + i % 3; ++j)
        {
            const std::size_t place = random() % text.size();
            text.replace(place, random() % 3, 1, letters[random() % letters.size()]);
        }
        const std::string error = ErrorOf(text); // anything but a UserError is thrown on
        EXPECT_TRUE(error == "no error" || error.rfind("a.txt:", 0) == 0) << error;
        refused += error == "no error" ? 0 : 1;
    }
    EXPECT_GT(refused, 2000U);
    EXPECT_LT(refused, 3000U);
}
