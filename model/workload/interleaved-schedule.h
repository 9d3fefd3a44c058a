/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INTERLEAVED_SCHEDULE_H
#define INTERLEAVED_SCHEDULE_H

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
 * 1F1B over v chunks on each stage: p micro-batches go through the first chunk of a stage, then the
 * same ones through its second chunk, and so on, then the next p micro-batches (Narayanan et al.,
 * "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021).
 *
 *     p = 2, m = 4, v = 2; forward f, backward b on chunk 0, F, B on chunk 1
 *     stage 0   f0 f1 F0 F1 f2 B0 f3 B1 F2 b0 F3 b1 B2 B3 b2 b3
 *     stage 1   f0 f1 F0 B0 F1 B1 f2 b0 f3 b1 F2 B2 F3 B3 b2 b3
 *
 * Stage s begins with min(2 (p - s - 1) + (v - 1) p, m v) forward passes. Where m = p, Megatron-LM
 * may do all m v of them first; here the rule stays the same, which takes no longer and holds no
 * more activations.
 *
 * With T_F and T_B of a micro-batch on one stage, all its chunks, the bubble is
 * (p - 1)(T_F + T_B) / v. Stage 0 holds p v + p - 1 activations of chunks, if m >= 2 p.
 */
class InterleavedSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    void Check(const PipelineShape& shape) const override;
    std::vector<PipelineTask> GetTasks(const PipelineShape& shape, uint32_t stage) const override;
    uint32_t GetChunks(const PipelineShape& shape) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* INTERLEAVED_SCHEDULE_H */
