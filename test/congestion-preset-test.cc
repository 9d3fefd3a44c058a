/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-fixture.h"

#include "ns3/congestion-control.h"
#include "ns3/congestion-preset.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

class CongestionPresetTest : public SimulationTest
{
  protected:
    /**
     * @param name of a preset
     * @param attribute full name without the namespaces
     * @return its value on lines of 100 Gb/s; empty if the preset has none
     */
    static std::string ValueOf(const std::string& name, const std::string& attribute)
    {
        for (const CongestionPresetValue& value : FindCongestionPreset(name)->values)
        {
            if (value.attribute == "ns3::llmfabric::" + attribute)
            {
                return value.GetValue(100e9);
            }
        }
        return "";
    }
};

TEST_F(CongestionPresetTest, ThereIsOneForEachControlAndVariant)
{
    std::vector<std::string> names;
    for (const CongestionPreset& preset : GetCongestionPresets())
    {
        names.push_back(preset.name);
        EXPECT_EQ(FindCongestionPreset(preset.name), &preset);
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"dcqcn-paper",
                                        "dcqcn-connectx",
                                        "hpcc",
                                        "timely",
                                        "timely-patched",
                                        "dctcp",
                                        "swift",
                                        "fixed"}));
    EXPECT_EQ(FindCongestionPreset("cubic"), nullptr);
}

TEST_F(CongestionPresetTest, EveryValueIsOneThatItsAttributeTakes)
{
    for (const CongestionPreset& preset : GetCongestionPresets())
    {
        std::set<std::string> seen;
        for (const CongestionPresetValue& value : preset.values)
        {
            const std::size_t split = value.attribute.rfind("::");
            const std::string type = value.attribute.substr(0, split);
            const std::string where = preset.name + ": " + value.attribute;
            TypeId tid;
            ASSERT_TRUE(TypeId::LookupByNameFailSafe(type, &tid)) << where;
            TypeId::AttributeInformation info;
            ASSERT_TRUE(tid.LookupAttributeByName(value.attribute.substr(split + 2), &info))
                << where;
            EXPECT_TRUE(info.checker->CreateValidValue(StringValue(value.GetValue(400e9))))
                << where;
            EXPECT_FALSE(value.source.empty()) << where;
            EXPECT_TRUE(seen.insert(value.attribute).second) << where;
        }
    }
}

TEST_F(CongestionPresetTest, EveryControlStartsWithItsValues)
{
    for (const CongestionPreset& preset : GetCongestionPresets())
    {
        ObjectFactory factory(preset.control);
        for (const CongestionPresetValue& value : preset.values)
        {
            if (value.attribute.rfind(preset.control + "::", 0) == 0)
            {
                factory.Set(value.attribute.substr(preset.control.size() + 2),
                            StringValue(value.GetValue(100e9)));
            }
        }
        const Ptr<CongestionControl> control = factory.Create<CongestionControl>();
        control->Start(0, {100e9, 1000, 8000000});
        EXPECT_EQ(control->GetRate(0), 100e9) << preset.name;
    }
}

TEST_F(CongestionPresetTest, DcqcnPaperHasTheDefaultsOfTheClass)
{
    const CongestionPreset& preset = *FindCongestionPreset("dcqcn-paper");
    const TypeId tid = TypeId::LookupByName(preset.control);
    for (const CongestionPresetValue& value : preset.values)
    {
        TypeId::AttributeInformation info;
        if (value.attribute.rfind(preset.control + "::", 0) == 0 &&
            tid.LookupAttributeByName(value.attribute.substr(preset.control.size() + 2), &info))
        {
            const auto given = info.checker->CreateValidValue(StringValue(value.GetValue(40e9)));
            const auto initial = info.checker->CreateValidValue(*info.originalInitialValue);
            EXPECT_EQ(given->SerializeToString(info.checker),
                      initial->SerializeToString(info.checker))
                << value.attribute;
        }
    }
    EXPECT_EQ(ValueOf("dcqcn-paper", "RedMarkPolicy::Kmin"), "5000");
    EXPECT_EQ(ValueOf("dcqcn-paper", "RedMarkPolicy::Kmax"), "200000");
    EXPECT_EQ(ValueOf("dcqcn-paper", "RedMarkPolicy::Pmax"), "0.01");
}

TEST_F(CongestionPresetTest, ConnectxHasTheFirmwareDefaults)
{
    EXPECT_EQ(std::stod(ValueOf("dcqcn-connectx", "Dcqcn::Gain")), 1 - 1019.0 / 1024);
    EXPECT_EQ(std::stod(ValueOf("dcqcn-connectx", "Dcqcn::InitialAlpha")), 1023.0 / 1024);
    EXPECT_EQ(std::stoul(ValueOf("dcqcn-connectx", "Dcqcn::ByteCounter")), 32767u * 64);
    EXPECT_EQ(ValueOf("dcqcn-connectx", "Dcqcn::FastRecoveryStages"), "1");
    EXPECT_EQ(ValueOf("dcqcn-connectx", "Dcqcn::IncreaseTimer"), "300us");
    EXPECT_EQ(ValueOf("dcqcn-connectx", "RoceNic::CnpInterval"), "4us");
    EXPECT_EQ(ValueOf("dcqcn-connectx", "RedMarkPolicy::Kmin"), "");
}

TEST_F(CongestionPresetTest, SomeValuesFollowTheLineRate)
{
    EXPECT_EQ(ValueOf("dctcp", "RedMarkPolicy::Kmin"), "300000"); // 30 KB at 10 Gb/s
    EXPECT_EQ(ValueOf("timely", "Timely::Delta"), "100000000bps");
}

} // namespace
