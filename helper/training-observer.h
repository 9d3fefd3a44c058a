/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_OBSERVER_H
#define TRAINING_OBSERVER_H

#include "run-results.h"

#include "ns3/callback.h"
#include "ns3/rank-application.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Watches all ranks of a job and puts their steps and collectives together.
 *
 * It lives at least as long as the simulation.
 */
class TrainingObserver
{
  public:
    /**
     * @param ranks the applications, by rank
     * @param tokensPerStep tokens of a step over all ranks
     */
    void Watch(const std::vector<Ptr<RankApplication>>& ranks, uint64_t tokensPerStep);

    /** @param callback called when the last rank has finished its last step */
    void SetFinishedCallback(Callback<void> callback)
    {
        m_finished = callback;
    }

    /** @return the steps that all ranks have ended */
    std::vector<StepResult> GetSteps() const;

    /** @return the collectives that all their ranks have ended, by start, then group, in order */
    std::vector<CollectiveResult> GetCollectives() const;

    /** @return what ranks wait for or why they stopped, if not all have finished */
    std::vector<std::string> GetWaits() const;

    /** @return true once all ranks have finished */
    bool IsFinished() const
    {
        return m_finishedRanks == m_ranks.size();
    }

  private:
    /** A step while ranks still end it. */
    struct OpenStep
    {
        StepResult result;    //!< so far
        std::size_t ended{0}; //!< ranks that have ended it
    };

    /** A collective while ranks still end it. */
    struct OpenCollective
    {
        CollectiveResult result; //!< so far; sentBytesPerRank not yet
        /// By index in the group: bytes that the group's connections had sent when it began the op;
        /// nothing if it has not ended it.
        std::vector<std::optional<uint64_t>> sentBefore;
        std::size_t ended{0}; //!< ranks that have ended it
    };

    /// The group and the number of a collective in it.
    using CollectiveKey = std::pair<uint32_t, uint64_t>;

    /** @param span a step that a rank has ended */
    void OnStep(const StepSpan& span);
    /** @param span a collective that a rank has ended */
    void OnCollective(const CollectiveSpan& span);
    /**
     * @param key a collective that all its ranks have ended
     * @return what the group's connections sent from it to the next one, or to the end of the run,
     *         by index in the group
     */
    std::vector<uint64_t> GetSentBytes(const CollectiveKey& key) const;

    std::vector<Ptr<RankApplication>> m_ranks;             //!< the applications
    std::map<uint64_t, OpenStep> m_steps;                  //!< by step
    std::map<CollectiveKey, OpenCollective> m_collectives; //!< by group and number
    uint64_t m_tokensPerStep{0};                           //!< over all ranks
    std::size_t m_finishedRanks{0};                        //!< ranks that have finished
    Callback<void> m_finished;                             //!< told when all have
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_OBSERVER_H */
