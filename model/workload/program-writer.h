/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_WRITER_H
#define PROGRAM_WRITER_H

#include "op-list.h"
#include "rank-grid.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes the ops of a rank as one chain, in which each op waits for the one before, with other ops
 * beside it.
 *
 * Computations that follow each other become one op. Collectives of a group of one, and those of
 * no bytes, are left out.
 */
class ProgramWriter
{
  public:
    /**
     * @param grid the ranks; must outlive this
     */
    explicit ProgramWriter(const RankGrid& grid);

    /**
     * Begin the ops of a mini-batch.
     *
     * @param repeats how many mini-batches do the same
     * @param miniBatch the first of them
     */
    void BeginBlock(uint64_t repeats, uint64_t miniBatch);

    /**
     * Say what the computations that follow are for.
     *
     * @param phase what is computed
     * @param microBatch for which micro-batch
     * @param part in which part of the model
     */
    void BeginTask(ComputePhase phase, uint32_t microBatch, uint32_t part);

    /// End the task. A task without any computation gets one of no duration.
    void EndTask();

    /**
     * Chain: compute.
     *
     * @param duration how long
     */
    void Compute(Time duration);

    /**
     * Chain: a collective.
     *
     * @param group the group
     * @param kind what it does
     * @param payload M, bytes
     * @param shares of an All-to-All
     */
    void Collect(GroupKind group,
                 CollectiveKind kind,
                 uint64_t payload,
                 AllToAllShares shares = AllToAllShares::EVEN);

    /**
     * Chain: wait for a message.
     *
     * @param channel the channel
     * @param peer pipeline stage, on channel CONTEXT the distance
     * @param bytes size
     */
    void Receive(MessageChannel channel, uint32_t peer, uint64_t bytes);

    /**
     * Beside the chain: send a message when all before is done.
     *
     * @param channel the channel
     * @param peer pipeline stage, on channel CONTEXT the distance
     * @param bytes size
     */
    void Send(MessageChannel channel, uint32_t peer, uint64_t bytes);

    /**
     * Beside the chain: a collective.
     *
     * @param group the group
     * @param kind what it does
     * @param payload M, bytes
     * @param after what it waits for
     * @return the op, or nothing if it was left out
     */
    std::optional<uint32_t> CollectAside(GroupKind group,
                                         CollectiveKind kind,
                                         uint64_t payload,
                                         const std::vector<uint32_t>& after);

    /**
     * Beside the chain: a message is received.
     *
     * @param channel the channel
     * @param peer pipeline stage, on channel CONTEXT the distance
     * @param bytes size
     * @return the op
     */
    uint32_t ReceiveAside(MessageChannel channel, uint32_t peer, uint64_t bytes);

    /**
     * Beside the chain: a message is sent.
     *
     * @param channel the channel
     * @param peer pipeline stage, on channel CONTEXT the distance
     * @param bytes size
     * @param after what it waits for
     */
    void SendAside(MessageChannel channel,
                   uint32_t peer,
                   uint64_t bytes,
                   const std::vector<uint32_t>& after);

    /**
     * @param op an op that the chain waits for from here on; nothing: none
     */
    void WaitFor(std::optional<uint32_t> op);

    /**
     * Write the computations so far as one op, if there are any.
     *
     * @return the last computation of the block, or nothing if there was none
     */
    std::optional<uint32_t> Flush();

    /**
     * @return what an op has to wait for that comes after all of the chain so far
     */
    std::vector<uint32_t> GetEnd();

    /**
     * @return the list; the writer is empty after that
     */
    std::shared_ptr<const OpList> Take();

  private:
    /**
     * @param stream the stream
     * @param what the op
     * @param after what it waits for
     * @return the op
     */
    template <typename Op>
    uint32_t Add(uint32_t stream, const Op& what, const std::vector<uint32_t>& after);

    const RankGrid* m_grid;                //!< the ranks
    std::shared_ptr<OpList> m_list;        //!< the ops
    uint64_t m_miniBatch{0};               //!< of the current block
    ComputeOp m_task;                      //!< of the current task; duration not yet written
    bool m_empty{true};                    //!< the task has no computation yet
    bool m_pending{false};                 //!< m_task has a duration to be written
    std::vector<uint32_t> m_wait;          //!< what the chain waits for
    std::optional<uint32_t> m_lastCompute; //!< of the current block
};

} // namespace llmfabric
} // namespace ns3

#endif /* PROGRAM_WRITER_H */
