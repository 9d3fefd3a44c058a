/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/gpu-preset.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

TEST(GpuPreset, HasTheNumbersOfTheDataSheet)
{
    const GpuPreset a100 = GpuPreset::Get("A100");
    EXPECT_EQ(a100.name, "A100");
    EXPECT_DOUBLE_EQ(a100.peakFlops, 312e12);
    EXPECT_EQ(a100.memoryBytes, 80000000000u);
    EXPECT_DOUBLE_EQ(a100.memoryRate, 2.0e12);
    EXPECT_DOUBLE_EQ(GpuPreset::Get("V100").peakFlops, 125e12);
    EXPECT_DOUBLE_EQ(GpuPreset::Get("L40S").memoryRate, 0.864e12);
    EXPECT_EQ(GpuPreset::Get("H200").memoryBytes, 141000000000u);
    EXPECT_DOUBLE_EQ(GpuPreset::Get("B200").peakFlops, 2250e12);
}

TEST(GpuPreset, PeakOfH100IsThatOfItsTensorCores)
{
    // 528 cores, 512 multiply-adds each, 1.83 GHz
    EXPECT_NEAR(GpuPreset::Get("H100").peakFlops, 528 * 512 * 2 * 1.83e9, 0.1e12);
    EXPECT_DOUBLE_EQ(GpuPreset::Get("H200").peakFlops, GpuPreset::Get("H100").peakFlops);
}

TEST(GpuPreset, EfficiencyTimesPeakIsWhatWasMeasured)
{
    const auto measured = [](const std::string& name) {
        const GpuPreset gpu = GpuPreset::Get(name);
        return gpu.efficiency * gpu.peakFlops;
    };
    EXPECT_DOUBLE_EQ(measured("A100"), 271e12);
    EXPECT_DOUBLE_EQ(measured("H100"), 794.5e12);
    EXPECT_DOUBLE_EQ(measured("B200"), 1745e12);
    EXPECT_EQ(GpuPreset::Get("H200").efficiency, GpuPreset::Get("H100").efficiency);
    EXPECT_NE(GpuPreset::Get("H200").source.find("on H100"), std::string::npos);
}

TEST(GpuPreset, AnEfficiencyHasASourceAndElseIsUnknown)
{
    for (const std::string& name : GpuPreset::GetNames())
    {
        const GpuPreset gpu = GpuPreset::Get(name);
        EXPECT_EQ(gpu.name, name);
        EXPECT_EQ(gpu.efficiency > 0, !gpu.source.empty()) << name;
        EXPECT_EQ(gpu.efficiency == 0, name == "V100" || name == "L40S") << name;
        EXPECT_LT(gpu.efficiency, 1) << name;
    }
}

TEST(GpuPreset, AnUnknownNameListsTheKnownOnes)
{
    try
    {
        GpuPreset::Get("h100");
        FAIL();
    }
    catch (const UserError& error)
    {
        EXPECT_EQ(std::string(error.what()),
                  "compute.gpu: unknown GPU 'h100'; known: A100, B200, H100, H200, L40S, V100");
    }
}

} // namespace
