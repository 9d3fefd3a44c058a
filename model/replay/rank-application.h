/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_APPLICATION_H
#define RANK_APPLICATION_H

#include "rank-communicator.h"
#include "rank-computer.h"
#include "rank-mailbox.h"
#include "rank-spans.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/gpu-connection.h"
#include "ns3/program-cursor.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rank-plan.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/** What a rank does; set once before it starts. */
struct RankConfig
{
    uint32_t rank{0};                                   //!< the rank
    uint64_t steps{1};                                  //!< how often the program runs
    std::optional<RankProgram> program{};               //!< ops of one step
    std::map<uint32_t, RankCommunicator::Group> groups; //!< those that it uses, by id
    std::shared_ptr<const CollectiveSetup> collectives; //!< how collectives are done
    std::shared_ptr<const RankPlan> plan; //!< names groups, and shares out All-to-Alls
};

/**
 * @ingroup llm-fabric
 * Runs the program of one rank: computes, takes part in collectives, sends and receives messages,
 * several at a time as the program's streams allow.
 *
 *     ProgramCursor -> ops that may start -> computation: RankComputer
 *          ^                              -> collective:  RankCommunicator of its group
 *          |                              -> message:     RankMailbox
 *          +--- the op is over <----------+
 *
 * The step is over when all its ops are; then the next one begins. It knows its own state only. A
 * message that comes before the rank has reached its op waits.
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
     * Signature of the trace source Transfer.
     *
     * @param span the message
     */
    typedef void (*TransferTracedCallback)(const TransferSpan& span);

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
     * @param group id of a group that it is configured with
     * @param peer whom to send to, and on which lane
     * @param connection the way there
     */
    void SetSendConnection(uint32_t group, const LanePeer& peer, Ptr<GpuConnection> connection);

    /**
     * @param group id of a group that it is configured with
     * @param peer whom to receive from, and on which lane
     * @param connection the way from there
     */
    void SetReceiveConnection(uint32_t group, const LanePeer& peer, Ptr<GpuConnection> connection);

    /**
     * @param peer the rank to send messages to
     * @param channel the channel of the messages
     * @param connection the way there
     */
    void SetSendChannel(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection);

    /**
     * @param peer the rank to receive messages from
     * @param channel the channel of the messages
     * @param connection the way from there
     */
    void SetReceiveChannel(uint32_t peer, uint32_t channel, Ptr<GpuConnection> connection);

    /**
     * Fix the number of the random stream that Jitter draws from.
     *
     * @param stream the number
     * @return how many numbers were used
     */
    int64_t AssignStreams(int64_t stream);

    /** @return true once all steps are done */
    bool IsFinished() const
    {
        return m_step == m_config.steps;
    }

    /**
     * @return what it is at or waits for, with the rank and since when, or why it cannot go on;
     *         empty once it has finished without error
     */
    std::string DescribeWait() const;

    /** @return bytes that its connections have sent */
    uint64_t GetSentBytes() const;

    /**
     * @param group id of a group that it is configured with
     * @return bytes that the rank handed to the group's connections, without those of the
     * collective under way
     */
    uint64_t GetSentBytesOfEnded(uint32_t group) const
    {
        return m_groups.at(group).GetSentBytesOfEnded();
    }

    /** @return how far the current step is */
    StepProgress GetProgress() const;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void DoDispose() override;

    /** Begin the current step. */
    void BeginStep();
    /** Note where the current step begins. */
    void MarkStep();
    /** The step is over. */
    void EndStep();
    /** Begin the ops that may start; end the step if there are none left. */
    void Advance();
    /** @param entry the op to begin */
    void Begin(const ProgramCursor::Entry& entry);
    /** @param index place in the program of an op that is over */
    void OnOver(uint64_t index);

    /** @param reason why a connection broke */
    void OnError(const std::string& reason)
    {
        m_error = reason;
    }

    /**
     * @param group id of a group
     * @return its place in it
     */
    RankCommunicator& GetCommunicator(uint32_t group);

    RankConfig m_config;                           //!< what to do
    std::optional<RankReducer> m_reducer;          //!< its additions
    std::map<uint32_t, RankCommunicator> m_groups; //!< its collectives, by group
    std::optional<RankMailbox> m_mailbox;          //!< its messages
    std::optional<RankComputer> m_computer;        //!< its computations
    std::optional<ProgramCursor> m_cursor;         //!< where it is in the current step
    uint64_t m_step{0};                            //!< current step
    Time m_stepStart;                              //!< when it began
    Time m_busyBefore;                             //!< time in which it computed before the step
    uint64_t m_sentBefore{0};                      //!< bytes sent before the step
    bool m_running{false};                         //!< started and not stopped
    bool m_advancing{false};                       //!< Advance() is at work
    std::string m_error;                           //!< why it can't go on, or empty
    EventId m_nextStep;                            //!< begin of a step
    double m_computeScale{1};                      //!< attribute ComputeScale
    bool m_absent{false};                          //!< attribute Absent
    Ptr<RandomVariableStream> m_jitter;            //!< attribute Jitter
    TracedCallback<const ComputeSpan&> m_computeTrace;       //!< a computation is over
    TracedCallback<const CollectiveSpan&> m_collectiveTrace; //!< a collective is over
    TracedCallback<const TransferSpan&> m_transferTrace;     //!< a message was sent or has come
    TracedCallback<const StepSpan&> m_stepTrace;             //!< a step is over
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_APPLICATION_H */
