/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ONE_FORWARD_ONE_BACKWARD_H
#define ONE_FORWARD_ONE_BACKWARD_H

#include "pipeline-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * 1F1B with a flush: stage s begins with min(p - 1 - s, m) forward passes, then does one forward
 * and one backward pass in turn, then the backward passes that are left (PipeDream-Flush in
 * Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training", ICML 2021).
 *
 *     p = 3, m = 4
 *     stage 0   F0 F1 F2 B0 F3 B1 B2 B3
 *     stage 1   F0 F1 B0 F2 B1 F3 B2 B3
 *     stage 2   F0 B0 F1 B1 F2 B2 F3 B3
 *
 * The bubble is that of GPipe, (p - 1)(T_F + T_B). Stage s holds the activations of min(p - s, m)
 * micro-batches at most.
 */
class OneForwardOneBackward : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelineTask> GetTasks(const PipelineShape& shape, uint32_t stage) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* ONE_FORWARD_ONE_BACKWARD_H */
