/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LANE_STEP_H
#define LANE_STEP_H

#include "byte-range.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>

namespace ns3
{
namespace llmfabric
{

/// Members of a group, by index; the few of a step need no memory of their own.
using LanePeers = boost::container::small_vector<uint32_t, 4>;

/**
 * @ingroup llm-fabric
 * What must have happened on this rank before a slice of a step may be sent, or taken.
 *
 * The slice ends at byte `end` of its step. Either the whole step `step` of lane `lane` must be
 * over, or its first end + shift bytes.
 */
struct LaneNeed
{
    /// Value of shift: the whole step.
    static constexpr int64_t WHOLE = std::numeric_limits<int64_t>::max();
    /// Value of lane: the lane whose step it is.
    static constexpr uint32_t SAME = std::numeric_limits<uint32_t>::max();

    uint32_t lane{SAME};  //!< index of a lane of this rank, or SAME
    uint64_t step{0};     //!< a step of that lane, and so all before it
    int64_t shift{WHOLE}; //!< bytes of it beyond the end of the slice, or WHOLE
    bool sent{false};     //!< what it sends must have left, else what it receives must be there
};

/// Conditions of one step.
using LaneNeeds = boost::container::small_vector<LaneNeed, 2>;

/**
 * @ingroup llm-fabric
 * One step of a lane on one rank: what it receives and what it sends.
 *
 * Both are cut in slices of the same size; the last one is shorter. What one rank sends to another
 * on a lane, the other receives on the same lane in the same order and sizes. Offsets say where
 * the bytes begin in the payload; where a step carries several pieces, CollectiveLane::GetPieces()
 * tells them and the offset is that of the first. Lanes of All-to-Alls leave offsets at 0 and tell
 * what they send by GetPieces() only: with unequal parts an offset takes O(p) to find.
 */
struct LaneStep
{
    LanePeers receiveFrom{};   //!< members that each send receiveBytes; none: nothing comes
    uint64_t receiveOffset{0}; //!< where it begins in the payload, bytes
    uint64_t receiveBytes{0};  //!< from each of them; 0: nothing comes
    bool reduces{false};       //!< what comes is added to what the rank holds, else it replaces it
    LaneNeeds receiveAfter{};  //!< what must be over before a slice is taken

    LanePeers sendTo{};     //!< members that each get sendBytes; none: nothing leaves
    uint64_t sendOffset{0}; //!< where it begins in the payload, bytes
    uint64_t sendBytes{0};  //!< to each of them; 0: nothing leaves
    bool sendsInput{false}; //!< the rank's input leaves, else what the rank holds by then
    LaneNeeds sendAfter{};  //!< what must be over before a slice leaves

    /// @return whether something comes
    bool Receives() const
    {
        return !receiveFrom.empty() && receiveBytes > 0;
    }

    /// @return whether something leaves
    bool Sends() const
    {
        return !sendTo.empty() && sendBytes > 0;
    }

    /**
     * @param from members that each send a range of bytes
     * @param range where it is in the payload
     */
    void SetReceive(const LanePeers& from, const ByteRange& range)
    {
        receiveFrom = from;
        receiveOffset = range.offset;
        receiveBytes = range.bytes;
    }

    /**
     * @param to members that each get a range of bytes
     * @param range where it is in the payload
     */
    void SetSend(const LanePeers& to, const ByteRange& range)
    {
        sendTo = to;
        sendOffset = range.offset;
        sendBytes = range.bytes;
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* LANE_STEP_H */
