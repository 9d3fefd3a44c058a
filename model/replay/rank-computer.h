/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_COMPUTER_H
#define RANK_COMPUTER_H

#include "rank-spans.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The computations of one rank: each takes its time, and several do not slow each other.
 */
class RankComputer
{
  public:
    /// An op is over: how its caller named it, and how it went.
    using OverCallback = std::function<void(uint64_t op, const ComputeSpan& span)>;

    /**
     * @param rank the rank
     * @param over called when an op is over, within Begin() if it takes no time; it may begin
     * others
     */
    RankComputer(uint32_t rank, OverCallback over);
    ~RankComputer();

    RankComputer(const RankComputer&) = delete;
    RankComputer& operator=(const RankComputer&) = delete;

    /**
     * @param index how the caller names the op
     * @param step step of the training run
     * @param op the op
     * @param factor how many times as long as planned it takes, at least 0
     */
    void Begin(uint64_t index, uint64_t step, const ComputeOp& op, double factor);

    /** Give up what is under way. */
    void Stop();

    /** @return time in which at least one computation was under way, up to now */
    Time GetBusy() const;

    /** @return the computations under way, each as a part of a sentence */
    std::vector<std::string> DescribeWaits() const;

  private:
    /** A computation under way. */
    struct Computation
    {
        ComputeSpan span; //!< as it will be told
        EventId end;      //!< its end
    };

    /** @param index name of a computation that is over */
    void OnEnd(uint64_t index);

    uint32_t m_rank;                            //!< the rank
    OverCallback m_over;                        //!< called when an op is over
    std::map<uint64_t, Computation> m_underWay; //!< by name
    Time m_busySince;                           //!< since when there are any
    Time m_busyBefore;                          //!< time in which there were, before that
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_COMPUTER_H */
