/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-tuner.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param a a way to do an op
 * @param b another one
 * @return whether a comes before b
 */
bool
IsFaster(const CollectiveCandidate& a, const CollectiveCandidate& b)
{
    return a.time && (!b.time || *a.time < *b.time);
}

/**
 * @param rules rules of an op
 * @return whether each is for larger payloads than the one before, and the last for all larger
 */
bool
AreInOrder(const std::vector<CollectiveRule>& rules)
{
    for (std::size_t i = 0; i + 1 < rules.size(); ++i)
    {
        const auto& next = rules[i + 1].upTo;
        if (!rules[i].upTo || (next && *next <= *rules[i].upTo))
        {
            return false;
        }
    }
    return !rules.back().upTo;
}

} // namespace

CollectiveTuner::CollectiveTuner(const CollectiveRegistry& registry,
                                 const CollectiveCostModel& model,
                                 const CollectiveConfig& config)
    : m_registry(registry),
      m_model(model),
      m_config(config)
{
}

std::string
CollectiveTuner::GetDefault(const std::string& op)
{
    return op == "alltoall" || op == "sendrecv" ? "direct" : "ring";
}

void
CollectiveTuner::SetRules(const std::string& op, const std::vector<CollectiveRule>& rules)
{
    const bool isKnown = !m_registry.GetNames(op).empty();
    for (const CollectiveRule& rule : rules)
    {
        if (!isKnown || rule.algorithm != AUTO)
        {
            m_registry.Get(op, rule.algorithm); // which says what is known
        }
    }
    if (!rules.empty() && !AreInOrder(rules))
    {
        throw UserError(
            "the rules are not in the order of their payloads",
            "collective." + op,
            "let each up_to be larger than the one before, and only the last be absent");
    }
    m_rules[op] = rules;
    m_choices.clear();
}

std::string
CollectiveTuner::FindRule(const std::string& op, uint64_t payload) const
{
    const auto found = m_rules.find(op);
    if (found != m_rules.end())
    {
        for (const CollectiveRule& rule : found->second)
        {
            if (!rule.upTo || payload <= *rule.upTo)
            {
                return rule.algorithm;
            }
        }
    }
    return GetDefault(op);
}

CollectiveChoice
CollectiveTuner::Choose(const std::string& op, const CollectiveTask& task) const
{
    NS_ABORT_MSG_IF(!task.layout, "CollectiveTuner: no layout");
    if (task.bytes && task.bytesId == 0)
    {
        return Decide(op, task); // functions can't be compared, so nothing is kept
    }
    Key key{op, task.layout, task.payload, task.root, task.bytesId};
    const auto found = m_choices.find(key);
    if (found != m_choices.end())
    {
        return found->second;
    }
    return m_choices.emplace(std::move(key), Decide(op, task)).first->second;
}

CollectiveChoice
CollectiveTuner::Decide(const std::string& op, const CollectiveTask& task) const
{
    const std::string name = FindRule(op, task.payload);
    if (name != AUTO)
    {
        return Fix(op, name, task);
    }
    const std::vector<CollectiveCandidate> candidates = GetCandidates(op, task);
    if (candidates.empty() || !candidates.front().time)
    {
        return Fix(op, GetDefault(op), task);
    }
    const CollectiveCandidate& best = Prefer(candidates, GetDefault(op));
    return {m_registry.Get(op, best.algorithm),
            best.protocol,
            m_config.GetCut(*task.layout, task.payload, best.protocol)};
}

const CollectiveCandidate&
CollectiveTuner::Prefer(const std::vector<CollectiveCandidate>& candidates, const std::string& name)
{
    const Time limit = candidates.front().time.value() + candidates.front().time.value() / 100;
    const auto preferred =
        std::find_if(candidates.begin(), candidates.end(), [&](const CollectiveCandidate& one) {
            return one.algorithm == name && one.time && *one.time <= limit;
        });
    return preferred == candidates.end() ? candidates.front() : *preferred;
}

CollectiveChoice
CollectiveTuner::Fix(const std::string& op,
                     const std::string& name,
                     const CollectiveTask& task) const
{
    const auto algorithm = m_registry.Get(op, name);
    const std::vector<CollectiveProtocol> protocols = GetProtocols(*algorithm);
    CollectiveProtocol protocol = protocols.front();
    const std::string obstacle =
        CollectiveCostModel::FindObstacle(*algorithm, *task.layout, protocol);
    if (!obstacle.empty())
    {
        throw UserError("algorithm '" + name + "' can't be used by a group of " +
                            std::to_string(task.GetRanks()) + " ranks: " + obstacle,
                        "collective." + op,
                        "choose another one, or '" + std::string(AUTO) + "'");
    }
    if (protocols.size() > 1)
    {
        protocol = Weigh(*algorithm, task).front().protocol;
    }
    return {algorithm, protocol, m_config.GetCut(*task.layout, task.payload, protocol)};
}

std::vector<CollectiveProtocol>
CollectiveTuner::GetProtocols(const CollectiveAlgorithm& algorithm) const
{
    if (m_config.protocol)
    {
        return {*m_config.protocol};
    }
    if (algorithm.GetLatencyRow() == LatencyRow::PAT)
    {
        return {CollectiveProtocol::SIMPLE};
    }
    return {CollectiveProtocol::SIMPLE, CollectiveProtocol::LL, CollectiveProtocol::LL128};
}

std::vector<CollectiveCandidate>
CollectiveTuner::Weigh(const CollectiveAlgorithm& algorithm, const CollectiveTask& task) const
{
    std::vector<CollectiveCandidate> ways;
    for (CollectiveProtocol protocol : GetProtocols(algorithm))
    {
        CollectiveCandidate way{algorithm.GetName(), protocol, {}, ""};
        way.time = GetTime(algorithm, task, protocol);
        if (!way.time)
        {
            way.obstacle = CollectiveCostModel::FindObstacle(algorithm, *task.layout, protocol);
            way.obstacle = way.obstacle.empty() ? "its cost is not known" : way.obstacle;
        }
        ways.push_back(way);
    }
    std::stable_sort(ways.begin(), ways.end(), IsFaster);
    return ways;
}

std::optional<Time>
CollectiveTuner::GetTime(const CollectiveAlgorithm& algorithm,
                         const CollectiveTask& task,
                         CollectiveProtocol protocol) const
{
    CollectiveTask own = task;
    own.cut = m_config.GetCut(*task.layout, task.payload, protocol);
    const std::optional<Time> time = m_model.GetTime(algorithm, own, protocol);
    if (time || !task.bytes)
    {
        return time;
    }
    own.bytes = nullptr; // then by even parts
    return m_model.GetTime(algorithm, own, protocol);
}

std::optional<Time>
CollectiveTuner::GetTime(const CollectiveChoice& choice, const CollectiveTask& task) const
{
    return GetTime(*choice.algorithm, task, choice.protocol);
}

std::vector<CollectiveCandidate>
CollectiveTuner::GetCandidates(const std::string& op, const CollectiveTask& task) const
{
    std::vector<CollectiveCandidate> candidates;
    for (const std::string& name : m_registry.GetNames(op))
    {
        for (const CollectiveCandidate& way : Weigh(*m_registry.Get(op, name), task))
        {
            candidates.push_back(way);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(), IsFaster);
    return candidates;
}

std::optional<uint64_t>
CollectiveTuner::FindCrossing(const std::string& op,
                              const std::string& small,
                              const std::string& large,
                              const std::shared_ptr<const CollectiveLayout>& layout) const
{
    const auto first = m_registry.Get(op, small);
    const auto second = m_registry.Get(op, large);
    const auto isCrossed = [&](uint64_t payload) {
        CollectiveTask task;
        task.layout = layout;
        task.payload = payload;
        const CollectiveCandidate before = Weigh(*first, task).front();
        const CollectiveCandidate after = Weigh(*second, task).front();
        return before.time && after.time && *after.time < *before.time;
    };
    uint64_t above = 2;
    while (above < LARGEST && !isCrossed(above))
    {
        above *= 2;
    }
    uint64_t below = above / 2;
    if (!isCrossed(above) || isCrossed(below))
    {
        return {};
    }
    while (above - below > 1)
    {
        const uint64_t middle = below + (above - below) / 2;
        (isCrossed(middle) ? above : below) = middle;
    }
    return above;
}

} // namespace llmfabric
} // namespace ns3
