/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-op.h"

namespace ns3
{
namespace llmfabric
{

std::string
GetName(ComputePhase phase)
{
    switch (phase)
    {
    case ComputePhase::FORWARD:
        return "forward";
    case ComputePhase::BACKWARD:
        return "backward";
    case ComputePhase::BACKWARD_INPUT:
        return "backward-input";
    case ComputePhase::BACKWARD_WEIGHT:
        return "backward-weight";
    case ComputePhase::UPDATE:
        return "update";
    }
    return "unknown";
}

std::string
GetName(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return "allreduce";
    case CollectiveKind::REDUCE_SCATTER:
        return "reducescatter";
    case CollectiveKind::ALL_GATHER:
        return "allgather";
    case CollectiveKind::ALL_TO_ALL:
        return "alltoall";
    case CollectiveKind::BROADCAST:
        return "broadcast";
    case CollectiveKind::REDUCE:
        return "reduce";
    case CollectiveKind::SEND_RECEIVE:
        return "sendrecv";
    case CollectiveKind::BARRIER:
        return "barrier";
    }
    return "unknown";
}

std::string
GetName(AllToAllShares shares)
{
    switch (shares)
    {
    case AllToAllShares::EVEN:
        return "even";
    case AllToAllShares::BY_DESTINATION:
        return "by-destination";
    case AllToAllShares::BY_SOURCE:
        return "by-source";
    }
    return "unknown";
}

std::string
GetName(MessageChannel channel)
{
    switch (channel)
    {
    case MessageChannel::FORWARD:
        return "forward";
    case MessageChannel::BACKWARD:
        return "backward";
    case MessageChannel::FORWARD_MIRROR:
        return "forward-mirror";
    case MessageChannel::BACKWARD_MIRROR:
        return "backward-mirror";
    case MessageChannel::CONTEXT:
        return "context";
    }
    return "unknown";
}

std::string
GetStreamName(uint32_t stream)
{
    if (stream == COMPUTE_STREAM)
    {
        return "compute";
    }
    if (stream < GetSendStream(MessageChannel::FORWARD))
    {
        return GetName(static_cast<GroupKind>(stream - 1));
    }
    const uint32_t place = stream - GetSendStream(MessageChannel::FORWARD);
    if (place < 2 * MESSAGE_CHANNELS)
    {
        return GetName(static_cast<MessageChannel>(place / 2)) +
               (place % 2 == 0 ? "-send" : "-receive");
    }
    return std::to_string(stream);
}

} // namespace llmfabric
} // namespace ns3
