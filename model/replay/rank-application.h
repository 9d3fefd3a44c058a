/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_APPLICATION_H
#define RANK_APPLICATION_H

#include "ns3/application.h"
#include "ns3/collective-algorithm.h"
#include "ns3/collective-state.h"
#include "ns3/event-id.h"
#include "ns3/gpu-connection.h"
#include "ns3/nstime.h"
#include "ns3/rank-group.h"
#include "ns3/rank-program.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** A computation of a rank; argument of the trace source Compute. */
struct ComputeSpan
{
    uint32_t rank;      //!< the rank
    uint64_t step;      //!< step of the training run, from 0
    ComputePhase phase; //!< what was computed
    uint64_t miniBatch; //!< for which mini-batch of the step, from 0
    Time start;         //!< begin
    Time end;           //!< end
};

/** A collective as one rank saw it; argument of the trace source Collective. */
struct CollectiveSpan
{
    uint32_t rank;         //!< the rank
    uint64_t step;         //!< step of the training run, from 0
    uint64_t sequence;     //!< number of the collective on this rank, from 0
    std::string op;        //!< e.g. "allreduce"
    std::string algorithm; //!< e.g. "ring"
    uint32_t ranks;        //!< members of the group
    uint64_t payload;      //!< M, bytes
    uint64_t sentBefore;   //!< bytes that the rank's connections had sent when it reached the op
    Time start;            //!< the rank reached the op
    Time end;              //!< the op was over on this rank
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
    double collectives; //!< collectives done; a part for the one under way, by bytes sent
};

/** What a rank does; set once before it starts. */
struct RankConfig
{
    uint32_t rank{0};                                     //!< the rank
    uint64_t steps{1};                                    //!< how often the program runs
    std::shared_ptr<const RankProgram> program;           //!< ops of one step
    std::vector<RankGroup> groups;                        //!< the groups of the job, by id
    std::shared_ptr<const CollectiveAlgorithm> allReduce; //!< algorithm of AllReduce
};

/**
 * @ingroup llm-fabric
 * Runs the program of one rank: computes, and takes part in collectives when it reaches them.
 *
 * It knows its own state only. A message that comes before the rank has reached the op waits; the
 * op begins when the program reaches it.
 */
class RankApplication : public Application
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * Signature of the trace source Compute.
     *
     * @param span the computation
     */
    typedef void (*ComputeTracedCallback)(const ComputeSpan& span);

    /**
     * Signature of the trace source Collective.
     *
     * @param span the collective
     */
    typedef void (*CollectiveTracedCallback)(const CollectiveSpan& span);

    /**
     * Signature of the trace source Step.
     *
     * @param span the step
     */
    typedef void (*StepTracedCallback)(const StepSpan& span);

    RankApplication();
    ~RankApplication() override;

    /** @param config what to do */
    void Configure(const RankConfig& config);

    /** @return what it does */
    const RankConfig& GetConfig() const
    {
        return m_config;
    }

    /**
     * @param group id of a group
     * @param peer index in the group of whom to send to
     * @param connection the way there
     */
    void SetSendConnection(uint32_t group, uint32_t peer, Ptr<GpuConnection> connection);

    /**
     * @param group id of a group
     * @param peer index in the group of whom to receive from
     * @param connection the way from there
     */
    void SetReceiveConnection(uint32_t group, uint32_t peer, Ptr<GpuConnection> connection);

    /** @return true once all steps are done */
    bool IsFinished() const
    {
        return m_step == m_config.steps;
    }

    /** @return what it waits for, with the rank and since when; empty once it has finished */
    std::string DescribeWait() const;

    /** @return bytes that its connections have sent */
    uint64_t GetSentBytes() const;

    /** @return how far the current step is */
    StepProgress GetProgress() const;

  private:
    /** A group and the index of a member. */
    using Member = std::pair<uint32_t, uint32_t>;

    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;

    /** Begin the next op, the next step, or end. */
    void Next();
    /** @param op the computation to begin */
    void Begin(const ComputeOp& op);
    /** @param op the collective to begin */
    void Begin(const CollectiveOp& op);
    /** The computation is over. */
    void OnComputed();
    /** The step is over. */
    void EndStep();
    /**
     * @param member who sent a message
     * @param bytes its size
     */
    void OnReceive(Member member, uint64_t bytes);
    /** Give the collective the messages that have come, send what it wants, end it when done. */
    void Continue();
    /** @param reason why a connection broke */
    void OnError(const std::string& reason);

    RankConfig m_config;                                //!< what to do
    std::map<Member, Ptr<GpuConnection>> m_sendTo;      //!< ways to peers
    std::map<Member, Ptr<GpuConnection>> m_receiveFrom; //!< ways from peers
    std::map<Member, uint64_t> m_arrived;               //!< messages not yet taken
    std::unique_ptr<CollectiveState> m_collective;      //!< the one under way, or null
    std::vector<CollectiveSend> m_sends;                //!< used again for each message
    CollectiveOp m_collectiveOp{};                      //!< the one under way
    CollectiveSpan m_collectiveSpan{};                  //!< of the one under way
    ComputeSpan m_computeSpan{};                        //!< of the one under way
    StepSpan m_stepSpan{};                              //!< of the current step
    uint64_t m_step{0};                                 //!< current step
    uint64_t m_op{0};                                   //!< next op of the step
    uint64_t m_collectives{0};                          //!< collectives begun
    uint64_t m_collectivesOfStep{0};                    //!< collectives done in the current step
    std::string m_error;                                //!< why it can't go on, or empty
    EventId m_computing;                                //!< end of the computation
    TracedCallback<const ComputeSpan&> m_computeTrace;  //!< a computation is over
    TracedCallback<const CollectiveSpan&> m_collectiveTrace; //!< a collective is over
    TracedCallback<const StepSpan&> m_stepTrace;             //!< a step is over
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_APPLICATION_H */
