/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPU_PRESET_H
#define GPU_PRESET_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What the data sheet of a GPU says, and what large matrix products reach on it.
 *
 * The efficiency is a measured one; where none was found it is 0 and its source empty, and whoever
 * derives times from FLOPs must be given one. A training step reaches less than large products do.
 */
struct GpuPreset
{
    std::string name;        //!< e.g. "H100"
    double peakFlops{0};     //!< dense 16-bit tensor FLOP/s
    uint64_t memoryBytes{0}; //!< memory, bytes; the data sheet's GB are 10^9 bytes
    double memoryRate{0};    //!< memory bandwidth, bytes/s
    double efficiency{0};    //!< part of the peak that large matrix products reach; 0: unknown
    std::string source;      //!< where the efficiency comes from

    /**
     * @param name V100, A100, H100, H200, B200 or L40S; of those that come as SXM module and as
     * PCIe card it is the module
     * @return the GPU
     * @throws UserError if there is none of that name; it lists those there are
     */
    static GpuPreset Get(const std::string& name);

    /**
     * @return the names of all presets, sorted
     */
    static std::vector<std::string> GetNames();
};

} // namespace llmfabric
} // namespace ns3

#endif /* GPU_PRESET_H */
