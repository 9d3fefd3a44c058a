/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_TEXT_H
#define PROGRAM_TEXT_H

#include "ns3/rank-program.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @tparam What a member of ProgramOp::what
 * @param stream the stream
 * @param what what is done
 * @return the op
 */
template <typename What>
ProgramOp
MakeOp(uint32_t stream, const What& what)
{
    ProgramOp op;
    op.stream = stream;
    op.what = what;
    return op;
}

/**
 * @param ticks how long
 * @return a forward pass on the compute stream
 */
inline ProgramOp
MakeCompute(uint64_t ticks)
{
    ComputeOp compute;
    compute.duration = TimeStep(ticks);
    return MakeOp(COMPUTE_STREAM, compute);
}

/**
 * @param group kind of its group
 * @param payload M, bytes
 * @param kind what the group does
 * @return a collective of an OpList for a grid
 */
inline ProgramOp
MakeCollective(GroupKind group, uint64_t payload, CollectiveKind kind = CollectiveKind::ALL_REDUCE)
{
    CollectiveOp collective;
    collective.kind = kind;
    collective.group = static_cast<uint32_t>(group);
    collective.payload = payload;
    return MakeOp(GetStream(group), collective);
}

/**
 * @param peer to whom
 * @param bytes size
 * @param channel the channel
 * @return a send
 */
inline ProgramOp
MakeSend(uint32_t peer, uint64_t bytes, MessageChannel channel = MessageChannel::FORWARD)
{
    return MakeOp(GetSendStream(channel), SendOp{peer, static_cast<uint32_t>(channel), bytes});
}

/**
 * @param peer from whom
 * @param bytes size
 * @param channel the channel
 * @return a receive
 */
inline ProgramOp
MakeReceive(uint32_t peer, uint64_t bytes, MessageChannel channel = MessageChannel::FORWARD)
{
    return MakeOp(GetReceiveStream(channel),
                  ReceiveOp{peer, static_cast<uint32_t>(channel), bytes});
}

/**
 * @param op an op
 * @return what it does, e.g. "forward 8", "allreduce 512", "512 to 1"; nothing is said of a
 *         mini-batch, micro-batch or part 0, nor of the group that the stream names
 */
inline std::string
Write(const ProgramOp& op)
{
    if (const auto* compute = std::get_if<ComputeOp>(&op.what))
    {
        const bool first = compute->miniBatch == 0 && compute->microBatch == 0;
        return GetName(compute->phase) + " " + std::to_string(compute->duration.GetTimeStep()) +
               (first ? ""
                      : " of " + std::to_string(compute->miniBatch) + "." +
                            std::to_string(compute->microBatch)) +
               (compute->part == 0 ? "" : " in " + std::to_string(compute->part));
    }
    if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        const bool even = collective->shares == AllToAllShares::EVEN;
        const bool named = collective->group + 1 == op.stream;
        return GetName(collective->kind) + " " + std::to_string(collective->payload) +
               (even ? "" : " " + GetName(collective->shares)) +
               (named ? "" : " in group " + std::to_string(collective->group));
    }
    if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        return std::to_string(send->bytes) + " to " + std::to_string(send->peer);
    }
    const auto& receive = std::get<ReceiveOp>(op.what);
    return std::to_string(receive.bytes) + " from " + std::to_string(receive.peer);
}

/**
 * @tparam Ops OpList or RankProgram
 * @param ops ops
 * @return a line for each: place, stream, what it does, what it waits for, e.g. "3 tensor allreduce
 *         512 after 1 2"
 */
template <typename Ops>
std::string
WriteOps(const Ops& ops)
{
    std::string text;
    for (uint64_t i = 0; i < ops.GetOpCount(); ++i)
    {
        const ProgramOp op = ops.GetOp(i);
        text += std::to_string(i) + " " + GetStreamName(op.stream) + " " + Write(op);
        std::string separator = " after ";
        for (uint64_t before : ops.GetAfter(i))
        {
            text += separator + std::to_string(before);
            separator = " ";
        }
        text += "\n";
    }
    return text;
}

} // namespace llmfabric
} // namespace ns3

#endif /* PROGRAM_TEXT_H */
