/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// The header of three ranks.
const std::string HEADER = "{\"llm_fabric_schedule\":1,\"ranks\":3,\"steps\":1}\n";

/// The header, and group 5 of ranks 1 and 0.
const std::string GROUP = HEADER + R"({"group":5,"name":"data","ranks":[1,0]})" + "\n";

/// A computation of rank 0.
const std::string COMPUTE =
    R"({"rank":0,"op":0,"stream":"compute","compute":"forward","duration_ps":1})";

/// An AllReduce of rank 0.
const std::string ALL_REDUCE =
    R"({"rank":0,"op":0,"stream":"data","collective":"allreduce","group":5,"payload":8})";

/// A message from rank 0.
const std::string SEND = R"({"rank":0,"op":0,"stream":"s","send":1,"channel":"forward","bytes":8})";

/// What a number of a rank must be.
const std::string RANK_RANGE = "a whole number from 0 to 2";

/**
 * @param line line 3 of a file that has group 5 of ranks 1 and 0
 * @return the message with which it is refused, after the place
 */
std::string
LineError(const std::string& line)
{
    const std::string error = ScheduleErrorOf(GROUP + line + "\n");
    const std::string place = "a.jsonl:3: ";
    EXPECT_EQ(error.substr(0, place.size()), place);
    return error.substr(std::min(error.size(), place.size()));
}

/**
 * @param line a line that is good
 * @param from what stands in it
 * @param to what stands there instead
 * @return the message with which it is refused then, after the place
 */
std::string
LineError(const std::string& line, const std::string& from, const std::string& to)
{
    return LineError(Replace(line, from, to));
}

} // namespace

TEST(ScheduleFileErrors, LinesThatTheTestsChangeAreGood)
{
    EXPECT_EQ(ScheduleErrorOf(GROUP + COMPUTE), "no error");
    EXPECT_EQ(ScheduleErrorOf(GROUP + ALL_REDUCE + "\n" +
                              Replace(ALL_REDUCE, "\"rank\":0", "\"rank\":1")),
              "no error");
    const std::string receive = Replace(SEND, "\"send\":1", "\"receive\":0");
    EXPECT_EQ(ScheduleErrorOf(HEADER + SEND + "\n" + Replace(receive, "\"rank\":0", "\"rank\":1")),
              "no error");
}

TEST(ScheduleFileErrors, HeaderMustBeThere)
{
    const std::string want =
        "begin the file with {\"llm_fabric_schedule\":1,\"ranks\":...,\"steps\":...}";
    EXPECT_EQ(ScheduleErrorOf(""),
              "a.jsonl: the file is empty; " + Replace(want, "begin the file", "begin it"));
    EXPECT_EQ(ScheduleErrorOf("# nothing\n\n"),
              "a.jsonl: the file is empty; " + Replace(want, "begin the file", "begin it"));
    EXPECT_EQ(ScheduleErrorOf("#\n" + COMPUTE), "a.jsonl:2: the header is missing; " + want);
    EXPECT_EQ(ScheduleErrorOf(HEADER), "a.jsonl: no rank has an op; was the file cut off?");
    EXPECT_EQ(ScheduleErrorOf(HEADER + HEADER),
              "a.jsonl:2: the header stands twice; a file holds one schedule");
}

TEST(ScheduleFileErrors, HeaderMustBeRight)
{
    const auto error = [](const std::string& from, const std::string& to) {
        return ScheduleErrorOf(Replace(HEADER, from, to));
    };
    EXPECT_EQ(error("schedule\":1", "schedule\":2"),
              "a.jsonl:1: version 2 of the format is not known; known is 1");
    EXPECT_EQ(error("schedule\":1", "schedule\":\"1\""),
              "a.jsonl:1: 'llm_fabric_schedule' must be a whole number from 1 to "
              "18446744073709551615, not '1'");
    EXPECT_EQ(error("\"ranks\":3", "\"ranks\":0"),
              "a.jsonl:1: 'ranks' must be a whole number from 1 to 268435456, not 0");
    EXPECT_EQ(error("\"steps\":1", "\"steps\":4294967296"),
              "a.jsonl:1: 'steps' must be a whole number from 1 to 4294967295, not 4294967296");
    EXPECT_EQ(error("\"steps\":1", "\"step\":1"),
              "a.jsonl:1: unknown key 'step', did you mean 'steps'?; allowed: "
              "llm_fabric_schedule, ranks, steps");
    EXPECT_EQ(error(",\"steps\":1", ""),
              "a.jsonl:1: 'steps' is missing; needed: llm_fabric_schedule, ranks, steps");
}

TEST(ScheduleFileErrors, LinesMustBeObjects)
{
    const std::string form = "; a line is {\"key\": value, ...}";
    EXPECT_EQ(LineError("{\"rank\":0 \"op\":0}"), "the line is no JSON at column 14" + form);
    EXPECT_EQ(LineError("rank 0"), "the line is no JSON at column 1" + form);
    EXPECT_EQ(LineError("{\"rank\":01}"), "the line is no JSON at column 10" + form);
    EXPECT_EQ(LineError(COMPUTE + ","), "the line is no JSON at column 73" + form);
    EXPECT_EQ(LineError("{\"rank\":\"\xff\"}"),
              "the line is not UTF-8 at column 10; save it as UTF-8");
    EXPECT_EQ(LineError("[1]"), "the line is a list" + form);
    EXPECT_EQ(LineError("5"), "the line is a value without key" + form);
    EXPECT_EQ(LineError("{\"rank\":0,\"rank\":1}"), "key 'rank' stands twice" + form);
    EXPECT_EQ(LineError("{\"rank\":{\"op\":0}}"), "'rank' holds an object" + form);
    EXPECT_EQ(LineError("{\"after\":[[0]]}"), "'after' holds a list in a list" + form);
    EXPECT_EQ(LineError("{\"after\":[{}]}"), "'after' holds an object" + form);
}

TEST(ScheduleFileErrors, CutLinesAreNoticed)
{
    const std::string last = COMPUTE.substr(0, 50);
    EXPECT_EQ(ScheduleErrorOf(GROUP + last),
              "a.jsonl:3: the line ends before its object does; an object takes one line; if it "
              "is the last, the file was cut off");
    for (std::size_t length = 1; length < COMPUTE.size(); ++length)
    {
        EXPECT_NE(ScheduleErrorOf(GROUP + COMPUTE.substr(0, length)), "no error") << length;
    }
}

TEST(ScheduleFileErrors, GroupsMustMakeSense)
{
    const auto error = [](const std::string& rest) {
        return LineError("{\"group\":7,\"name\":\"b\"," + rest + "}");
    };
    EXPECT_EQ(LineError(R"({"group":5,"name":"b","ranks":[0]})"),
              "group 5 is defined twice; give each group a number of its own");
    EXPECT_EQ(error("\"ranks\":[]"), "group 7 has no ranks; name at least one");
    EXPECT_EQ(error("\"ranks\":[2,0,2]"), "rank 2 is twice in group 7; name each rank once");
    EXPECT_EQ(error("\"ranks\":[2,3]"), "an item of 'ranks' must be " + RANK_RANGE + ", not 3");
    EXPECT_EQ(error("\"ranks\":[-1]"), "an item of 'ranks' must be " + RANK_RANGE + ", not -1");
    EXPECT_EQ(error("\"ranks\":1"), "'ranks' must be a list of whole numbers, not 1");
    EXPECT_EQ(error("\"members\":[1]"),
              "unknown key 'members'; allowed: group, name, ranks, shares");
    EXPECT_EQ(error("\"rank\":[1]"),
              "unknown key 'rank', did you mean 'ranks'?; allowed: group, name, ranks, shares");
    EXPECT_EQ(LineError(R"({"group":7,"ranks":[1]})"),
              "'name' is missing; needed: group, name, ranks");
    EXPECT_EQ(LineError(R"({"group":7,"name":"","ranks":[1]})"), "'name' must be a text, not ''");
    EXPECT_EQ(LineError(R"({"group":"7","name":"b","ranks":[1]})"),
              "'group' must be a whole number from 0 to 4294967295, not '7'");
}

TEST(ScheduleFileErrors, SharesMustBeFractionsOfOne)
{
    const auto error = [](const std::string& shares) {
        return LineError("{\"group\":7,\"name\":\"b\",\"ranks\":[0,1],\"shares\":" + shares + "}");
    };
    EXPECT_EQ(error("[1]"), "1 shares for 2 ranks; give each rank one");
    EXPECT_EQ(error("[0.5,1.5]"), "an item of 'shares' must be a number from 0 to 1, not 1.5");
    EXPECT_EQ(error("[-1,1]"), "an item of 'shares' must be a number from 0 to 1, not -1");
    EXPECT_EQ(error("[\"1\",0]"), "an item of 'shares' must be a number from 0 to 1, not '1'");
    EXPECT_EQ(error("0.5"), "'shares' must be a list of numbers, not 0.5");
    EXPECT_EQ(error("[0.75,0.5]"),
              "the shares add up to 1.250000; their sum must be above 0, and 1 at most");
    EXPECT_EQ(error("[0,0]"),
              "the shares add up to 0.000000; their sum must be above 0, and 1 at most");
}

TEST(ScheduleFileErrors, OpsCountUpFromZero)
{
    const std::string action =
        "; number the ops of each rank from 0 without gaps, and 'after' alike";
    EXPECT_EQ(LineError(COMPUTE, "\"op\":0", "\"op\":1"),
              "this is op 1 of rank 0, expected is op 0" + action);
    EXPECT_EQ(ScheduleErrorOf(GROUP + COMPUTE + "\n\n" + COMPUTE),
              "a.jsonl:5: this is op 0 of rank 0, expected is op 1" + action);
    const std::string removed = SMALL.substr(0, SMALL.find("{\"rank\":1,\"op\":2")) +
                                SMALL.substr(SMALL.find("{\"rank\":1,\"op\":3"));
    EXPECT_EQ(ScheduleErrorOf(removed),
              "a.jsonl:9: this is op 3 of rank 1, expected is op 2" + action);
}

TEST(ScheduleFileErrors, KeysMustBeThoseOfTheOp)
{
    EXPECT_EQ(LineError(COMPUTE, "duration_ps", "duration_us"),
              "unknown key 'duration_us', did you mean 'duration_ps'?; allowed: rank, op, stream, "
              "compute, duration_ps, mini_batch, micro_batch, part, after");
    EXPECT_EQ(LineError(ALL_REDUCE, ",\"payload\":8", ""),
              "'payload' is missing; needed: rank, op, stream, collective, group, payload");
    EXPECT_EQ(LineError(ALL_REDUCE, "\"rank\":0,", ""),
              "'rank' is missing; needed: rank, op, stream, collective, group, payload");
    EXPECT_EQ(LineError(SEND, "\"bytes\":8", "\"payload\":8"),
              "unknown key 'payload'; allowed: rank, op, stream, send, channel, bytes, after");
    EXPECT_EQ(LineError(SEND, "\"send\":1", "\"send\":1,\"receive\":1"),
              "an op can't have both 'send' and 'receive'; write two ops");
    EXPECT_EQ(LineError(ALL_REDUCE, "collective", "colective"),
              "unknown key 'colective', did you mean 'collective'?; allowed: rank, op, stream, "
              "compute, duration_ps, mini_batch, micro_batch, part, after, collective, group, "
              "payload, shares, root, send, channel, bytes, receive");
    EXPECT_EQ(LineError("{\"rank\":0,\"op\":0,\"stream\":\"compute\"}"),
              "the line does not say what is done; an op has one of the keys compute, "
              "collective, send, receive");
}

TEST(ScheduleFileErrors, NumbersMustBeWholeAndInRange)
{
    const std::string all64 = "a whole number from 0 to 18446744073709551615";
    const std::string all63 = "a whole number from 0 to 9223372036854775807";
    const auto compute = [](const std::string& key, const std::string& value) {
        const std::string rest = key == "duration_ps" ? "" : ",\"duration_ps\":1";
        return LineError(R"({"rank":0,"op":0,"stream":"compute","compute":"forward",")" + key +
                         "\":" + value + rest + "}");
    };
    EXPECT_EQ(LineError(COMPUTE, "\"rank\":0", "\"rank\":3"),
              "'rank' must be " + RANK_RANGE + ", not 3");
    EXPECT_EQ(LineError(COMPUTE, "\"rank\":0", "\"rank\":\"0\""),
              "'rank' must be " + RANK_RANGE + ", not '0'");
    EXPECT_EQ(compute("duration_ps", "-5"), "'duration_ps' must be " + all63 + ", not -5");
    EXPECT_EQ(compute("duration_ps", "1.0"), "'duration_ps' must be " + all63 + ", not 1.0");
    EXPECT_EQ(compute("duration_ps", "1e3"), "'duration_ps' must be " + all63 + ", not 1e3");
    EXPECT_EQ(compute("duration_ps", "9223372036854775808"),
              "'duration_ps' must be " + all63 + ", not 9223372036854775808");
    EXPECT_EQ(compute("mini_batch", "18446744073709551616"),
              "'mini_batch' must be " + all64 + ", not 18446744073709551616");
    EXPECT_EQ(compute("micro_batch", "null"),
              "'micro_batch' must be a whole number from 0 to 4294967295, not null");
    EXPECT_EQ(compute("part", "[0]"),
              "'part' must be a whole number from 0 to 4294967295, not a list");
    EXPECT_EQ(LineError(ALL_REDUCE, "\"payload\":8", "\"payload\":true"),
              "'payload' must be " + all64 + ", not true");
    EXPECT_EQ(LineError(SEND, "\"bytes\":8", "\"bytes\":0"),
              "'bytes' must be a whole number from 1 to 18446744073709551615, not 0");
    EXPECT_EQ(LineError(SEND, "\"send\":1", "\"send\":3"),
              "'send' must be " + RANK_RANGE + ", not 3");
}

TEST(ScheduleFileErrors, NamesMustBeKnown)
{
    EXPECT_EQ(LineError(COMPUTE, "forward", "foward"),
              "'compute' can't be 'foward', did you mean 'forward'?; allowed: forward, backward, "
              "backward-input, backward-weight, update");
    EXPECT_EQ(LineError(ALL_REDUCE, "allreduce", "gather"),
              "'collective' can't be 'gather'; allowed: allreduce, reducescatter, allgather, "
              "alltoall, broadcast, reduce, sendrecv, barrier");
    EXPECT_EQ(LineError(SEND, "forward", "fwd"),
              "'channel' can't be 'fwd'; allowed: forward, backward, forward-mirror, "
              "backward-mirror, context");
    EXPECT_EQ(LineError(SEND, "\"forward\"", "-1"),
              "'channel' must be a text or a whole number, not -1");
    EXPECT_EQ(LineError(SEND, "\"s\"", "[]"),
              "'stream' must be a text or a whole number, not a list");
    EXPECT_EQ(LineError(SEND, "\"s\"", "4294967296"),
              "'stream' must be a whole number from 0 to 4294967295, not 4294967296");
}

TEST(ScheduleFileErrors, CollectivesNeedTheirGroup)
{
    EXPECT_EQ(LineError(ALL_REDUCE, "\"group\":5", "\"group\":6"),
              "group 6 is not known; define it in a line before");
    EXPECT_EQ(LineError(ALL_REDUCE, "\"rank\":0", "\"rank\":2"),
              "rank 2 is not in group 5; add it to the group or take another group");
    EXPECT_EQ(LineError(ALL_REDUCE, "8}", "8,\"shares\":\"by-source\"}"),
              "'shares' make sense in an alltoall only; take them out");
    const std::string exchange = Replace(ALL_REDUCE, "allreduce", "alltoall");
    EXPECT_EQ(LineError(exchange, "8}", "8,\"shares\":\"by-source\"}"),
              "group 5 has no shares; give 'shares' in the line of the group");
    EXPECT_EQ(LineError(exchange, "8}", "8,\"shares\":\"by-sorce\"}"),
              "'shares' can't be 'by-sorce', did you mean 'by-source'?; allowed: even, "
              "by-destination, by-source");
}

TEST(ScheduleFileErrors, OpsComeAfterLowerOnes)
{
    const std::string action = "; an op can be after ops of its rank with smaller numbers";
    EXPECT_EQ(LineError(COMPUTE, "1}", "1,\"after\":[0]}"), "op 0 can't be after op 0" + action);
    EXPECT_EQ(ScheduleErrorOf(Replace(SMALL, "[0,1]", "[0,3]")),
              "a.jsonl:5: op 2 can't be after op 3" + action);
    EXPECT_EQ(LineError(COMPUTE, "1}", "1,\"after\":[-1]}"),
              "an item of 'after' must be a whole number from 0 to 4294967295, not -1");
    EXPECT_EQ(LineError(COMPUTE, "1}", "1,\"after\":0}"),
              "'after' must be a list of whole numbers, not 0");
}

TEST(ScheduleFileErrors, OrderMustNotDependOnTime)
{
    const std::string action = "; their order must not depend on time, so use one stream or two ";
    const auto twice = [](const std::string& line, const std::string& stream) {
        const std::string second = Replace(line, "\"op\":0", "\"op\":1");
        return ScheduleErrorOf(GROUP + line + "\n" + Replace(second, stream, "\"other\""));
    };
    EXPECT_EQ(twice(ALL_REDUCE, "\"data\""),
              "a.jsonl:4: the rank uses the group in two streams" + action + "groups");
    EXPECT_EQ(twice(SEND, "\"s\""),
              "a.jsonl:4: the rank uses the channel to that rank in two streams" + action +
                  "channels");
    EXPECT_EQ(LineError(SEND, "\"send\":1", "\"send\":0"),
              "rank 0 exchanges a message with itself; name another rank");
}

TEST(ScheduleFileErrors, StreamsOfARankAreLimited)
{
    std::string text = HEADER;
    for (uint32_t i = 0; i < 100; ++i)
    {
        text += "{\"rank\":0,\"op\":" + std::to_string(i) + ",\"stream\":" + std::to_string(i) +
                ",\"compute\":\"forward\",\"duration_ps\":1}\n";
    }
    EXPECT_EQ(ScheduleErrorOf(text), "no error");
    EXPECT_EQ(ScheduleErrorOf(text + Replace(COMPUTE, "\"op\":0", "\"op\":100")),
              "a.jsonl:102: the rank has more than 100 streams; let ops that run one after the "
              "other share a stream");
}

TEST(ScheduleFileErrors, TimeMustNotOverflow)
{
    const std::string most = Replace(COMPUTE, ":1}", ":9223372036854775807}");
    const std::string other = Replace(COMPUTE, "\"rank\":0", "\"rank\":1");
    EXPECT_EQ(ScheduleErrorOf(HEADER + most), "no error");
    EXPECT_EQ(ScheduleErrorOf(HEADER + most + "\n" + other),
              "a.jsonl:3: all ranks together compute longer than simulated time can say; make "
              "durations smaller");
}

TEST(ScheduleFileErrors, StepMustBeDone)
{
    const std::string action =
        "; each rank of a group must call its collectives in the same order, and each message "
        "needs a send and a receive of its size";
    EXPECT_EQ(ScheduleErrorOf(GROUP + ALL_REDUCE),
              "a.jsonl: the step can't be done: rank 0 waits for ever in op 0, allreduce of 8 B in "
              "group 5" +
                  action);
    const std::string other = Replace(ALL_REDUCE, "\"rank\":0", "\"rank\":1");
    EXPECT_EQ(ScheduleErrorOf(GROUP + ALL_REDUCE + "\n" + Replace(other, ":8}", ":9}")),
              "a.jsonl: the step can't be done: rank 1 calls allreduce of 9 B in group 5, but rank "
              "0 allreduce of 8 B in group 5 as number 0" +
                  action);
    EXPECT_EQ(ScheduleErrorOf(HEADER + SEND),
              "a.jsonl: the step can't be done: rank 0 sends 1 messages to rank 1 on channel 0 "
              "that nobody receives" +
                  action);
    std::string receives = HEADER;
    for (uint32_t i = 0; i < 5; ++i)
    {
        receives += "{\"rank\":2,\"op\":" + std::to_string(i) + ",\"stream\":" + std::to_string(i) +
                    ",\"receive\":1,\"channel\":" + std::to_string(i) + ",\"bytes\":6}\n";
    }
    EXPECT_EQ(ScheduleErrorOf(receives),
              "a.jsonl: the step can't be done: rank 2 waits for ever in op 0, message of 6 B from "
              "rank 1 on channel 0; rank 2 waits for ever in op 1, message of 6 B from rank 1 on "
              "channel 1; rank 2 waits for ever in op 2, message of 6 B from rank 1 on channel 2; "
              "and 2 more" +
                  action);
}

TEST(ScheduleFileErrors, RemovedMessageIsMissedByItsMate)
{
    const std::size_t last = SMALL.find("{\"rank\":1,\"op\":2");
    const std::string cut = SMALL.substr(0, last);
    EXPECT_EQ(ScheduleErrorOf(cut).substr(0, 72),
              "a.jsonl: the step can't be done: rank 0 waits for ever in op 3, alltoall");
}

TEST(ScheduleFileErrors, DamagedFilesAreRefusedOrRead)
{
    std::mt19937 random(20262);
    const std::string letters = "0123456789-.,:[]{}\"\n#aeg\xc3";
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        std::string text = SMALL;
        for (uint32_t j = 0; j < 1 + i % 3; ++j)
        {
            const std::size_t place = random() % text.size();
            text.replace(place, random() % 3, 1, letters[random() % letters.size()]);
        }
        const std::string error = ScheduleErrorOf(text); // anything but a UserError is thrown on
        EXPECT_TRUE(error == "no error" || error.rfind("a.jsonl:", 0) == 0) << error;
        refused += error == "no error" ? 0 : 1;
    }
    EXPECT_GT(refused, 2000U);
    EXPECT_LT(refused, 3000U);
}
