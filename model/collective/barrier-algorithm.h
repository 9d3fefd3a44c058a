/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BARRIER_ALGORITHM_H
#define BARRIER_ALGORITHM_H

#include "collective-algorithm.h"

#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A barrier: an AllReduce of one value, as PyTorch's. No rank is over it before all have come to
 * it, since the sum has a part of each.
 */
class BarrierAlgorithm : public CollectiveAlgorithm
{
  public:
    static constexpr uint64_t BYTES = 4; //!< size of the value

    /**
     * @param allReduce an algorithm of op "allreduce", whose name the barrier has too
     */
    explicit BarrierAlgorithm(std::shared_ptr<const CollectiveAlgorithm> allReduce);

    std::string GetOp() const override;
    std::string GetName() const override;
    LatencyRow GetLatencyRow() const override;
    std::string GetObstacle(const CollectiveLayout& layout) const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;

  private:
    /**
     * @param task a barrier
     * @return the AllReduce that does it
     */
    static CollectiveTask GetAllReduceTask(const CollectiveTask& task);

    std::shared_ptr<const CollectiveAlgorithm> m_allReduce; //!< does it
};

} // namespace llmfabric
} // namespace ns3

#endif /* BARRIER_ALGORITHM_H */
