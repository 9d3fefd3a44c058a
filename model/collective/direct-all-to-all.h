/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_ALL_TO_ALL_H
#define DIRECT_ALL_TO_ALL_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * All-to-All in one step: each rank sends its part to each other rank at once (Life of a Token,
 * appendix A.4: the tokens of a mixture of experts).
 *
 * What a rank has to share out is M bytes, its own part included. Part j goes to rank j; the parts
 * are a PayloadSplit, or of the sizes that CollectiveTask::bytes gives. The parts of rank r are
 * handed over in the order r + 1, r + 2, ... (mod p), so that not all ranks begin with the same
 * receiver. Of even parts all ranks together send (p - 1) M bytes. With p = 1 or M = 0 the op is
 * over when it starts.
 */
class DirectAllToAll : public CollectiveAlgorithm
{
  public:
    std::string GetOp() const override;
    std::string GetName() const override;
    std::unique_ptr<CollectiveState> CreateState(const CollectiveTask& task) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* DIRECT_ALL_TO_ALL_H */
