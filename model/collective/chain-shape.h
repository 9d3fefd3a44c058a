/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAIN_SHAPE_H
#define CHAIN_SHAPE_H

#include "tree-shape.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A chain along the ring of the channel: it begins at the root and ends before it. Without a root
 * it begins at position 0.
 */
class ChainShape : public TreeShape
{
  public:
    std::string GetName() const override;
    LatencyRow GetLatencyRow() const override;
    TreePlace GetPlace(const ChannelTree& tree, uint32_t member) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* CHAIN_SHAPE_H */
