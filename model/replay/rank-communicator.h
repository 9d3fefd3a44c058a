/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_COMMUNICATOR_H
#define RANK_COMMUNICATOR_H

#include "rank-spans.h"

#include "ns3/collective-algorithm.h"
#include "ns3/collective-state.h"
#include "ns3/gpu-connection.h"
#include "ns3/rank-plan.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The place of one rank in a group: does the group's collectives one after the other, in the order
 * in which they are begun.
 *
 *     Begin() -> CollectiveState::Start() -> sends
 *     a message comes -> it waits until the state expects it -> OnReceive() -> sends
 *     the state is done -> the callback -> the next
 *
 * A message that comes before the rank has begun its op waits. Peers are indices in the group.
 */
class RankCommunicator
{
  public:
    /// An op is over: how its caller named it, and how it went.
    using OverCallback = std::function<void(uint64_t op, const CollectiveSpan& span)>;

    /**
     * @param rank the rank
     * @param group the group
     * @param plan what there is to know of the group's ops
     * @param over called when an op is over, maybe within Begin(); it may begin others
     */
    RankCommunicator(uint32_t rank,
                     const RankGroup& group,
                     std::shared_ptr<const RankPlan> plan,
                     OverCallback over);

    RankCommunicator(const RankCommunicator&) = delete;
    RankCommunicator& operator=(const RankCommunicator&) = delete;

    /**
     * @param peer whom to send to
     * @param connection the way there
     */
    void SetSend(uint32_t peer, Ptr<GpuConnection> connection);

    /**
     * @param peer whom to receive from
     * @param connection the way from there
     */
    void SetReceive(uint32_t peer, Ptr<GpuConnection> connection);

    /**
     * Begin an op, once those before are over.
     *
     * @param index how the caller names it
     * @param step step of the training run
     * @param op the op
     * @param algorithm how it is done
     */
    void Begin(uint64_t index,
               uint64_t step,
               const CollectiveOp& op,
               std::shared_ptr<const CollectiveAlgorithm> algorithm);

    /** @return bytes that the connections have sent */
    uint64_t GetSentBytes() const;

    /** @return bytes that the connections had sent when the op under way began, or have sent */
    uint64_t GetSentBytesOfEnded() const;

    /** @return the op under way and whom it waits for, as a part of a sentence; empty if none is */
    std::string DescribeWait() const;

  private:
    /** An op that was begun. */
    struct Request
    {
        uint64_t index{0};                                    //!< how the caller names it
        uint64_t step{0};                                     //!< step of the training run
        CollectiveOp op;                                      //!< the op
        std::shared_ptr<const CollectiveAlgorithm> algorithm; //!< how it is done
    };

    /** Start ops that wait while none is under way. */
    void StartWaiting();
    /** Start m_current. */
    void Start();
    /**
     * @param peer who sent a message
     * @param bytes its size
     */
    void OnReceive(uint32_t peer, uint64_t bytes);
    /** Give the state the messages that it expects. */
    void GiveArrived();
    /** Give the state the messages that it expects, send what it wants, end the op when done. */
    void Continue();
    /** @return what the rank's algorithm has to know of m_current */
    CollectiveTask MakeTask() const;

    uint32_t m_rank;                                    //!< the rank
    RankGroup m_group;                                  //!< the group
    std::shared_ptr<const RankPlan> m_plan;             //!< knows the group's ops
    std::string m_name;                                 //!< the group's name
    OverCallback m_over;                                //!< called when an op is over
    std::map<uint32_t, Ptr<GpuConnection>> m_sendTo;    //!< ways to peers
    std::map<uint32_t, Ptr<GpuConnection>> m_receiveOf; //!< ways from peers
    std::map<uint32_t, uint64_t> m_arrived;             //!< messages not yet taken, above 0
    std::deque<Request> m_waiting;                      //!< begun and not started
    Request m_current;                                  //!< the op under way
    std::unique_ptr<CollectiveState> m_state;           //!< of the op under way, or null
    std::vector<CollectiveSend> m_sends;                //!< used again for each message
    CollectiveSpan m_span{};                            //!< of the op under way
    uint64_t m_started{0};                              //!< ops started
    bool m_starting{false};                             //!< StartWaiting() is at work
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_COMMUNICATOR_H */
