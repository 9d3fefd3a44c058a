/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOCKSTEP_COST_H
#define LOCKSTEP_COST_H

#include "collective-algorithm.h"

namespace ns3
{
namespace llmfabric
{

/**
 * What an algorithm costs that has a lane for each channel, all alike, if all ranks go in step: no
 * step begins before the one before is over. It takes as long as to ask each rank for each of its
 * steps.
 *
 * @param algorithm the algorithm, which may use the NICs near to the GPUs only
 * @param task an op
 * @return a phase for each run of equal steps
 */
CollectiveCost GetLockstepCost(const CollectiveAlgorithm& algorithm, const CollectiveTask& task);

} // namespace llmfabric
} // namespace ns3

#endif /* LOCKSTEP_COST_H */
