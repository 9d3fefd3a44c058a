/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_ALL_GATHER_H
#define RING_ALL_GATHER_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * AllGather by a ring: the second half of RingAllReduce (Life of a Token, section 6).
 *
 * The payload is the whole tensor that each rank holds in the end, a PayloadSplit in p chunks; rank
 * r starts with chunk r. In step s, from 0 to p - 2, rank r sends chunk (r - s) mod p. All ranks
 * together send (p - 1) M bytes. With p = 1 or M = 0 the op is over when it starts.
 */
class RingAllGather : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    std::unique_ptr<CollectiveState> CreateState(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* RING_ALL_GATHER_H */
