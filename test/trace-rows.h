/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "ns3/hdf5-trace-sink.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// @return folder for the files of this process, which is empty at first and removed at its end
inline const std::string&
GetTestFolder()
{
    struct Folder
    {
        const pid_t owner = getpid();
        const std::string path = testing::TempDir() + "trace-test-" + std::to_string(owner);

        Folder()
        {
            std::filesystem::create_directory(path);
        }

        ~Folder()
        {
            if (getpid() == owner)
            {
                std::filesystem::remove_all(path);
            }
        }
    };

    static const Folder folder;
    return folder.path;
}

/**
 * @param name part of a file name
 * @return options to write a file of this process, in small chunks, and not by the clock
 */
inline Hdf5TraceSink::Options
MakeOptions(const std::string& name)
{
    Hdf5TraceSink::Options options;
    options.path = GetTestFolder() + "/" + name + ".h5";
    options.chunkRows = 7;
    options.flushInterval = std::chrono::milliseconds(0);
    return options;
}

/**
 * @param number any number
 * @return a row in which all fields depend on it
 */
inline HopRecord
MakeHop(int64_t number)
{
    HopRecord hop;
    hop.enqueued = number;
    hop.started = number * number;
    hop.frame = 0xf000000000000000 + number;
    hop.port = -static_cast<int32_t>(number);
    hop.kind = static_cast<TraceFrameKind>(number % 6);
    hop.queueBytes = 5'000'000'000 + number % 3;
    return hop;
}

/**
 * Writes rows of all tables.
 * @param sink where to
 * @param rows number of rows of each table
 */
inline void
WriteRows(TraceSink& sink, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; ++i)
    {
        sink.Hop(MakeHop(i));
        sink.Message({i, i + 1, i + 2, i + 3, 6'000'000'000U + i, i + 5, i + 6, -1, 1});
        sink.Collective({i, "allreduce", "ring", i + 1, 8, i + 3, i + 4, i + 5, i + 6, "data"});
        sink.Compute({i, i + 1, i % 2 ? "forward" : "backward", i + 2, i + 3, i + 4, i + 5, i + 6});
        sink.Node({i, "host-" + std::to_string(i), "host", 167772161 + i});
        sink.Link({i, i + 1, i + 2, i + 3, 100'000'000'000U, 1'000'000 + i});
    }
}

/**
 * Runs a writer in a process of its own that ends by SIGKILL.
 * @param options where and how to write
 * @param write what it writes before the kill
 */
template <typename Write>
void
WriteAndDie(const Hdf5TraceSink::Options& options, Write write)
{
    const pid_t child = fork();
    if (child == 0)
    {
        Hdf5TraceSink sink(options);
        write(sink);
        raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/**
 * @param count how many
 * @return 0, 1, 2, ...
 */
inline std::vector<int64_t>
CountUp(int64_t count)
{
    std::vector<int64_t> numbers(count);
    std::generate(numbers.begin(), numbers.end(), [n = 0]() mutable { return n++; });
    return numbers;
}

} // namespace llmfabric
} // namespace ns3

#endif /* TRACE_ROWS_H */
