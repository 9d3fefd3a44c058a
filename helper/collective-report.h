/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_REPORT_H
#define COLLECTIVE_REPORT_H

#include "collective-bench.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The rows of a bench for machines: one JSON object, times in microseconds, bandwidths in GB/s.
 */
class CollectiveReport
{
  public:
    /** @param bench what is run */
    explicit CollectiveReport(const CollectiveBench& bench);

    /** @param row what has been run */
    void Add(const CollectiveBenchRow& row);

    /** All has been run. */
    void End();

    /// @return the object
    const nlohmann::ordered_json& GetJson() const
    {
        return m_json;
    }

    /**
     * @param path file to write
     * @throws UserError if it can't be opened; std::runtime_error if the disk is full
     */
    void Write(const std::string& path) const;

  private:
    nlohmann::ordered_json m_json; //!< the object
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_REPORT_H */
