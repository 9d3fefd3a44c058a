/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAT_ALL_GATHER_H
#define PAT_ALL_GATHER_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllGather by parallel aggregated trees, see PatLane: ceil(log2 p) steps, and all ranks together
 * send (p - 1) M bytes.
 */
class PatAllGather : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    LatencyRow GetLatencyRow() const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* PAT_ALL_GATHER_H */
