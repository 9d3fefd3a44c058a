/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gpu-preset.h"

#include "ns3/user-error.h"

#include <map>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param measured a rate, e.g. "271 of 312"
 * @return where that rate of the best 16-bit matrix product was published
 */
std::string
Book(const std::string& measured)
{
    return "S. Bekman, Machine Learning Engineering, maximum achievable matmul FLOPS: " + measured +
           " TFLOPS";
}

/**
 * @return all GPUs by name
 */
std::map<std::string, GpuPreset>
MakePresets()
{
    const double a100 = 312e12;
    const double h100 = 989.4e12;
    const double b200 = 2250e12;
    const std::string ofH100 = Book("794.5 of 989.4");
    const std::vector<GpuPreset> all{
        {"V100", 125e12, 32000000000, 0.9e12, 0, ""},
        {"A100", a100, 80000000000, 2.0e12, 271e12 / a100, Book("271 of 312")},
        {"H100", h100, 80000000000, 3.35e12, 794.5e12 / h100, ofH100},
        {"H200", h100, 141000000000, 4.8e12, 794.5e12 / h100, ofH100 + ", measured on H100"},
        {"B200", b200, 180000000000, 8e12, 1745e12 / b200, Book("1745 of 2250")},
        {"L40S", 362e12, 48000000000, 0.864e12, 0, ""}};
    std::map<std::string, GpuPreset> presets;
    for (const GpuPreset& gpu : all)
    {
        presets[gpu.name] = gpu;
    }
    return presets;
}

/**
 * @return all GPUs by name
 */
const std::map<std::string, GpuPreset>&
GetPresets()
{
    static const std::map<std::string, GpuPreset> presets = MakePresets();
    return presets;
}

} // namespace

GpuPreset
GpuPreset::Get(const std::string& name)
{
    const auto found = GetPresets().find(name);
    if (found == GetPresets().end())
    {
        std::string known;
        for (const std::string& each : GetNames())
        {
            known += (known.empty() ? "" : ", ") + each;
        }
        throw UserError("unknown GPU '" + name + "'", "compute.gpu", "known: " + known);
    }
    return found->second;
}

std::vector<std::string>
GpuPreset::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetPresets())
    {
        names.push_back(preset.first);
    }
    return names;
}

} // namespace llmfabric
} // namespace ns3
