/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_LIST_H
#define OP_LIST_H

#include "program-op.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The ops of a step with what each waits for, in blocks of which each may be repeated.
 *
 * So the mini-batches of gradient accumulation, which are all alike, take the memory of one. Each
 * repetition of a block adds 1 to ComputeOp::miniBatch. A collective or a send that waits for
 * nothing in its block waits for the last computation before it, so that no mini-batch overtakes
 * another.
 */
class OpList
{
  public:
    /**
     * Begin a new block; what was added before is complete.
     *
     * @param repeats how often the ops that follow are done, at least 1
     */
    void BeginBlock(uint64_t repeats);

    /**
     * Add an op to the current block.
     *
     * @param op the op
     * @param after ops of the same block, as Add() named them, that must be done before
     * @return the op's place in its block
     * @throws UserError if the ops of a step, repetitions included, do not fit 64 bits
     */
    uint32_t Add(const ProgramOp& op, const std::vector<uint32_t>& after);

    /**
     * @return the ops of one step, repetitions included
     */
    uint64_t GetOpCount() const;

    /**
     * @return the ops that are kept in memory
     */
    uint64_t GetStoredCount() const;

    /**
     * @param index which op, below GetOpCount()
     * @return the op
     */
    ProgramOp GetOp(uint64_t index) const;

    /**
     * @param index which op, below GetOpCount()
     * @return the ops that must be done before
     */
    std::vector<uint64_t> GetAfter(uint64_t index) const;

    /**
     * Visit each stored op once.
     *
     * @tparam Visitor takes the op, and how often it is done in a step
     * @param visit called for each op in order
     */
    template <typename Visitor>
    void ForEachStored(Visitor visit) const
    {
        for (const Block& block : m_blocks)
        {
            for (const ProgramOp& op : block.ops)
            {
                visit(op, block.repeats);
            }
        }
    }

  private:
    /// Instead of a place: there is none.
    static constexpr uint32_t NONE = UINT32_MAX;

    /// Ops that are repeated together.
    struct Block
    {
        uint64_t first{0};            //!< index of its first op
        uint64_t repeats{1};          //!< how often it is done
        std::vector<ProgramOp> ops;   //!< the ops of one repetition
        std::vector<uint32_t> begins; //!< by op: where its part of `after` begins
        std::vector<uint32_t> after;  //!< places in the block
        uint32_t lastCompute{NONE};   //!< place of its last computation
    };

    /// An op in its block.
    struct Place
    {
        const Block* block; //!< the block
        uint64_t repeat;    //!< which repetition
        uint32_t op;        //!< place in the block
    };

    /**
     * @param index which op
     * @return where it stands
     */
    Place Find(uint64_t index) const;

    /**
     * @param place an op
     * @return the last computation before its repetition of its block, or nothing
     */
    std::optional<uint64_t> FindComputeBefore(const Place& place) const;

    std::vector<Block> m_blocks; //!< in order
};

} // namespace llmfabric
} // namespace ns3

#endif /* OP_LIST_H */
