/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_SPLIT_H
#define LAYER_SPLIT_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How many consecutive layers each part of a model gets.
 */
class LayerSplit
{
  public:
    /**
     * @param layers L, at least parts
     * @param parts parts of the model, at least 1
     * @return floor((i + 1) L / parts) - floor(i L / parts) layers for part i
     * @throws UserError if there are fewer layers than parts
     */
    static LayerSplit Even(uint64_t layers, uint32_t parts);

    /**
     * @param given layers of each part; 0 is allowed (an embedding or an output alone)
     * @param layers L, which they must add up to
     * @param parts parts of the model, as many as must be given
     * @throws UserError if they do not
     * @return the split
     */
    static LayerSplit Given(const std::vector<uint64_t>& given, uint64_t layers, uint32_t parts);

    /**
     * Cut so that the most expensive part is as cheap as can be. Of all such cuts it is the one
     * with the least sum of squared costs, and of equal ones the one with the fewest layers in the
     * first parts, which hold the activations of the most micro-batches.
     *
     * @param costs cost of each layer, any unit, none negative
     * @param embedding cost of what the first part does besides its layers
     * @param output cost of what the last part does besides its layers
     * @param parts parts of the model, at least 1
     * @return a split with the least maximum; each part has a layer at least
     * @throws UserError if there are fewer layers than parts
     */
    static LayerSplit Balanced(const std::vector<double>& costs,
                               double embedding,
                               double output,
                               uint32_t parts);

    /**
     * @param part a part
     * @return its layers
     */
    uint64_t GetLayers(uint32_t part) const;

    /**
     * @param part a part, or the number of parts
     * @return its first layer
     */
    uint64_t GetFirst(uint32_t part) const;

    /**
     * @return the parts
     */
    uint32_t GetParts() const;

  private:
    /**
     * @param counts layers of each part
     */
    explicit LayerSplit(const std::vector<uint64_t>& counts);

    std::vector<uint64_t> m_firsts; //!< first layer of each part, and L
};

} // namespace llmfabric
} // namespace ns3

#endif /* LAYER_SPLIT_H */
