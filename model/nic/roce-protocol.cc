/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-protocol.h"

#include "ns3/nstime.h"

#include <array>

namespace ns3
{
namespace llmfabric
{

int64_t
GetRnrTicks(uint8_t code)
{
    static constexpr std::array<uint32_t, 32> MICROSECONDS{
        655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,   320,
        480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240, 15360,
        20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};
    return MicroSeconds(MICROSECONDS.at(code)).GetTimeStep();
}

} // namespace llmfabric
} // namespace ns3
