/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_STATE_H
#define COLLECTIVE_STATE_H

#include "collective-host.h"
#include "collective-lane.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What a collective op cannot go on without.
 */
struct CollectiveWait
{
    uint32_t lane;  //!< index of the lane
    uint32_t peer;  //!< index in the group of the rank that is waited for
    uint64_t step;  //!< this rank's step of the lane
    bool isForSlot; //!< a slot that the peer has to grant, else a slice that it has to send
};

/**
 * @ingroup llm-fabric
 * The part of one rank in one collective op: walks the steps of its lanes, slice by slice.
 *
 * It knows its own rank only. A lane takes at most LANE_BYTES here, and 40 (BruckLane) to 330 bytes
 * (SingleStepLane) itself, whatever the payload and the number of steps: a ring of two channels
 * takes half a kilobyte of each rank, however many ranks there are. What grows with p is the number
 * of lanes of algorithms that send straight to all others: p - 1.
 *
 * It moves when its host calls it:
 *
 *     program reaches the op   -> Start()
 *     a slice came on a lane   -> OnProgress(lane)
 *     a slot was granted       -> OnProgress(lane)
 *     a reduction is over      -> OnReduced(lane)
 *
 * In each call it grants what slots are free for slices of the op that are still to come, takes
 * slices that have come, in the order of the lane's steps, and sends slices, in the order of the
 * lane's steps, whose LaneStep::sendAfter is fulfilled and for which a slot is granted. Slices of 0
 * bytes do not exist: both sides know all sizes and skip their steps.
 *
 * The op is over on a rank when all slices for it were taken and all of its own were handed over;
 * an acknowledgment only frees the sender's buffer and is no concern of the op.
 */
class CollectiveState
{
  public:
    /// Most that it keeps of a lane, besides the lane itself, bytes.
    static constexpr std::size_t LANE_BYTES = 128;

    /**
     * @param lanes the rank's part, as CollectiveAlgorithm::CreateLanes() gives it
     * @param slice bytes of a slice, at least 1
     * @param host its surroundings; must outlive this
     */
    CollectiveState(std::vector<std::unique_ptr<CollectiveLane>> lanes,
                    uint64_t slice,
                    CollectiveHost& host);

    /// The rank's program has reached the op. To be called once.
    void Start();

    /**
     * A slice has come on a lane, or a slot of it was granted. A slice of a later op of the group
     * may come too.
     *
     * @param lane index of the lane; if the op has no such lane nothing happens
     */
    void OnProgress(uint32_t lane);

    /**
     * The reduction of a lane is over.
     *
     * @param lane index of the lane
     */
    void OnReduced(uint32_t lane);

    /**
     * @return whether the op is over on this rank
     */
    bool IsDone() const
    {
        return m_started && m_open == 0;
    }

    /**
     * @return what the started op waits for, by lane
     */
    std::vector<CollectiveWait> GetWaits() const;

  private:
    /// A place in the steps of a lane.
    struct Pointer
    {
        uint64_t step{0};  //!< a step
        uint64_t bytes{0}; //!< bytes of it that are over
        uint32_t peer{0};  //!< peers of it that are over with the slice that begins there
    };

    /// A lane and how far it is.
    struct Strand
    {
        std::unique_ptr<CollectiveLane> lane; //!< the lane
        uint64_t steps{0};                    //!< its steps
        Pointer received;                     //!< up to where slices were taken
        Pointer sent;                         //!< up to where slices have left
        Pointer granted;                      //!< up to where slots were granted
        bool reducing{false};                 //!< a reduction is under way
        bool over{false};                     //!< all was received and sent
        std::vector<uint32_t> waiters;        //!< lanes that wait for this one
    };

    /**
     * Move lanes until nothing moves any more.
     *
     * @param lane index of the lane to begin with
     */
    void Advance(uint32_t lane);
    /**
     * @param lane index of a lane
     * @return whether slices were taken
     */
    bool Receive(uint32_t lane);
    /**
     * @param lane index of a lane
     * @return whether slices have left
     */
    bool Send(uint32_t lane);
    /**
     * @param lane index of a lane
     */
    void Grant(uint32_t lane);
    /**
     * Take a slice from each sender of a step.
     *
     * @param lane index of the lane
     * @param step the step that it receives
     */
    void Take(uint32_t lane, const LaneStep& step);
    /**
     * @param step a step
     * @param lane index of its lane
     * @return whether a slice of it has come from each sender
     */
    bool HasArrived(const LaneStep& step, uint32_t lane) const;
    /**
     * @param lane index of a lane
     * @param needs conditions of a slice of it
     * @param end where the slice ends in its step, bytes
     * @return the first need that is not fulfilled, or null
     */
    const LaneNeed* FindMissing(uint32_t lane, const LaneNeeds& needs, uint64_t end) const;
    /**
     * @param lane index of a lane
     * @param needs conditions of a slice
     * @param end where it ends in its step, bytes
     * @return whether they are fulfilled; if not, the lane is moved again when that may have
     * changed
     */
    bool IsReady(uint32_t lane, const LaneNeeds& needs, uint64_t end);
    /**
     * @param pointer a place
     * @param bytes of the step there
     * @return end of the slice that begins there
     */
    uint64_t GetSliceEnd(const Pointer& pointer, uint64_t bytes) const;

    std::vector<Strand> m_strands; //!< by lane
    uint64_t m_slice;              //!< bytes of a slice
    CollectiveHost& m_host;        //!< its surroundings
    uint32_t m_open{0};            //!< lanes that are not over
    bool m_started{false};         //!< Start() was called
    std::vector<uint32_t> m_ready; //!< lanes to move
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_STATE_H */
