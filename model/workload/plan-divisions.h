/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAN_DIVISIONS_H
#define PLAN_DIVISIONS_H

#include "training-spec.h"

namespace ns3
{
namespace llmfabric
{

/**
 * Refuse a plan that can't divide its model: heads, values, tokens and experts have to be shared
 * evenly, and what is shared by tensor needs the sizes of the tensors.
 *
 * @param spec the training run; its degrees are positive
 * @throws UserError if it can't, with the key of the degree
 */
void CheckPlanDivisions(const TrainingSpec& spec);

} // namespace llmfabric
} // namespace ns3

#endif /* PLAN_DIVISIONS_H */
