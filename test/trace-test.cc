/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-rows.h"
#include "trace-view.h"

#include "ns3/hdf5-trace-sink.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// Tests that run with each compression.
class Hdf5TraceSinkCompression : public testing::TestWithParam<const char*>
{
  protected:
    /**
     * @param name part of a file name
     * @return options with the compression
     */
    Hdf5TraceSink::Options MakeOptions(const std::string& name) const
    {
        Hdf5TraceSink::Options options = llmfabric::MakeOptions(name + GetParam());
        options.compression = GetParam();
        return options;
    }
};

INSTANTIATE_TEST_SUITE_P(Each,
                         Hdf5TraceSinkCompression,
                         testing::Values("none", "deflate"),
                         [](const auto& test) { return std::string(test.param); });

} // namespace

TEST(Hdf5TraceSink, HasTheColumnsOfTheSchemaPage)
{
    const auto options = MakeOptions("schema");
    Hdf5TraceSink(options).Close();
    std::map<std::string, std::vector<std::string>> page;
    std::map<std::string, std::vector<std::string>> found;
    std::ifstream schema(std::string(LLM_FABRIC_SOURCE_DIR) + "/traces/SCHEMA.md");
    std::string table;
    for (std::string line; std::getline(schema, line);)
    {
        table = line.rfind("## ", 0) == 0 ? line.substr(line.find_last_of(" /") + 1) : table;
        if (line.rfind("| `", 0) == 0 && std::count(TABLES.begin(), TABLES.end(), table))
        {
            page[table].push_back(line);
        }
    }
    const hdf5::Handle file = OpenFile(options.path);
    for (const std::string& name : TABLES)
    {
        for (const auto& [column, view] : ReadTable(file, name))
        {
            found[name].push_back("| `" + column + "` | " + view.type + " | " + view.unit + " | " +
                                  view.description + " |");
        }
        std::sort(page[name].begin(), page[name].end());
        std::sort(found[name].begin(), found[name].end());
    }
    EXPECT_EQ(page, found);
    EXPECT_EQ(found["hops"].size(), 16U);
}

TEST(Hdf5TraceSink, NamesTheKindsAndDropReasons)
{
    auto options = MakeOptions("names");
    options.dropReasons = {"none", "buffer full", "link down"};
    Hdf5TraceSink(options).Close();
    const hdf5::Handle file = OpenFile(options.path);
    const hdf5::Handle kind(H5Dopen2(file.Get(), "hops/kind", H5P_DEFAULT));
    const hdf5::Handle reason(H5Dopen2(file.Get(), "hops/drop_reason", H5P_DEFAULT));
    EXPECT_EQ(ReadText(kind, "names"), "data,ack,nak,cnp,pfc,other");
    EXPECT_EQ(ReadText(reason, "names"), "none,buffer full,link down");
}

TEST(Hdf5TraceSink, KeepsRootAttributesOfAnyLength)
{
    const auto options = MakeOptions("attributes");
    Hdf5TraceSink sink(options);
    const std::string text(300000, 'x');
    sink.SetAttribute("scenario", "short");
    sink.SetAttribute("scenario", text);
    sink.SetAttribute("empty", "");
    sink.SetAttribute("seed", UINT64_MAX);
    sink.SetAttribute("offset", int64_t{-5});
    sink.SetAttribute("pmax", 0.2);
    sink.Close();
    const hdf5::Handle file = OpenFile(options.path);
    EXPECT_EQ(ReadText(file, "scenario"), text);
    EXPECT_EQ(ReadText(file, "empty"), "");
    EXPECT_EQ(ReadText(file, "time_unit"), "ps");
    EXPECT_EQ(ReadNumber<uint64_t>(file, "schema_version", H5T_NATIVE_UINT64), 2U);
    EXPECT_EQ(ReadNumber<uint64_t>(file, "seed", H5T_NATIVE_UINT64), UINT64_MAX);
    EXPECT_EQ(ReadNumber<int64_t>(file, "offset", H5T_NATIVE_INT64), -5);
    EXPECT_EQ(ReadNumber<double>(file, "pmax", H5T_NATIVE_DOUBLE), 0.2);
}

TEST_P(Hdf5TraceSinkCompression, KeepsAllRowsInOrderWhereverItIsFlushed)
{
    const auto options = MakeOptions("order");
    Hdf5TraceSink sink(options);
    for (int i = 0; i < 1000; ++i)
    {
        sink.Hop(MakeHop(i));
        if (i % 11 == 3 || i % 7 == 6 || i % 50 < 5)
        {
            sink.Flush();
        }
    }
    sink.Close();
    EXPECT_EQ(ReadValues<int64_t>(options.path, "hops", "enqueued"), CountUp(1000));
    const auto started = ReadValues<int64_t>(options.path, "hops", "started");
    const auto kinds = ReadValues<uint8_t>(options.path, "hops", "kind");
    const auto ports = ReadValues<int32_t>(options.path, "hops", "port");
    EXPECT_EQ(started.at(999), 998001);
    EXPECT_EQ(kinds.at(500), 2U);
    EXPECT_EQ(ports.at(998), -998);
}

TEST_P(Hdf5TraceSinkCompression, KeepsEveryFieldOfTheSlowTables)
{
    const auto options = MakeOptions("fields");
    Hdf5TraceSink sink(options);
    WriteRows(sink, 30);
    sink.Close();
    const std::string& path = options.path;
    EXPECT_EQ(ReadValues<uint64_t>(path, "messages", "bytes").at(29), 6'000'000'029U);
    EXPECT_EQ(ReadValues<uint32_t>(path, "messages", "destination").at(29), 32U);
    EXPECT_EQ(ReadValues<int64_t>(path, "messages", "received").at(29), 35);
    EXPECT_EQ(ReadValues<int64_t>(path, "messages", "completed").at(29), TRACE_NEVER);
    EXPECT_EQ(ReadValues<uint8_t>(path, "messages", "failed").at(29), 1U);
    EXPECT_EQ(ReadValues<uint64_t>(path, "collectives", "sent_bytes").at(29), 33U);
    EXPECT_EQ(ReadValues<int64_t>(path, "compute", "end").at(29), 33);
    EXPECT_EQ(ReadValues<uint32_t>(path, "compute", "micro_batch").at(29), 34U);
    EXPECT_EQ(ReadValues<uint32_t>(path, "compute", "part").at(29), 35U);
    EXPECT_EQ(ReadValues<uint32_t>(path, "nodes", "address").at(29), 167772190U);
    EXPECT_EQ(ReadValues<uint64_t>(path, "links", "rate_bps").at(29), 100'000'000'000U);
    EXPECT_EQ(ReadValues<int64_t>(path, "links", "delay_ps").at(29), 1'000'029);
    using Text = std::array<char, 24>;
    EXPECT_STREQ(ReadValues<Text>(path, "collectives", "op").at(29).data(), "allreduce");
    EXPECT_STREQ(ReadValues<Text>(path, "collectives", "algorithm").at(29).data(), "ring");
    using Group = std::array<char, TRACE_GROUP_WIDTH>;
    EXPECT_STREQ(ReadValues<Group>(path, "collectives", "group").at(29).data(), "data");
}

TEST(Hdf5TraceSink, HoldsTheSameContentWithEitherCompression)
{
    auto plain = MakeOptions("plain");
    auto deflated = MakeOptions("deflated");
    deflated.compression = "deflate";
    plain.chunkRows = deflated.chunkRows = 1000;
    for (const auto& options : {plain, deflated})
    {
        Hdf5TraceSink sink(options);
        WriteRows(sink, 5500);
        sink.Close();
    }
    EXPECT_EQ(ReadContent(plain.path), ReadContent(deflated.path));
    EXPECT_LT(2 * ReadBytes(deflated.path).size(), ReadBytes(plain.path).size());
}

TEST_P(Hdf5TraceSinkCompression, WritesIdenticalFilesFromTheSameRecords)
{
    const auto first = MakeOptions("first");
    const auto second = MakeOptions("second");
    for (const auto& options : {first, second})
    {
        Hdf5TraceSink sink(options);
        sink.SetAttribute("seed", uint64_t{1});
        WriteRows(sink, 100);
        sink.Flush();
        WriteRows(sink, 3);
        sink.Close();
    }
    EXPECT_EQ(ReadBytes(first.path), ReadBytes(second.path));
}

TEST_P(Hdf5TraceSinkCompression, LeavesTheFlushedRowsWhenKilled)
{
    const auto options = MakeOptions("killed");
    WriteAndDie(options, [](TraceSink& sink) {
        WriteRows(sink, 20);
        sink.Flush();
        WriteRows(sink, 53);
        sink.Flush();
        WriteRows(sink, 6); // makes the last chunk whole, and is not flushed
    });
    auto numbers = ReadValues<int64_t>(options.path, "hops", "enqueued");
    ASSERT_GE(numbers.size(), 73U);
    numbers.resize(73);
    auto expected = CountUp(20);
    const auto more = CountUp(53);
    expected.insert(expected.end(), more.begin(), more.end());
    EXPECT_EQ(numbers, expected);
    EXPECT_GE(ReadValues<uint32_t>(options.path, "links", "node_a").size(), 73U);
}

TEST_P(Hdf5TraceSinkCompression, FlushesByRowsWhenAsked)
{
    auto options = MakeOptions("rows");
    options.flushRows = 21;
    WriteAndDie(options, [](TraceSink& sink) { WriteRows(sink, 100); });
    EXPECT_EQ(ReadValues<int64_t>(options.path, "hops", "enqueued"), CountUp(84));
}

TEST(Hdf5TraceSink, FlushesByTheClock)
{
    auto options = MakeOptions("clock");
    options.flushInterval = std::chrono::milliseconds(1);
    WriteAndDie(options, [](TraceSink& sink) {
        WriteRows(sink, 10);
        usleep(2000);
        sink.Node({10, "host-10", "host", 0});
    });
    EXPECT_EQ(ReadValues<int64_t>(options.path, "hops", "enqueued"), CountUp(10));
    EXPECT_EQ(ReadValues<uint32_t>(options.path, "nodes", "node").size(), 11U);
}

TEST(Hdf5TraceSink, RefusesPathsThatCannotBeWritten)
{
    for (const std::string path : {"", "/nowhere/at/all.h5", "/", "/proc/trace.h5", "/dev/null"})
    {
        auto options = MakeOptions("path");
        options.path = path;
        EXPECT_THROW(Hdf5TraceSink{options}, UserError) << path;
    }
}

TEST(Hdf5TraceSink, SaysInOneSentenceWhatIsWrongWithThePath)
{
    auto options = MakeOptions("sentence");
    options.path = "/nowhere/trace.h5";
    try
    {
        Hdf5TraceSink sink(options);
        FAIL();
    }
    catch (const UserError& error)
    {
        EXPECT_STREQ(error.what(),
                     "/nowhere/trace.h5: can't write the trace file (No such file or directory); "
                     "name a file in a folder that exists and is yours to write");
    }
}

TEST(Hdf5TraceSink, RefusesUnknownCompressionAndEmptyChunks)
{
    auto options = MakeOptions("values");
    options.compression = "zip";
    EXPECT_THROW(Hdf5TraceSink{options}, UserError);
    options = MakeOptions("values");
    options.chunkRows = 0;
    EXPECT_THROW(Hdf5TraceSink{options}, UserError);
}

TEST(Hdf5TraceSink, ReplacesATraceButNoOtherFile)
{
    const auto options = MakeOptions("other");
    std::ofstream(options.path) << "nodes: 8";
    EXPECT_THROW(Hdf5TraceSink{options}, UserError);
    EXPECT_EQ(ReadBytes(options.path), "nodes: 8");
    std::ofstream(options.path, std::ios::trunc).close();
    Hdf5TraceSink(options).Close();
    EXPECT_NO_THROW(Hdf5TraceSink{options});
    Hdf5TraceSink writer(options);
    EXPECT_THROW(Hdf5TraceSink{options}, UserError) << "two writers";
}

TEST(Hdf5TraceSink, RefusesTextThatDoesNotFitItsColumn)
{
    const auto options = MakeOptions("text");
    Hdf5TraceSink sink(options);
    sink.Compute({0, 0, "sixteen bytes ok", 0, 0, 0});
    EXPECT_THROW(sink.Compute({1, 0, "seventeen bytes..", 0, 0, 0}), std::length_error);
    sink.Close();
    EXPECT_EQ(ReadValues<uint32_t>(options.path, "compute", "step").size(), 1U);
}

TEST(Hdf5TraceSink, TakesNothingAfterClose)
{
    Hdf5TraceSink sink(MakeOptions("closed"));
    sink.Close();
    sink.Close();
    EXPECT_THROW(sink.Hop({}), std::logic_error);
    EXPECT_THROW(sink.Flush(), std::logic_error);
}

TEST(Hdf5TraceSinkDeathTest, ThrowsAndPrintsNothingWhenTheFileMayNotGrow)
{
    const auto options = MakeOptions("full");
    const auto write = [&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        try
        {
            Hdf5TraceSink sink(options);
            WriteRows(sink, 10000);
        }
        catch (const std::runtime_error&)
        {
            exit(3);
        }
    };
    EXPECT_EXIT(write(), testing::ExitedWithCode(3), "^$");
}
