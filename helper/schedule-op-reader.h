/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_OP_READER_H
#define SCHEDULE_OP_READER_H

#include "schedule-line.h"

#include "ns3/listed-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Takes the ops of a schedule file, line by line, and gives them to a plan.
 *
 * Each mistake is a UserError that does not say where it stands.
 */
class ScheduleOpReader
{
  public:
    /**
     * @param plan gets the programs; has the groups; must outlive this
     */
    explicit ScheduleOpReader(ListedPlan& plan);

    /**
     * Take an op.
     *
     * @param line a line that is neither header nor group
     * @throws UserError if it is no op, or one that can't be
     */
    void Take(const ScheduleLine& line);

    /**
     * Give all ranks their programs; nothing is taken after that.
     *
     * @return the ranks that have ops, or that a message goes to or comes from
     */
    std::set<uint32_t> Finish();

  private:
    /// What ops of one order belong to: COLLECTIVE and a group, or SEND or RECEIVE, a rank, and a
    /// channel.
    using Lane = std::tuple<ProgramOpKind, uint32_t, uint32_t>;

    /// A rank that has ops.
    struct RankState
    {
        std::shared_ptr<OpList> ops{std::make_shared<OpList>()}; //!< the ops so far
        uint32_t count{0};                                       //!< how many they are
        std::map<Lane, uint32_t> lanes;                          //!< the stream of each lane
        std::set<uint32_t> streams;                              //!< the streams
    };

    /**
     * @param line a line
     * @return the one of the keys "compute", "collective", "send" and "receive" that it has
     */
    static std::string FindKind(const ScheduleLine& line);

    /**
     * @param line an op
     * @param state its rank
     * @return the number of its stream
     */
    uint32_t ReadStream(const ScheduleLine& line, RankState& state);

    /**
     * @param line an op with "compute"
     * @return what the rank computes
     */
    ComputeOp ReadCompute(const ScheduleLine& line);

    /**
     * @param line an op with "collective"
     * @param rank whose op it is
     * @return the collective
     */
    CollectiveOp ReadCollective(const ScheduleLine& line, uint32_t rank) const;

    /**
     * @param group the group of an op
     * @param rank a rank
     * @return its index in the group
     * @throws UserError if it is no member
     */
    uint32_t FindMember(uint32_t group, uint32_t rank) const;

    /**
     * @param line a line of a collective
     * @param op its op, whose kind and group are known
     * @return index in the group of its root; 0 if the kind has none
     * @throws UserError if it is missing, of no use or no member
     */
    uint32_t ReadRoot(const ScheduleLine& line, const CollectiveOp& op) const;

    /**
     * @tparam Op SendOp or ReceiveOp
     * @param line an op with "send" or "receive"
     * @param kind which of them
     * @param rank whose op it is
     * @return the message
     */
    template <typename Op>
    Op ReadMessage(const ScheduleLine& line, const std::string& kind, uint32_t rank);

    /**
     * @param line an op
     * @param index its place in its program
     * @return the ops that it waits for
     */
    static std::vector<uint32_t> ReadAfter(const ScheduleLine& line, uint32_t index);

    /**
     * Refuse ops whose order would be left open.
     *
     * @param op an op
     * @param state its rank
     */
    static void CheckLane(const ProgramOp& op, RankState& state);

    ListedPlan& m_plan;                     //!< gets the programs
    std::map<uint32_t, RankState> m_states; //!< by rank, if it has ops
    std::set<uint32_t> m_peers;             //!< ranks that a message goes to or comes from
    uint64_t m_ticks{0};                    //!< time that all ranks compute
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCHEDULE_OP_READER_H */
