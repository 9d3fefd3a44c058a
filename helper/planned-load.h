/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLANNED_LOAD_H
#define PLANNED_LOAD_H

#include "ns3/nstime.h"
#include "ns3/rank-plan.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What a rank does in one step, in all.
 */
struct PlannedLoad
{
    double compute{0};  //!< time of its computations, s
    double messages{0}; //!< messages that it sends one after the other
    double bytes{0};    //!< bytes that it sends, with rings and a direct All-to-All

    /**
     * @param other what is done besides
     * @return this
     */
    PlannedLoad& operator+=(const PlannedLoad& other)
    {
        compute += other.compute;
        messages += other.messages;
        bytes += other.bytes;
        return *this;
    }
};

/**
 * @param plan a job
 * @param rank a rank of it
 * @return what the rank does in one step
 */
PlannedLoad GetPlannedLoad(const RankPlan& plan, uint32_t rank);

} // namespace llmfabric
} // namespace ns3

#endif /* PLANNED_LOAD_H */
