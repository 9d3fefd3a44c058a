/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIMULATION_FIXTURE_H
#define SIMULATION_FIXTURE_H

#include "ns3/config.h"
#include "ns3/names.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace ns3
{
namespace llmfabric
{

/// Environment variable of a process that shall keep ns-3's resolution of nanoseconds.
inline constexpr const char* NANOSECONDS_VARIABLE = "LLM_FABRIC_TEST_NANOSECONDS";

/// Picoseconds for the whole process: ns-3 takes a resolution only before the first Run().
class PicosecondEnvironment : public testing::Environment
{
  public:
    void SetUp() override
    {
        if (Time::GetResolution() != Time::PS && !std::getenv(NANOSECONDS_VARIABLE))
        {
            Time::SetResolution(Time::PS);
        }
    }
};

/// Set up before the first test of the process, whichever that is.
inline testing::Environment* const g_picoseconds =
    testing::AddGlobalTestEnvironment(new PicosecondEnvironment);

/// A test that runs simulations and leaves nothing of them behind.
class SimulationTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        EndSimulation();
    }

    /// End the simulation and forget all settings; a test may go on with another simulation.
    static void EndSimulation()
    {
        Simulator::Destroy();
        Names::Clear();
        Config::Reset();
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* SIMULATION_FIXTURE_H */
