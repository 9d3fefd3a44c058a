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
#include <string>
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

    /** @return the collectives that all their ranks have ended */
    std::vector<CollectiveResult> GetCollectives() const;

    /** @return what ranks wait for, if they have not finished */
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
        CollectiveResult result;          //!< so far; sentBytesPerRank not yet
        std::vector<uint64_t> sentBefore; //!< by rank: bytes sent when it reached the op
        std::size_t ended{0};             //!< ranks that have ended it
    };

    /** @param span a step that a rank has ended */
    void OnStep(const StepSpan& span);
    /** @param span a collective that a rank has ended */
    void OnCollective(const CollectiveSpan& span);

    std::vector<Ptr<RankApplication>> m_ranks;        //!< the applications
    std::map<uint64_t, OpenStep> m_steps;             //!< by step
    std::map<uint64_t, OpenCollective> m_collectives; //!< by number
    uint64_t m_tokensPerStep{0};                      //!< over all ranks
    std::size_t m_finishedRanks{0};                   //!< ranks that have finished
    Callback<void> m_finished;                        //!< told when all have
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_OBSERVER_H */
