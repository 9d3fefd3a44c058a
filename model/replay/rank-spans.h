/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_SPANS_H
#define RANK_SPANS_H

#include "ns3/nstime.h"
#include "ns3/program-op.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/** A computation of a rank; argument of the trace source Compute. */
struct ComputeSpan
{
    uint32_t rank;       //!< the rank
    uint64_t step;       //!< step of the training run, from 0
    ComputePhase phase;  //!< what was computed
    uint64_t miniBatch;  //!< for which mini-batch of the step, from 0
    uint32_t microBatch; //!< for which micro-batch of the mini-batch, from 0
    uint32_t part;       //!< which part of the model (virtual pipeline stage), from 0
    Time start;          //!< begin
    Time end;            //!< end
};

/** A collective as one rank saw it; argument of the trace source Collective. */
struct CollectiveSpan
{
    uint32_t rank;         //!< the rank
    uint64_t step;         //!< step of the training run, from 0
    uint32_t group;        //!< id of the group
    std::string groupName; //!< e.g. "data"
    uint64_t sequence;     //!< number of the collective in its group on this rank, from 0
    std::string op;        //!< e.g. "allreduce"
    std::string algorithm; //!< e.g. "ring"
    uint32_t ranks;        //!< members of the group
    uint64_t payload;      //!< M, bytes
    uint64_t sentBefore;   //!< bytes handed to the group's connections before the op
    Time start;            //!< the op began on this rank
    Time end;              //!< the op was over on this rank
};

/** A message between two ranks as one of them saw it; argument of the trace source Transfer. */
struct TransferSpan
{
    uint32_t rank;    //!< the rank
    uint64_t step;    //!< step of the training run, from 0
    uint32_t peer;    //!< the other rank
    uint32_t channel; //!< the channel
    uint64_t bytes;   //!< size
    bool sent;        //!< the rank sent it, else it received it
    Time start;       //!< the rank reached the op
    Time end;         //!< the message was handed over, or has come
};

/** A step of a rank; argument of the trace source Step. */
struct StepSpan
{
    uint32_t rank; //!< the rank
    uint64_t step; //!< step of the training run, from 0
    Time start;    //!< begin
    Time end;      //!< end
    Time compute;  //!< time in which it computed
};

/** How far a rank is in its step. */
struct StepProgress
{
    uint64_t step;      //!< the step, from 0
    Time computed;      //!< time in which it has computed
    uint64_t sentBytes; //!< bytes that its connections have sent
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_SPANS_H */
