/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_FIXTURE_H
#define SCENARIO_FIXTURE_H

#include "ns3/scenario-reader.h"
#include "ns3/user-error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// The example of the scenario file as JSON.
inline const std::string EXAMPLE = R"({
	"corpus": {"words": 100000}, "model": {"preset": "gpt2-small", "parameters": 128e6},
	"precision": {"activation": 2, "gradient": 2, "parameter": 2},
	"batch": {"global_tokens": 524288, "local_sequences": 32},
	"parallel": {"data": 8},
	"compute": {"forward": "104ms", "backward": "208ms", "update": "0ms"},
	"collective": {"allreduce": "ring"},
	"cluster": {"nodes": 8, "gpus_per_node": 1, "nics_per_node": 1,
		"nvlink": {"rate": "3.6Tbps", "delay": "500ns"},
		"topology": "single-switch", "rate": "100Gbps", "delay": "1us"},
	"nic": {"mtu": 4096, "congestion_control": "Dcqcn", "ack_interval": 16},
	"switch": {"buffer": "32MB", "pfc": true,
		"ecn": {"kmin": "400KB", "kmax": "1600KB", "pmax": 0.2}},
	"run": {"steps": 1, "seed": 1, "run_number": 1},
	"trace": {"file": "gpt2-dp8.h5", "compression": "deflate"}, "attributes": {}})";

/// A training job with the required keys only.
inline const std::string SHORT_JOB = "corpus: {tokens: 5}\n"
                                     "model: {preset: gpt2-small}\n"
                                     "batch: {local_sequences: 4}\n"
                                     "parallel: {data: 2}\n"
                                     "compute: {forward: 1ms, backward: 2ms}\n"
                                     "cluster: {nodes: 2, gpus_per_node: 1}\n";

/// Plain traffic with the required keys only.
inline const std::string SHORT_TRAFFIC = "cluster:\n"
                                         "  nodes: 4\n"
                                         "flows:\n"
                                         "  - {from: 0, to: 3, bytes: 1MB}\n";

/**
 * @param text a scenario
 * @param overrides path=value each
 * @return the message of the UserError that reading it throws
 */
inline std::string
Complaint(const std::string& text, const std::vector<std::string>& overrides = {})
{
    try
    {
        ScenarioReader::ReadText(text, "a.yaml", overrides);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no complaint";
}

/**
 * @param text what to look in
 * @param parts what must be there
 */
inline void
ExpectParts(const std::string& text, const std::vector<std::string>& parts)
{
    for (const auto& part : parts)
    {
        EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
    }
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

/**
 * @param pathAndValue path=value, put on the example
 * @param parts what the complaint must say beside where
 */
inline void
ExpectRefused(const std::string& pathAndValue, const std::vector<std::string>& parts)
{
    const std::string complaint = Complaint(EXAMPLE, {pathAndValue});
    ExpectParts(complaint, {"--set (" + pathAndValue.substr(0, pathAndValue.find('=')) + ")"});
    ExpectParts(complaint, parts);
}

/// A folder of presets that $LLM_FABRIC_SCENARIOS names while this lives.
class PresetFolder
{
  public:
    PresetFolder()
        : m_path(testing::TempDir() + "llm-fabric-presets")
    {
        std::filesystem::create_directories(m_path);
        setenv("LLM_FABRIC_SCENARIOS", m_path.c_str(), 1);
    }

    ~PresetFolder()
    {
        unsetenv("LLM_FABRIC_SCENARIOS");
        std::filesystem::remove_all(m_path);
    }

    /**
     * @param name a file name
     * @param text what to write into it
     * @return its path
     */
    std::string Write(const std::string& name, const std::string& text) const
    {
        const std::string path = m_path + "/" + name;
        std::ofstream(path) << text;
        return path;
    }

  private:
    std::string m_path; //!< the folder
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_FIXTURE_H */
