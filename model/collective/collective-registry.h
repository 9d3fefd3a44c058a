/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_REGISTRY_H
#define COLLECTIVE_REGISTRY_H

#include "collective-algorithm.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The collective algorithms that a scenario can name: `collective: {allreduce: ring}`.
 */
class CollectiveRegistry
{
  public:
    /// Knows the algorithms of this module.
    CollectiveRegistry();

    /**
     * Adds an algorithm; one of the same op and name is replaced.
     *
     * @param algorithm the algorithm
     */
    void Add(std::shared_ptr<const CollectiveAlgorithm> algorithm);

    /**
     * @param op an op as scenarios call it, e.g. "allreduce"
     * @param name an algorithm as scenarios call it, e.g. "ring"
     * @return the algorithm
     * @throws UserError if there is none; it lists those there are
     */
    std::shared_ptr<const CollectiveAlgorithm> Get(const std::string& op,
                                                   const std::string& name) const;

    /**
     * @return the ops that some algorithm does, sorted
     */
    std::vector<std::string> GetOps() const;

    /**
     * @param op an op as scenarios call it
     * @return the names of its algorithms, sorted; none if the op is unknown
     */
    std::vector<std::string> GetNames(const std::string& op) const;

  private:
    /// Algorithms by name.
    using ByName = std::map<std::string, std::shared_ptr<const CollectiveAlgorithm>>;

    std::map<std::string, ByName> m_algorithms; //!< the algorithms of each op
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_REGISTRY_H */
