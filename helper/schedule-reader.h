/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_READER_H
#define SCHEDULE_READER_H

#include "ns3/listed-plan.h"

#include <istream>
#include <memory>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads what all ranks do from a schedule file: JSON lines, which traces/SCHEMA.md describes.
 *
 * Every mistake ends in a UserError of one sentence, which says file and line. After the last line
 * one step is done by formula, without any cost of communication, so ops that can never end are
 * refused before a simulation. Set the time resolution before.
 */
class ScheduleReader
{
  public:
    /// The most ranks that a file may have.
    static constexpr uint32_t MAX_RANKS = 1U << 28;

    /**
     * @param path the file
     * @return the plan
     * @throws UserError for any mistake in the file, or if it can't be read
     */
    static std::shared_ptr<ListedPlan> Read(const std::string& path);

    /**
     * @param in what to read
     * @param name what to call it in messages, e.g. the path of the file
     * @return the plan
     * @throws UserError for any mistake in the file
     */
    static std::shared_ptr<ListedPlan> Read(std::istream& in, const std::string& name);
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCHEDULE_READER_H */
