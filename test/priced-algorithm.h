/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PRICED_ALGORITHM_H
#define PRICED_ALGORITHM_H

#include "ns3/collective-algorithm.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// An algorithm that does nothing but tell a cost.
class PricedAlgorithm : public CollectiveAlgorithm
{
  public:
    /// Tells the cost of an op.
    using Price = std::function<std::optional<CollectiveCost>(const CollectiveTask& task)>;

    /**
     * @param op the op that it is said to do
     * @param name its name
     * @param price tells its cost
     */
    PricedAlgorithm(const std::string& op, const std::string& name, Price price)
        : m_op(op),
          m_name(name),
          m_price(std::move(price))
    {
    }

    std::string GetOp() const override
    {
        return m_op;
    }

    std::string GetName() const override
    {
        return m_name;
    }

    LatencyRow GetLatencyRow() const override
    {
        return row;
    }

    std::string GetObstacle(const CollectiveLayout& /* layout */) const override
    {
        return obstacle;
    }

    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& /* task */) const override
    {
        return {};
    }

    std::optional<CollectiveCost> GetCost(const CollectiveTask& task) const override
    {
        return m_price(task);
    }

    LatencyRow row{LatencyRow::RING}; //!< whose start-up costs it has
    std::string obstacle;             //!< why it can't be done

  private:
    std::string m_op;   //!< the op
    std::string m_name; //!< its name
    Price m_price;      //!< tells its cost
};

/**
 * The latency of NCCL's tree, 2 [(members of a node - 1) near + floor(log2 N) far], and the bytes
 * of the rank with two children: it receives 2 M and M from its parent.
 *
 * @param task an op
 * @return the cost
 */
inline CollectiveCost
GetTreeCost(const CollectiveTask& task)
{
    const CollectiveLayout& layout = *task.layout;
    const double levels = std::floor(std::log2(layout.GetNodes()));
    const double bytes = 3.0 * static_cast<double>(task.payload);
    const bool far = layout.GetNodes() > 1;
    return {{2.0 * (layout.GetNodeSize(0) - 1), false, 0, 0, 0, true},
            {2 * levels - (far ? 1 : 0), true, 0, 0, 0, true},
            {far ? 1.0 : 0.0, true, 0, bytes, bytes, true}};
}

} // namespace llmfabric
} // namespace ns3

#endif /* PRICED_ALGORITHM_H */
