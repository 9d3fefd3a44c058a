/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LANE_ROUNDS_H
#define LANE_ROUNDS_H

#include "ns3/collective-algorithm.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * The rounds that an algorithm takes if each message takes one round, and nothing else takes time:
 * the longest chain that the conditions of its steps make. Steps must be one slice each.
 */
class LaneRounds
{
  public:
    /**
     * @param algorithm an algorithm
     * @param task the op; its rank is of no concern
     */
    LaneRounds(const CollectiveAlgorithm& algorithm, const CollectiveTask& task)
    {
        CollectiveTask own = task;
        for (own.rank = 0; own.rank < task.GetRanks(); ++own.rank)
        {
            m_lanes.push_back(algorithm.CreateLanes(own));
            for (uint32_t lane = 0; lane < m_lanes.back().size(); ++lane)
            {
                const CollectiveLane& walked = *m_lanes.back()[lane];
                for (uint64_t i = 0; i < walked.GetStepCount(); ++i)
                {
                    const LaneStep step = walked.GetStep(i);
                    for (uint32_t to : step.sendBytes > 0 ? step.sendTo : LanePeers())
                    {
                        m_sends[{lane, own.rank, to}].push_back(i);
                    }
                    for (uint32_t from : step.receiveBytes > 0 ? step.receiveFrom : LanePeers())
                    {
                        m_receives[{lane, from, own.rank}].push_back(i);
                    }
                }
            }
        }
    }

    /**
     * @return the rounds
     */
    uint32_t Get()
    {
        uint32_t rounds = 0;
        for (uint32_t rank = 0; rank < m_lanes.size(); ++rank)
        {
            for (uint32_t lane = 0; lane < m_lanes[rank].size(); ++lane)
            {
                if (const uint64_t steps = m_lanes[rank][lane]->GetStepCount())
                {
                    rounds = std::max(rounds, GetEnd({rank, lane, steps - 1, false}));
                }
            }
        }
        return rounds;
    }

  private:
    /// What happens: rank, lane, step, and whether it sends.
    using Event = std::tuple<uint32_t, uint32_t, uint64_t, bool>;
    /// A connection: lane, sender, receiver.
    using Link = std::tuple<uint32_t, uint32_t, uint32_t>;

    /**
     * @param event a step that is received, or sent
     * @return the round after which it is over
     */
    uint32_t GetEnd(const Event& event)
    {
        if (const auto known = m_ends.find(event); known != m_ends.end())
        {
            return known->second;
        }
        const auto [rank, lane, index, sends] = event;
        const LaneStep step = m_lanes[rank][lane]->GetStep(index);
        uint32_t end = index > 0 ? GetEnd({rank, lane, index - 1, sends}) : 0;
        for (const LaneNeed& need : sends ? step.sendAfter : step.receiveAfter)
        {
            const uint32_t other = need.lane == LaneNeed::SAME ? lane : need.lane;
            end = std::max(end, GetEnd({rank, other, need.step, need.sent}));
        }
        for (uint32_t from : sends || step.receiveBytes == 0 ? LanePeers() : step.receiveFrom)
        {
            const std::vector<uint64_t>& known = m_receives.at({lane, from, rank});
            const auto order = std::find(known.begin(), known.end(), index) - known.begin();
            const uint64_t sent = m_sends.at({lane, from, rank}).at(order);
            end = std::max(end, GetEnd({from, lane, sent, true}) + 1);
        }
        m_ends[event] = end;
        return end;
    }

    std::vector<std::vector<std::unique_ptr<CollectiveLane>>> m_lanes; //!< by rank
    std::map<Link, std::vector<uint64_t>> m_sends;    //!< steps of the sender, in their order
    std::map<Link, std::vector<uint64_t>> m_receives; //!< steps of the receiver, in their order
    std::map<Event, uint32_t> m_ends;                 //!< what is known by now
};

} // namespace llmfabric
} // namespace ns3

#endif /* LANE_ROUNDS_H */
