/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HEAP_SHAPE_H
#define HEAP_SHAPE_H

#include "tree-shape.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The binary tree of a heap: numbered from the root along the ring of the channel, i has the
 * children 2 i + 1 and 2 i + 2. Its depth is floor(log2 p), the least there is.
 *
 *     p = 6          0
 *                  1   2
 *                 3 4 5
 *
 * Without a root it begins at position 0.
 */
class HeapShape : public TreeShape
{
  public:
    std::string GetName() const override;
    TreePlace GetPlace(const ChannelTree& tree, uint32_t member) const override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* HEAP_SHAPE_H */
