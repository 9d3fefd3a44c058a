/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_PROGRAM_H
#define RANK_PROGRAM_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <variant>

namespace ns3
{
namespace llmfabric
{

/// What a rank computes.
enum class ComputePhase
{
    FORWARD,  //!< forward pass of a mini-batch
    BACKWARD, //!< backward pass of a mini-batch
    UPDATE    //!< weight update
};

/// What a group of ranks does together.
enum class CollectiveKind
{
    ALL_REDUCE //!< every member gets the sum of all members' values
};

/**
 * @param phase a phase
 * @return its name in reports and traces, e.g. "forward"
 */
std::string GetName(ComputePhase phase);

/**
 * @param kind a kind of collective op
 * @return its name in scenarios, reports and traces, e.g. "allreduce"
 */
std::string GetName(CollectiveKind kind);

/**
 * @ingroup llm-fabric
 * The rank computes.
 */
struct ComputeOp
{
    ComputePhase phase; //!< what it computes
    uint64_t miniBatch; //!< for which mini-batch of the step, from 0; of an update, the last one
    Time duration;      //!< how long it takes on this rank
};

/**
 * @ingroup llm-fabric
 * The rank takes part in a collective op.
 */
struct CollectiveOp
{
    CollectiveKind kind; //!< what the group does
    uint32_t group;      //!< RankGroup::GetId() of the group
    uint64_t payload;    //!< M, bytes of the tensor of one rank, as nccl-tests counts them
};

/// One op of a program.
using ProgramOp = std::variant<ComputeOp, CollectiveOp>;

/**
 * @ingroup llm-fabric
 * The numbers that make the step of a data-parallel rank.
 */
struct DataParallelStep
{
    uint64_t accumulationSteps{1}; //!< N_acc, mini-batches of a rank in one step
    Time forward;                  //!< forward pass of one mini-batch
    Time backward;                 //!< backward pass of one mini-batch
    Time update;                   //!< weight update
    uint32_t group{0};             //!< the ranks that share their gradients
    uint64_t gradientBytes{0};     //!< M_DP, payload of the AllReduce, bytes
    bool synchronize{true};        //!< false if the rank has no partner; then there is no AllReduce
};

/**
 * @ingroup llm-fabric
 * The ops of one rank for one step, in the order in which the rank does them.
 *
 * A step of data parallelism with gradient accumulation (Life of a Token, sections 4 and 5):
 *
 *     N_acc times: forward, backward
 *     once:        AllReduce of the gradients, update
 *
 * Ops are made when asked for: a program takes the same memory whatever N_acc is, and all ranks
 * whose steps are equal share one program. Every step of a run has the same program.
 */
class RankProgram
{
  public:
    /**
     * @param step the numbers of the step
     */
    explicit RankProgram(const DataParallelStep& step);

    /**
     * @return the ops of one step
     */
    uint64_t GetOpCount() const;

    /**
     * @param index which op, below GetOpCount()
     * @return the op
     */
    ProgramOp GetOp(uint64_t index) const;

  private:
    DataParallelStep m_step; //!< the numbers of the step
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_PROGRAM_H */
