/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAR_COLLECTIVE_H
#define STAR_COLLECTIVE_H

#include "collective-algorithm.h"

#include <memory>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Broadcast and Reduce between the root and each other rank, without ranks that pass on: the
 * simplest way, and the slowest for many ranks, since all bytes cross one link.
 *
 * Lane d - 1, from 1 to p - 1, connects the root with the rank that is d after it (mod p), by the
 * NICs of the GPUs. There is one round, and (p - 1) M bytes are sent.
 */
class StarCollective : public CollectiveAlgorithm
{
  public:
    /// @return Broadcast: the root sends to each other rank
    static std::shared_ptr<const StarCollective> Broadcast();

    /// @return Reduce: each other rank sends to the root, which adds
    static std::shared_ptr<const StarCollective> Reduce();

    std::string GetOp() const override;
    std::string GetName() const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;
    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override;

  private:
    /**
     * @param op the op, as scenarios call it
     * @param toRoot the others send, else the root does
     */
    StarCollective(const std::string& op, bool toRoot);

    std::string m_op; //!< the op, as scenarios call it
    bool m_toRoot;    //!< the others send, else the root does
};

} // namespace llmfabric
} // namespace ns3

#endif /* STAR_COLLECTIVE_H */
