/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rates do not depend on the tick. A process has one resolution: this program starts itself again.

#include "nic-fixture.h"

#include "ns3/data-rate.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** FixedRate at two resolutions. */
class TickResolutionTest : public StarFixture
{
  protected:
    /**
     * @param rate attribute Rate of FixedRate
     * @return payload over time of 100 MB, bit/s
     */
    double MeasureThroughput(const std::string& rate)
    {
        Config::SetDefault("ns3::llmfabric::FixedRate::Rate", DataRateValue(DataRate(rate)));
        Build(2, 1024);
        const double seconds = TimeStep(RunOne(30000000).ReceivedAt()).GetSeconds();
        Simulator::Destroy();
        m_connections.clear();
        return 30e6 * 8 / seconds;
    }

    /** Paces that are no multiple of a tick, and the line itself, 334.24 ns for a full packet. */
    static constexpr const char* RATES[] = {"0bps", "33333333333bps", "97Gbps", "7Gbps"};
};

TEST_F(TickResolutionTest, ThroughputIsTheSameWithPicosecondsAndNanoseconds)
{
    const char* file = std::getenv(NANOSECONDS_VARIABLE);
    if (file)
    {
        std::ofstream out(file);
        out.precision(17);
        for (const char* rate : RATES)
        {
            out << MeasureThroughput(rate) << "\n";
        }
        return;
    }
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    if (self.find("gtest") == std::string::npos)
    {
        GTEST_SKIP() << "not in a program of GoogleTest";
    }
    const std::string path = testing::TempDir() + "tick-" + std::to_string(getpid());
    const std::string command = std::string(NANOSECONDS_VARIABLE) + "='" + path + "' '" + self +
                                "' --gtest_filter='TickResolutionTest.*' >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(path);
    for (const char* rate : RATES)
    {
        double coarse = 0;
        ASSERT_TRUE(in >> coarse) << rate;
        const double fine = MeasureThroughput(rate);
        EXPECT_NEAR(coarse, fine, 1e-4 * fine) << rate;
        EXPECT_NE(coarse, fine) << rate; // else the resolution was the same
    }
    std::remove(path.c_str());
}

} // namespace
