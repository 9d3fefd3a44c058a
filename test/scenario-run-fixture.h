/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_RUN_FIXTURE_H
#define SCENARIO_RUN_FIXTURE_H

#include "simulation-fixture.h"

#include "ns3/run-summary.h"
#include "ns3/scenario-reader.h"
#include "ns3/scenario-runner.h"
#include "ns3/simulator.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** Runs scenarios in this process. */
class ScenarioRunTest : public SimulationTest
{
  protected:
    /**
     * @param name a preset or path
     * @param overrides path=value each
     * @return the summary
     */
    nlohmann::json Run(const std::string& name, const std::vector<std::string>& overrides)
    {
        ScenarioRunner runner(ScenarioReader::Read(name, overrides));
        runner.Setup();
        runner.Run();
        const nlohmann::json summary =
            nlohmann::json::parse(RunSummary::ToJson(runner.GetResults()));
        Simulator::Destroy();
        return summary;
    }

    /**
     * @param name name of a file
     * @return its path in the folder for temporary files; removed at the end of the test
     */
    std::string TemporaryPath(const std::string& name)
    {
        m_paths.push_back(testing::TempDir() + "scenario-run-" + name);
        return m_paths.back();
    }

    void TearDown() override
    {
        for (const std::string& path : m_paths)
        {
            std::remove(path.c_str());
        }
        SimulationTest::TearDown();
    }

  private:
    std::vector<std::string> m_paths; //!< files to remove
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_RUN_FIXTURE_H */
