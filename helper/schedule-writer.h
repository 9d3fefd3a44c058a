/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_WRITER_H
#define SCHEDULE_WRITER_H

#include "ns3/rank-plan.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes what all ranks do as a schedule file: JSON lines, which traces/SCHEMA.md describes.
 *
 * The groups that ops use come first, by id, then the ops rank by rank. Repetitions are written
 * out. Nothing but the current line is held in memory. ScheduleReader reads the file again.
 */
class ScheduleWriter
{
  public:
    /// The most ops that are written: a file of about 8 GB.
    static constexpr uint64_t MAX_OPS = 50000000;

    /**
     * @param plan the job
     * @param path the file to write
     * @throws UserError if the plan has more than MAX_OPS ops, a duration is no whole number of
     *         picoseconds, or the file can't be opened; std::runtime_error if the disk is full
     */
    static void Write(const RankPlan& plan, const std::string& path);

    /**
     * @param plan the job
     * @param out where to write
     * @throws UserError if the plan has more than MAX_OPS ops, or a duration is no whole number of
     *         picoseconds
     */
    static void Write(const RankPlan& plan, std::ostream& out);
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCHEDULE_WRITER_H */
