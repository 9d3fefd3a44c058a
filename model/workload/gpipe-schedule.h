/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPIPE_SCHEDULE_H
#define GPIPE_SCHEDULE_H

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
 * All micro-batches go forward, then all go back, the last one first (Huang et al., "GPipe:
 * Efficient Training of Giant Neural Networks using Pipeline Parallelism", NeurIPS 2019).
 *
 *     p = 2, m = 3
 *     stage 0   F0 F1 F2 B2 B1 B0
 *     stage 1   F0 F1 F2 B2 B1 B0
 *
 * The bubble is (p - 1)(T_F + T_B), (p - 1) / m of the ideal time. Each stage holds the activations
 * of all m micro-batches.
 */
class GpipeSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelineTask> GetTasks(const PipelineShape& shape, uint32_t stage) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* GPIPE_SCHEDULE_H */
