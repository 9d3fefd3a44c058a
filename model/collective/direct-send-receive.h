/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_SEND_RECEIVE_H
#define DIRECT_SEND_RECEIVE_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Each rank sends M bytes to the next one and gets as many from the one before, as nccl-tests'
 * sendrecv does. Each channel has a lane for its share; messages use the NICs of the GPUs.
 */
class DirectSendReceive : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* DIRECT_SEND_RECEIVE_H */
