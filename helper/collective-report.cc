/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-report.h"

#include "explain-table.h"

#include "ns3/user-error.h"

#include <fstream>
#include <stdexcept>

namespace ns3
{
namespace llmfabric
{

CollectiveReport::CollectiveReport(const CollectiveBench& bench)
{
    const CollectiveBenchSpec& spec = bench.GetSpec();
    const Scenario::Cluster& cluster = bench.GetScenario().cluster;
    m_json = {{"op", spec.op.GetName()},
              {"ranks", bench.GetRanks()},
              {"nodes", cluster.nodes},
              {"gpus_per_node", cluster.gpusPerNode},
              {"nics_per_node", cluster.nicsPerNode},
              {"topology", cluster.topology},
              {"rate_bps", cluster.rate.GetBitRate()},
              {"datatype", spec.datatype},
              {"redop", spec.op.GetReduction()},
              {"root", spec.op.HasRoot() ? static_cast<int64_t>(spec.root) : -1},
              {"warmup_iters", spec.warmups},
              {"iters", spec.iterations},
              {"slots", bench.GetConfig().slots},
              {"bus_factor", spec.op.GetBusFactor(bench.GetRanks())},
              {"scenario", bench.GetScenario().text},
              {"error", "the run has not ended"},
              {"unfinished", nlohmann::ordered_json::array()},
              {"rows", nlohmann::ordered_json::array()}};
}

void
CollectiveReport::Add(const CollectiveBenchRow& row)
{
    m_json["unfinished"] = row.unfinished;
    if (!row.unfinished.empty())
    {
        m_json["error"] = "an op has not ended";
        return;
    }
    nlohmann::ordered_json json = {{"size", row.size},
                                   {"count", row.count},
                                   {"asked", row.series},
                                   {"algorithm", row.algorithm},
                                   {"protocol", GetName(row.protocol)},
                                   {"channels", row.channels},
                                   {"time_us", ToUs(row.time)},
                                   {"algbw", row.algorithmBandwidth},
                                   {"busbw", row.busBandwidth},
                                   {"model_us", nullptr}};
    if (row.model)
    {
        json["model_us"] = ToUs(*row.model);
    }
    m_json["rows"].push_back(json);
}

void
CollectiveReport::End()
{
    m_json["error"] = "";
}

void
CollectiveReport::Write(const std::string& path) const
{
    std::ofstream file(path);
    if (!file)
    {
        throw UserError("the file '" + path + "' can't be written",
                        "command line (--json)",
                        "name another one");
    }
    file << m_json.dump(1, '\t') << std::endl;
    if (!file)
    {
        throw std::runtime_error("the file '" + path + "' could not be written to the end");
    }
}

} // namespace llmfabric
} // namespace ns3
