/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCRIPTED_HOST_H
#define SCRIPTED_HOST_H

#include "ns3/collective-host.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * Surroundings of one rank that do what a test tells them and remember what the rank does.
 */
class ScriptedHost : public CollectiveHost
{
  public:
    bool CanSend(uint32_t lane, uint32_t peer) const override
    {
        return Count(slots, lane, peer) > 0;
    }

    void Send(const CollectiveSlice& slice) override
    {
        --slots[{slice.lane, slice.peer}];
        sent.push_back(slice);
    }

    bool HasArrived(uint32_t lane, uint32_t peer) const override
    {
        return Count(arrived, lane, peer) > 0;
    }

    void Take(const CollectiveSlice& slice) override
    {
        --arrived[{slice.lane, slice.peer}];
        ++free[{slice.lane, slice.peer}];
        taken.push_back(slice);
    }

    bool Reduce(uint32_t lane, uint64_t bytes) override
    {
        reductions.emplace_back(lane, bytes);
        return reducesAtOnce;
    }

    bool CanGrant(uint32_t lane, uint32_t peer) const override
    {
        return Count(free, lane, peer) > 0;
    }

    void Grant(uint32_t lane, uint32_t peer) override
    {
        --free[{lane, peer}];
        ++granted[{lane, peer}];
    }

    /// A number for each lane and peer.
    using Numbers = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

    Numbers slots;                                         //!< that the rank may use
    Numbers arrived;                                       //!< slices that it has not taken
    Numbers free;                                          //!< slots that it has not granted
    Numbers granted;                                       //!< slots that it has
    std::vector<CollectiveSlice> sent;                     //!< what it sent
    std::vector<CollectiveSlice> taken;                    //!< what it took
    std::vector<std::pair<uint32_t, uint64_t>> reductions; //!< lane and bytes of each
    bool reducesAtOnce{true};                              //!< reductions take no time

  private:
    /**
     * @param numbers some numbers
     * @param lane index of a lane
     * @param peer a member
     * @return the number
     */
    static uint32_t Count(const Numbers& numbers, uint32_t lane, uint32_t peer)
    {
        const auto found = numbers.find({lane, peer});
        return found == numbers.end() ? 0 : found->second;
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCRIPTED_HOST_H */
