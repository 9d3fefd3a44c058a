/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NAIVE_SCHEDULE_H
#define NAIVE_SCHEDULE_H

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
 * One micro-batch after the other goes forward and back through the whole pipeline; only one stage
 * ever works.
 *
 *     p = 2, m = 2
 *     stage 0   F0 B0 F1 B1
 *     stage 1   F0 B0 F1 B1
 *
 * The time is m p (T_F + T_B), with T_F and T_B of a micro-batch on one stage.
 */
class NaiveSchedule : public PipelineSchedule
{
  public:
    std::string GetName() const override;
    std::vector<PipelineTask> GetTasks(const PipelineShape& shape, uint32_t stage) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* NAIVE_SCHEDULE_H */
