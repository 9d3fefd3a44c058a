/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_EXPLAINER_H
#define COLLECTIVE_EXPLAINER_H

#include "collective-bench.h"
#include "explain-table.h"

#include "ns3/collective-registry.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Says how an op of a bench will be done and why, by the cost model, without a simulation.
 */
class CollectiveExplainer
{
  public:
    /**
     * @param bench the bench; must outlive this
     * @throws UserError if a file with an algorithm is wrong
     */
    explicit CollectiveExplainer(const CollectiveBench& bench);

    /**
     * @param size payload, bytes
     * @return a row for each way to do it, the fastest first; '*' marks what will run
     */
    ExplainTable MakeTable(uint64_t size) const;

  private:
    /// What makes a way slow or fast.
    struct Facts
    {
        uint32_t channels{1}; //!< channels that share the payload
        bool isKnown{false};  //!< whether the rest is known
        double rounds{0};     //!< messages one after the other
        double far{0};        //!< bytes of the busiest NIC, one way
        double near{0};       //!< bytes of the busiest GPU in its node, one way
    };

    /**
     * @param way a way to do an op
     * @param task the op
     * @return its facts
     */
    Facts GetFacts(const CollectiveCandidate& way, const CollectiveTask& task) const;
    /**
     * @param best facts of the faster way
     * @param next facts of another one
     * @return why the first is faster, as a part of a sentence
     */
    static std::string Compare(const Facts& best, const Facts& next);
    /**
     * @param way a way to do the op
     * @param size payload, bytes
     * @return whether a series of the bench takes it
     */
    bool Runs(const CollectiveCandidate& way, uint64_t size) const;
    /**
     * @param ways all ways to do an op, the fastest first
     * @param place which of them
     * @param task the op
     * @return why it is the fastest, or how much slower it is, or why it can't be done
     */
    std::string GetReason(const std::vector<CollectiveCandidate>& ways,
                          std::size_t place,
                          const CollectiveTask& task) const;

    const CollectiveBench& m_bench; //!< the bench
    std::string m_op;               //!< its op, as scenarios call it
    CollectiveRegistry m_registry;  //!< the algorithms
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_EXPLAINER_H */
