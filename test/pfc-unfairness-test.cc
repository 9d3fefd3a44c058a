/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The parking lot and the victim flow of Zhu et al., SIGCOMM 2015, section 2.2: what PFC alone does
// to flows, and what DCQCN does for them.

#include "scenario-run-fixture.h"

#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{
namespace
{

class PfcUnfairnessTest : public ScenarioRunTest
{
  protected:
    /**
     * @param scenario a preset with flows
     * @param control its congestion control
     * @return goodput of each flow, Gb/s
     */
    std::vector<double> GetGoodputs(const std::string& scenario, const std::string& control)
    {
        const nlohmann::json summary = Run(scenario, {"nic.congestion_control=" + control});
        std::vector<double> goodputs;
        for (const nlohmann::json& flow : summary.at("flows"))
        {
            const double bits = 8 * flow.at("bytes").get<double>();
            goodputs.push_back(bits / flow.at("fct_ns").get<double>());
        }
        m_pauses = summary.at("counters").at("pfc_pause_sent").get<uint64_t>();
        return goodputs;
    }

    uint64_t m_pauses{0}; //!< PFC pauses of the last run
};

TEST_F(PfcUnfairnessTest, PfcSharesALinkAmongPortsNotAmongFlows)
{
    const std::vector<double> flows = GetGoodputs("parking-lot", "FixedRate");
    const double payload = 40.0 * 1000 / 1082; // of the link, without headers
    // Half for the flow that has a port alone. The others share the other half while it lasts, and
    // the whole link afterwards: 3/4 of the link for all of their time.
    EXPECT_NEAR(flows.at(3), payload / 2, 0.02 * payload / 2);
    for (std::size_t i = 0; i < 3; ++i)
    {
        EXPECT_NEAR(flows.at(i), payload / 4, 0.02 * payload / 4);
    }
    EXPECT_GT(m_pauses, 10000u);
}

TEST_F(PfcUnfairnessTest, DcqcnSharesTheLinkAmongFlows)
{
    const std::vector<double> flows = GetGoodputs("parking-lot", "Dcqcn");
    const double mean = std::accumulate(flows.begin(), flows.end(), 0.0) / 4;
    for (double flow : flows)
    {
        EXPECT_NEAR(flow, mean, 0.08 * mean);
    }
    EXPECT_EQ(m_pauses, 0u);
}

TEST_F(PfcUnfairnessTest, DcqcnFreesTheVictim)
{
    const double held = GetGoodputs("victim-flow", "FixedRate").at(0);
    EXPECT_GT(m_pauses, 10000u);
    const double freed = GetGoodputs("victim-flow", "Dcqcn").at(0);
    EXPECT_EQ(m_pauses, 0u);
    // Its uplink also carries 3 of 6 flows to a link of 40 Gb/s: held as they are it gets what each
    // of them gets; freed it may take the other half of the uplink.
    const double payload = 40.0 * 1000 / 1082;
    EXPECT_NEAR(held, payload / 6, 0.1 * payload / 6);
    EXPECT_NEAR(freed, payload / 2, 0.1 * payload / 2);
}

} // namespace
} // namespace llmfabric
} // namespace ns3
