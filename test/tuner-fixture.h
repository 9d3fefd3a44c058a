/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUNER_FIXTURE_H
#define TUNER_FIXTURE_H

#include "made-layouts.h"
#include "priced-algorithm.h"

#include "ns3/collective-tuner.h"
#include "ns3/ring-all-reduce.h"
#include "ns3/user-error.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ns3
{
namespace llmfabric
{

/// A registry, a configuration and links of 1 us and 1 GB/s.
class TunerFixture : public testing::Test
{
  protected:
    static constexpr double LATENCY = 1000; //!< of a link, ns
    static constexpr double BANDWIDTH = 1;  //!< of a link, bytes per ns

    TunerFixture()
    {
        m_config.channels = 1;
        m_config.slots = 0;
    }

    /**
     * @return a tuner
     */
    CollectiveTuner Make() const
    {
        const LinkCost link{NanoSeconds(LATENCY), BANDWIDTH * 1e9};
        return CollectiveTuner(m_registry, CollectiveCostModel(link, link, m_config), m_config);
    }

    /**
     * Adds an algorithm.
     *
     * @param op its op
     * @param name its name
     * @param price tells its cost
     * @return the algorithm
     */
    std::shared_ptr<PricedAlgorithm> Add(const std::string& op,
                                         const std::string& name,
                                         PricedAlgorithm::Price price)
    {
        auto algorithm = std::make_shared<PricedAlgorithm>(op, name, std::move(price));
        m_registry.Add(algorithm);
        return algorithm;
    }

    /**
     * @return the cost of a ring
     */
    static PricedAlgorithm::Price Ring()
    {
        return [](const CollectiveTask& task) { return RingAllReduce().GetCost(task); };
    }

    /**
     * @return no cost
     */
    static PricedAlgorithm::Price Unknown()
    {
        return [](const CollectiveTask& /* task */) { return std::optional<CollectiveCost>{}; };
    }

    /**
     * @param rounds rounds of the latency
     * @return the cost of an algorithm that has these rounds, whatever the payload
     */
    static PricedAlgorithm::Price Rounds(double rounds)
    {
        return [rounds](const CollectiveTask& /* task */) {
            return CollectiveCost{{rounds, true, 0, 0, 0, false}};
        };
    }

    /**
     * @param payload M
     * @param ranks members, each in a node of its own
     * @return an op
     */
    static CollectiveTask MakeTask(uint64_t payload, uint32_t ranks = 8)
    {
        CollectiveTask task;
        task.layout = MakeNodes(ranks, 1);
        task.payload = payload;
        return task;
    }

    /**
     * @param tuner a tuner
     * @param op an op
     * @param task what of it
     * @return name of the algorithm that is chosen
     */
    static std::string GetChosen(const CollectiveTuner& tuner,
                                 const std::string& op,
                                 const CollectiveTask& task)
    {
        return tuner.Choose(op, task).algorithm->GetName();
    }

    /**
     * @param action what the user asks for
     * @return what the error says; empty if there is none
     */
    static std::string GetError(const std::function<void()>& action)
    {
        try
        {
            action();
        }
        catch (const UserError& error)
        {
            return error.what();
        }
        return "";
    }

    CollectiveRegistry m_registry; //!< the algorithms
    CollectiveConfig m_config;     //!< how ranks do their collectives
};

} // namespace llmfabric
} // namespace ns3

#endif /* TUNER_FIXTURE_H */
