/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_OP_H
#define PROGRAM_OP_H

#include "rank-group.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <variant>

namespace ns3
{
namespace llmfabric
{

/// What a rank computes.
enum class ComputePhase : uint8_t
{
    FORWARD,         //!< forward pass of a micro-batch
    BACKWARD,        //!< backward pass of a micro-batch
    BACKWARD_INPUT,  //!< of a backward pass: the gradients of the inputs
    BACKWARD_WEIGHT, //!< of a backward pass: the gradients of the weights
    UPDATE           //!< weight update
};

/// Number of phases.
static constexpr uint32_t COMPUTE_PHASES = 5;

/// What a group of ranks does together.
enum class CollectiveKind : uint8_t
{
    ALL_REDUCE,     //!< every member gets the sum of all members' values
    REDUCE_SCATTER, //!< every member gets its part of the sum
    ALL_GATHER,     //!< every member gets the parts of all
    ALL_TO_ALL,     //!< every member sends another part to each
    BROADCAST,      //!< every member gets the root's values
    REDUCE,         //!< the root gets the sum of all members' values
    SEND_RECEIVE,   //!< every member sends to the next one, the last to the first
    BARRIER         //!< no member goes on before all are there
};

/// Number of kinds.
static constexpr uint32_t COLLECTIVE_KINDS = 8;

/// Who shares out the unequal parts of an All-to-All.
enum class AllToAllShares : uint8_t
{
    EVEN,           //!< nobody: all parts are equal
    BY_DESTINATION, //!< member j gets share j of every member's payload (dispatch to experts)
    BY_SOURCE       //!< member i sends share i of a payload to every member (combine)
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
 * @param kind a kind of collective op
 * @param ranks n, members of the group, at least 1
 * @return steps of a ring, in each of which a member sends 1 / n of the payload (of a Broadcast or
 *         Reduce on mean): 2 (n - 1) of an AllReduce, n of a Send/Recv, 0 of a barrier, n - 1 of
 * the others; an All-to-All sends as much
 */
constexpr uint64_t
GetRingSteps(CollectiveKind kind, uint32_t ranks)
{
    const uint64_t once = ranks - uint64_t{1};
    return kind == CollectiveKind::ALL_REDUCE                  ? 2 * once
           : kind == CollectiveKind::BARRIER                   ? 0
           : kind == CollectiveKind::SEND_RECEIVE && ranks > 1 ? ranks
                                                               : once;
}

/**
 * @param kind a kind of collective op
 * @param ranks n, members of the group, at least 1
 * @return bus bandwidth per algorithm bandwidth as nccl-tests defines it: 2 (n - 1) / n of an
 *         AllReduce, 1 of a Broadcast, Reduce or Send/Recv, 0 of a barrier, (n - 1) / n of others
 */
constexpr double
GetBusFactor(CollectiveKind kind, uint32_t ranks)
{
    const double others = (ranks - 1.0) / ranks;
    return kind == CollectiveKind::BARRIER      ? 0
           : kind == CollectiveKind::ALL_REDUCE ? 2 * others
           : kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE ||
                   kind == CollectiveKind::SEND_RECEIVE
               ? 1
               : others;
}

/**
 * @param shares who shares out the parts
 * @return its name in files, e.g. "by-source"
 */
std::string GetName(AllToAllShares shares);

/**
 * @ingroup llm-fabric
 * The rank computes.
 */
struct ComputeOp
{
    ComputePhase phase{ComputePhase::FORWARD}; //!< what it computes
    uint64_t miniBatch{0}; //!< for which mini-batch of the step, from 0; of an update, the last one
    uint32_t microBatch{0}; //!< for which micro-batch of the mini-batch, from 0
    uint32_t part{0};       //!< which part of the model (virtual pipeline stage), from 0
    Time duration;          //!< how long it takes, before stragglers are accounted for
};

/**
 * @ingroup llm-fabric
 * The rank takes part in a collective op.
 *
 * The payload is counted as nccl-tests does: of an AllReduce the tensor that each rank holds, of a
 * ReduceScatter and an AllGather the whole tensor, of an All-to-All what one rank has to share out,
 * its own part included, of a Broadcast and a Reduce the tensor of the root, of a Send/Recv what
 * each rank sends; of a barrier it does not count.
 */
struct CollectiveOp
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< what the group does
    uint32_t group{0};                               //!< id of the group; in an OpList, its kind
    uint64_t payload{0};                             //!< M, bytes
    AllToAllShares shares{AllToAllShares::EVEN};     //!< of an All-to-All
    uint32_t root{0}; //!< of a Broadcast or Reduce: index in the group of who has or gets it
};

/**
 * @ingroup llm-fabric
 * The rank sends a message to another. It is over when the message was handed over.
 */
struct SendOp
{
    uint32_t peer{0};    //!< the receiving rank; in an OpList, a coordinate
    uint32_t channel{0}; //!< messages of one channel arrive in the order in which they were sent
    uint64_t bytes{0};   //!< size, at least 1
};

/**
 * @ingroup llm-fabric
 * The rank waits for a message of another.
 */
struct ReceiveOp
{
    uint32_t peer{0};    //!< the sending rank; in an OpList, a coordinate
    uint32_t channel{0}; //!< the channel of the message
    uint64_t bytes{0};   //!< its size
};

/// Which member of ProgramOp::what is set, in the order of the variant.
enum class ProgramOpKind : uint8_t
{
    COMPUTE,
    COLLECTIVE,
    SEND,
    RECEIVE
};

/**
 * @ingroup llm-fabric
 * One op of a program: what is done, and on which stream. Ops on one stream run one after the
 * other, on different streams in parallel.
 */
struct ProgramOp
{
    uint32_t stream{0}; //!< number of the stream; 0 is the one that computes
    std::variant<ComputeOp, CollectiveOp, SendOp, ReceiveOp> what; //!< what is done

    /**
     * @return which kind of op it is
     */
    ProgramOpKind GetKind() const
    {
        return static_cast<ProgramOpKind>(what.index());
    }
};

/// Channels of point-to-point messages: forward and backward along the pipeline, in each of the
/// two directions of a bidirectional one, and round a context group's ring.
enum class MessageChannel : uint8_t
{
    FORWARD,         //!< activations
    BACKWARD,        //!< gradients of activations
    FORWARD_MIRROR,  //!< activations of the micro-batches that go the other way
    BACKWARD_MIRROR, //!< gradients of those
    CONTEXT          //!< keys and values, and their gradients
};

/// Number of channels.
static constexpr uint32_t MESSAGE_CHANNELS = 5;

/**
 * @param channel a channel
 * @return its name in reports and files, e.g. "forward"
 */
std::string GetName(MessageChannel channel);

/// The stream on which a rank computes.
static constexpr uint32_t COMPUTE_STREAM = 0;

/**
 * @param kind a kind of group
 * @return the stream of its collectives
 */
constexpr uint32_t
GetStream(GroupKind kind)
{
    return 1 + static_cast<uint32_t>(kind);
}

/**
 * @param channel a channel
 * @return the stream of its sends
 */
constexpr uint32_t
GetSendStream(MessageChannel channel)
{
    return 1 + GROUP_KINDS + 2 * static_cast<uint32_t>(channel);
}

/**
 * @param channel a channel
 * @return the stream of its receives
 */
constexpr uint32_t
GetReceiveStream(MessageChannel channel)
{
    return GetSendStream(channel) + 1;
}

/**
 * @param stream a stream
 * @return its name in files, e.g. "compute", "data", "forward-send"; of a stream that the plans
 *         here do not use, its number
 */
std::string GetStreamName(uint32_t stream);

} // namespace llmfabric
} // namespace ns3

#endif /* PROGRAM_OP_H */
