/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAN_TRAFFIC_H
#define PLAN_TRAFFIC_H

#include "training-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Ranks that do the ops of a TrafficRow equally often.
 */
struct TrafficShare
{
    RankClass ranks;       //!< who
    ProgramOp op;          //!< the op, as it stands in their OpList
    uint64_t callsPerRank; //!< by each of them in one step
};

/**
 * @ingroup llm-fabric
 * Ops of one kind with one payload, over all ranks and one step.
 *
 * Bytes are those that ranks send with ring algorithms, and a direct All-to-All (Life of a Token,
 * section 6): of a payload M over n ranks, AllReduce 2 (n - 1) M over all, the others (n - 1) M.
 */
struct TrafficRow
{
    std::string object;               //!< what travels, e.g. "gradients"
    std::string op;                   //!< e.g. "allreduce", or "send"
    std::string group;                //!< e.g. "data"; of messages the channel
    uint32_t groupSize{0};            //!< n, ranks of the group; 2 for messages
    uint64_t payload{0};              //!< M, bytes
    uint64_t callsPerRank{0};         //!< by the rank that calls most, in one step
    uint64_t ranks{0};                //!< ranks that call at all; of messages, that send
    uint64_t bytesPerRank{0};         //!< sent by the rank that sends most, in one step; rounded up
    uint64_t totalBytes{0};           //!< sent by all ranks in one step; rounded up
    std::vector<TrafficShare> shares; //!< the ranks
};

/**
 * What a job sends in one step.
 *
 * @param job the job
 * @return the rows: collectives by group, messages by channel, then by first use
 * @throws UserError if a sum does not fit 64 bits
 */
std::vector<TrafficRow> GetTraffic(const TrainingJob& job);

/**
 * @param kind a kind of collective
 * @param ranks n, members of the group
 * @param payload M, bytes
 * @return bytes that all members send together with a ring, or a direct All-to-All
 * @throws UserError if it does not fit 64 bits
 */
uint64_t GetGroupBytes(CollectiveKind kind, uint32_t ranks, uint64_t payload);

} // namespace llmfabric
} // namespace ns3

#endif /* PLAN_TRAFFIC_H */
