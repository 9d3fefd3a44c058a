/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DUAL_PIPE_SCHEDULE_H
#define DUAL_PIPE_SCHEDULE_H

#include "pipeline-schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * DualPipe: micro-batches run through the pipeline from both ends at once, so that a stage can
 * overlap the communication of a pass in one direction with a pass in the other one (DeepSeek-AI,
 * "DeepSeek-V3 Technical Report", 2024, section 3.2.1).
 *
 * Each stage holds two parts of the model. Chunk 0 is the part of direction 0, part s on stage s,
 * through which the first m / 2 micro-batches go; chunk 1 is that of direction 1, part p - 1 - s on
 * stage s, of the other m / 2. p and m are even, and m is at least 2 p. Each stage holds p + 1
 * activations of parts at most.
 *
 *     p = 4, m = 8; f, b, and i, w of a backward pass in halves, on chunk 0, F, B, I, W on chunk 1
 *     stage 0   f0 f1 f2 F4 I4 W4 F5 f3 B5 F6 b0 B6 F7 b1 B7 i2 w2 i3 w3
 *     stage 1   f0 F4 f1 F5 f2 B4 F6 b0 f3 B5 F7 b1 B6 b2 I7 i3 W7 w3
 *     stage 2   F4 f0 F5 f1 F6 b0 f2 B4 F7 b1 f3 B5 b2 B6 i3 I7 w3 W7
 *     stage 3   F4 F5 F6 f0 i0 w0 f1 F7 b1 f2 B4 b2 f3 B5 b3 I6 W6 I7 W7
 *
 * In the steady state a forward pass of one direction and a backward pass of the other one overlap
 * (PipelineTask::withNext), but for the first pair of the two stages in the middle. With T_F, T_B
 * and T_W of a forward pass, a whole backward pass and its second half, and T_F&B = T_F + T_B of a
 * pair, the bubble is the published one if T_F = T_B - T_W, whatever m is:
 *
 *     (p/2 - 1)(T_F&B + T_B - 3 T_W)
 *
 */
class DualPipeSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    void Check(const PipelineShape& shape) const override;
    std::vector<PipelineTask> GetTasks(const PipelineShape& shape, uint32_t stage) const override;
    uint32_t GetChunks(const PipelineShape& shape) const override;
    uint32_t GetParts(const PipelineShape& shape) const override;
    uint32_t GetPart(const PipelineShape& shape, const PipelinePlace& place) const override;
    std::optional<PipelinePlace> GetNext(const PipelineShape& shape,
                                         const PipelinePlace& place) const override;
    std::optional<PipelinePlace> GetPrevious(const PipelineShape& shape,
                                             const PipelinePlace& place) const override;
    bool IsBidirectional() const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* DUAL_PIPE_SCHEDULE_H */
