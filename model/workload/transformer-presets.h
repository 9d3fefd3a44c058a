/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSFORMER_PRESETS_H
#define TRANSFORMER_PRESETS_H

#include "transformer-dimensions.h"

#include <map>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * @return published models by name; the dimensions are those of their published configurations
 */
const std::map<std::string, TransformerDimensions>& GetTransformerPresets();

} // namespace llmfabric
} // namespace ns3

#endif /* TRANSFORMER_PRESETS_H */
