/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "run-results.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes results for machines: one JSON object. Times are in nanoseconds unless the key says
 * otherwise, as floating point numbers with the resolution of a picosecond.
 */
class RunSummary
{
  public:
    /**
     * @param results the results
     * @return the JSON text
     */
    static std::string ToJson(const RunResults& results);

    /**
     * @param results the results
     * @param path file to write
     * @throws UserError if the file can't be opened; std::runtime_error if the disk is full
     */
    static void Write(const RunResults& results, const std::string& path);
};

} // namespace llmfabric
} // namespace ns3

#endif /* RUN_SUMMARY_H */
