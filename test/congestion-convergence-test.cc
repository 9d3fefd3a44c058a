/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-fixture.h"
#include "shared-bottleneck.h"

#include "ns3/cc-swift.h"
#include "ns3/congestion-preset.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

constexpr int64_t US = 1000000;   //!< microsecond, ticks of 1 ps
constexpr int64_t MS = 1000 * US; //!< millisecond, ticks

class CongestionConvergenceTest : public NicFixture
{
  protected:
    /**
     * @param name of a preset
     * @param lineRate of the hosts, bit/s
     * @param changes attributes of the control that differ from it
     * @return a control of the preset
     */
    static Ptr<CongestionControl> Make(
        const std::string& name,
        double lineRate,
        const std::vector<std::pair<std::string, std::string>>& changes = {})
    {
        const CongestionPreset& preset = *FindCongestionPreset(name);
        ObjectFactory factory(preset.control);
        const std::string prefix = preset.control + "::";
        for (const CongestionPresetValue& value : preset.values)
        {
            if (value.attribute.rfind(prefix, 0) == 0)
            {
                factory.Set(value.attribute.substr(prefix.size()),
                            StringValue(value.GetValue(lineRate)));
            }
        }
        for (const auto& [attribute, value] : changes)
        {
            factory.Set(attribute, StringValue(value));
        }
        return factory.Create<CongestionControl>();
    }

    /**
     * @param preset of both flows
     * @param first initial rate of the first, bit/s
     * @param second initial rate of the second, bit/s
     * @return two flows of TIMELY on a line of 10 Gb/s, base round-trip time 20 us
     */
    static SharedBottleneck TwoOfTimely(const std::string& preset,
                                        const std::string& first,
                                        const std::string& second)
    {
        SharedBottleneck queue(10e9, 20 * US);
        for (const std::string& rate : {first, second})
        {
            queue.Add(Make(preset, 10e9, {{"InitialRate", rate}, {"SegmentSize", "16000"}}));
        }
        return queue;
    }
};

TEST_F(CongestionConvergenceTest, PatchedTimelyReachesItsFixedPoint)
{
    SharedBottleneck queue = TwoOfTimely("timely-patched", "7Gbps", "3Gbps");
    queue.Run(300 * MS);
    queue.Run(400 * MS);
    EXPECT_GT(JainIndex(queue.GetRates()), 0.99999);
    EXPECT_NEAR(queue.GetUtilization(), 1, 1e-4);
    // Gradient 0, w = 1/2: rtt = ref (1 + delta / (beta C/N)) = 50 us (1 + 10e6 / (0.008 * 5e9)),
    // 62.5 us, of which 42.5 us at 10 Gb/s are in the queue.
    EXPECT_NEAR(queue.GetMeanQueue(), 53125, 53125 * 0.01);
}

TEST_F(CongestionConvergenceTest, TimelyHasNoFixedPointOfItsOwn)
{
    // "ECN or Delay", section 4.2: where it ends depends on where it starts.
    SharedBottleneck unequal = TwoOfTimely("timely", "7Gbps", "3Gbps");
    unequal.Run(100 * MS);
    unequal.Run(200 * MS);
    EXPECT_LT(JainIndex(unequal.GetRates()), 0.7);
    EXPECT_GT(unequal.GetRates()[0], unequal.GetRates()[1]);
    SharedBottleneck other = TwoOfTimely("timely", "3Gbps", "7Gbps");
    other.Run(100 * MS);
    other.Run(200 * MS);
    EXPECT_LT(other.GetRates()[0], other.GetRates()[1]);
}

TEST_F(CongestionConvergenceTest, HpccSharesNearlyTheWholeLineWithHardlyAQueue)
{
    SharedBottleneck queue(100e9, 10 * US);
    for (int flow = 0; flow < 4; ++flow)
    {
        queue.Add(Make("hpcc", 100e9, {{"Flows", "4"}}));
    }
    queue.Run(5 * MS);
    queue.Run(15 * MS);
    EXPECT_GT(JainIndex(queue.GetRates()), 0.999);
    EXPECT_GT(queue.GetUtilization(), 0.95);
    EXPECT_LT(queue.GetMeanQueue(), 0.02 * 125000); // of the bandwidth-delay product
}

TEST_F(CongestionConvergenceTest, HpccGivesALateFlowItsHalf)
{
    SharedBottleneck queue(100e9, 10 * US);
    queue.Add(Make("hpcc", 100e9, {{"Flows", "2"}}));
    queue.Add(Make("hpcc", 100e9, {{"Flows", "2"}}), 2 * MS);
    queue.Run(5 * MS);
    queue.Run(15 * MS);
    EXPECT_GT(JainIndex(queue.GetRates()), 0.999);
}

TEST_F(CongestionConvergenceTest, AloneHpccUsesTheShareEtaOfTheLine)
{
    // Alone W = W / (U/eta) + W_AI: U = eta W / (W - W_AI), 0.95 and half a thousandth.
    SharedBottleneck queue(100e9, 10 * US);
    queue.Add(Make("hpcc", 100e9));
    queue.Run(5 * MS);
    queue.Run(15 * MS);
    EXPECT_NEAR(queue.GetUtilization(), 0.95, 0.005);
}

TEST_F(CongestionConvergenceTest, DctcpKeepsTheQueueBelowTheThreshold)
{
    const uint64_t threshold = 300000;
    SharedBottleneck queue(100e9, 10 * US, threshold);
    queue.Add(Make("dctcp", 100e9));
    queue.Add(Make("dctcp", 100e9), 2 * MS);
    queue.Run(10 * MS);
    queue.Run(30 * MS);
    EXPECT_GT(JainIndex(queue.GetRates()), 0.99);
    EXPECT_GT(queue.GetUtilization(), 0.95);
    EXPECT_LT(queue.GetMeanQueue(), threshold);
}

TEST_F(CongestionConvergenceTest, SwiftKeepsTheDelayAtTheTarget)
{
    SharedBottleneck queue(100e9, 10 * US);
    std::vector<Ptr<Swift>> flows;
    for (int flow = 0; flow < 4; ++flow)
    {
        flows.push_back(DynamicCast<Swift>(Make("swift", 100e9)));
        queue.Add(flows.back());
    }
    queue.Run(5 * MS);
    queue.Run(15 * MS);
    EXPECT_GT(JainIndex(queue.GetRates()), 0.999);
    EXPECT_NEAR(queue.GetUtilization(), 1, 1e-3);
    const double target = flows[0]->GetTargetDelay(1);
    const double delay = 10.0 * US + queue.GetMeanQueue() * 80; // 80 ps a byte
    EXPECT_NEAR(delay, target, 0.03 * target);
}

TEST_F(CongestionConvergenceTest, SwiftSharesALineAmongMoreFlowsThanPackets)
{
    SharedBottleneck queue(10e9, 10 * US); // 12.5 packets under way fill it
    const int flows = 50;
    for (int flow = 0; flow < flows; ++flow)
    {
        queue.Add(Make("swift", 10e9));
    }
    queue.Run(50 * MS);
    queue.Run(80 * MS);
    EXPECT_GT(JainIndex(queue.GetRates()), 0.99);
    EXPECT_GT(queue.GetUtilization(), 0.99);
    // The target with cwnd near 1: BaseTarget + a hop + a - b, 52 us
    const double delay = 10.0 * US + queue.GetMeanQueue() * 800;
    EXPECT_NEAR(delay, 52.4 * US, 0.2 * 52.4 * US);
}

} // namespace
