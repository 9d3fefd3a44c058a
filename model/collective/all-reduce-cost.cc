/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "all-reduce-cost.h"

#include "binary-log.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

std::vector<AllReduceCost>
AllReduceCost::GetAll(uint32_t ranks, uint64_t payload)
{
    NS_ABORT_MSG_IF(ranks == 0, "AllReduceCost: no ranks");
    const uint64_t levels = GetFloorLog2(ranks);
    const double p = ranks;
    const auto m = static_cast<double>(payload);
    const double once = 2 * (p - 1) * m; // each byte goes to the sum once, and back once
    return {{"naive", (p - 1) * m, p * (p - 1) * m, ranks > 1 ? 1u : 0u},
            {"ring", once / p, once, 2 * (uint64_t{ranks} - 1)},
            {"tree", once / p, once, 2 * levels}};
}

} // namespace llmfabric
} // namespace ns3
