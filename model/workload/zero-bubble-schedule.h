/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ZERO_BUBBLE_SCHEDULE_H
#define ZERO_BUBBLE_SCHEDULE_H

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
 * ZB-H1: as 1F1B, but a stage passes on the gradients of the inputs (I) before it computes those of
 * the weights (W), and so fills a part of the bubble (Qi et al., "Zero Bubble Pipeline
 * Parallelism", ICLR 2024).
 *
 *     p = 3, m = 4
 *     stage 0   F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3
 *     stage 1   F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3
 *     stage 2   F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3
 *
 * Stage s does the second half of the backward pass of micro-batch j after the first half of that
 * of j + s, so each stage holds the activations of min(p, m) micro-batches at most. With T_F, T_B
 * and T_W of a forward pass and the two halves of a backward pass, the bubble is (p - 1)(T_F + T_B
 * - T_W), if m >= p and T_W is the least of the three.
 */
class ZeroBubbleSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelineTask> GetTasks(const PipelineShape& shape, uint32_t stage) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* ZERO_BUBBLE_SCHEDULE_H */
