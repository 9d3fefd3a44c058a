/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_PROGRAM_H
#define RANK_PROGRAM_H

#include "op-list.h"
#include "rank-grid.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A way of communicating that a program uses, and with what.
 */
struct ProgramUse
{
    ProgramOpKind kind;        //!< COLLECTIVE, SEND or RECEIVE
    CollectiveKind collective; //!< of a COLLECTIVE, what the group does
    uint32_t group;            //!< of a COLLECTIVE, the group's id
    uint32_t peer;             //!< of a SEND or RECEIVE, the other rank
    uint32_t channel;          //!< of a SEND or RECEIVE, the channel
};

/**
 * @ingroup llm-fabric
 * The ops of one rank for one step; every step of a run has the same program.
 *
 * An op may start when the op before it on its stream and the ops that GetAfter() names are done.
 * It depends on ops with lower indices only, so a program has no cycle.
 *
 * The object is a view of an OpList that ranks with equal work share; it turns the list's places
 * in a grid into groups and ranks.
 */
class RankProgram
{
  public:
    /**
     * A program that stands as it is.
     *
     * @param ops ops whose groups and peers are those of the job
     */
    explicit RankProgram(std::shared_ptr<const OpList> ops);

    /**
     * A program of a grid.
     *
     * @param ops ops whose group is a GroupKind; the peer of a message is a pipeline stage, on
     *        channel CONTEXT the distance along the ring
     * @param grid the ranks
     * @param rank whose program it is
     */
    RankProgram(std::shared_ptr<const OpList> ops,
                std::shared_ptr<const RankGrid> grid,
                uint32_t rank);

    /**
     * @return the ops of one step
     */
    uint64_t GetOpCount() const;

    /**
     * @param index which op, below GetOpCount()
     * @return the op, with the groups and peers of this rank
     */
    ProgramOp GetOp(uint64_t index) const;

    /**
     * @param index which op, below GetOpCount()
     * @return the ops, all before it, that must be done before it starts; its stream's order is not
     *         among them
     */
    std::vector<uint64_t> GetAfter(uint64_t index) const;

    /**
     * Visit each op that is kept in memory once, however often it is done.
     *
     * @tparam Visitor takes the op, with the groups and peers of this rank, and how often it is
     *         done in a step
     * @param visit called for each op in order
     */
    template <typename Visitor>
    void ForEachStored(Visitor visit) const
    {
        m_ops->ForEachStored([&](ProgramOp op, uint64_t repeats) {
            if (m_grid)
            {
                Resolve(op, *m_grid, m_rank);
            }
            visit(op, repeats);
        });
    }

    /**
     * @return each way of communicating once, in the order of first use
     */
    std::vector<ProgramUse> GetUses() const;

    /**
     * @return the ops, which equal programs share
     */
    const std::shared_ptr<const OpList>& GetList() const;

    /**
     * @param [in,out] op an op of a grid's list; gets the groups and peers of a rank
     * @param grid the ranks
     * @param rank the rank
     */
    static void Resolve(ProgramOp& op, const RankGrid& grid, uint32_t rank);

  private:
    std::shared_ptr<const OpList> m_ops;    //!< the ops
    std::shared_ptr<const RankGrid> m_grid; //!< the ranks, or null
    uint32_t m_rank{0};                     //!< whose program it is
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_PROGRAM_H */
