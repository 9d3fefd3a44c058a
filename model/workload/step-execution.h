/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STEP_EXECUTION_H
#define STEP_EXECUTION_H

#include "program-cursor.h"
#include "step-timeline.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Runs the programs of some ranks, by formula; the works of StepTimeline.
 */
class StepExecution
{
  public:
    /**
     * @param plan the job
     * @param ranks the ranks that are looked at
     * @param costs what communication costs
     */
    StepExecution(const RankPlan& plan,
                  const std::vector<uint32_t>& ranks,
                  const TimelineCosts& costs);

    /// Run to the end.
    void Run();

    std::vector<TimelineSpan> spans;   //!< ops that ended
    std::vector<std::string> problems; //!< what keeps the step from being done

  private:
    /// An op of a rank; of `rank` is meant its place in m_states.
    struct Running
    {
        std::size_t rank;           //!< whose
        ProgramCursor::Entry entry; //!< which
        Time start;                 //!< since when
    };

    /// An op that ends at a known time.
    struct Ending
    {
        Time at;         //!< when
        uint64_t number; //!< order among those of one time
        Running running; //!< which op

        /**
         * @param other another one
         * @return whether this one comes later, as a queue with the earliest on top wants it
         */
        bool operator<(const Ending& other) const
        {
            return std::tie(at, number) > std::tie(other.at, other.number);
        }
    };

    /// A group that is used.
    struct Members
    {
        RankGroup group;     //!< who is in it
        std::size_t present; //!< how many of them are looked at
    };

    /// A collective op that some members have reached.
    struct Meeting
    {
        std::vector<Running> members; //!< who is there
    };

    /// Messages from one rank to another on one channel.
    struct Lane
    {
        std::deque<std::pair<Time, uint64_t>> arrived; //!< when and how large, not yet received
        std::deque<Running> receivers;                 //!< who waits for the next ones
        Time free;                                     //!< when the last one has arrived
    };

    /// A rank that is looked at.
    struct RankState
    {
        uint32_t rank;                         //!< its number
        RankProgram program;                   //!< its ops
        std::unique_ptr<ProgramCursor> cursor; //!< how far it is
        std::map<uint32_t, uint64_t> calls;    //!< by group: collectives begun
    };

    /// Names a lane: from, to, channel.
    using LaneKey = std::tuple<uint32_t, uint32_t, uint32_t>;

    /**
     * @param rank place in m_states of a rank whose ops may go on
     */
    void Continue(std::size_t rank);
    /**
     * @param running an op that starts now
     */
    void Start(const Running& running);
    /**
     * @param running a collective that starts now
     * @param op what it is
     */
    void Join(const Running& running, const CollectiveOp& op);
    /**
     * @param running a send that starts now
     * @param op what it is
     */
    void Send(const Running& running, const SendOp& op);
    /**
     * @param lane a lane; a message that has come is given to a receiver that waits
     */
    void Match(Lane& lane);
    /**
     * @param running an op
     * @param at when it ends
     */
    void EndAt(const Running& running, Time at);
    /**
     * @param id a group
     * @return its members
     */
    const Members& GetMembers(uint32_t id);
    /// Describe what has not ended.
    void ListUnfinished();

    const RankPlan& m_plan;                                      //!< the job
    const TimelineCosts& m_costs;                                //!< what communication costs
    std::vector<RankState> m_states;                             //!< the ranks
    std::map<std::pair<uint32_t, uint64_t>, Meeting> m_meetings; //!< by group and number
    std::map<uint32_t, Members> m_members;                       //!< by group, once counted
    std::map<LaneKey, Lane> m_lanes;                             //!< messages
    std::priority_queue<Ending> m_endings;                       //!< what ends when
    uint64_t m_number{0};                                        //!< endings made
    Time m_now;                                                  //!< the time
};

} // namespace llmfabric
} // namespace ns3

#endif /* STEP_EXECUTION_H */
