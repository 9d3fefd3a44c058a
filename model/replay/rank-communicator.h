/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_COMMUNICATOR_H
#define RANK_COMMUNICATOR_H

#include "rank-reducer.h"
#include "rank-spans.h"
#include "slice-receiver.h"
#include "slice-sender.h"

#include "ns3/collective-algorithm.h"
#include "ns3/collective-config.h"
#include "ns3/collective-host.h"
#include "ns3/collective-state.h"
#include "ns3/collective-tuner.h"
#include "ns3/event-id.h"
#include "ns3/gpu-connection.h"
#include "ns3/rank-plan.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** What the ranks of a job have in common for their collectives; it never changes. */
struct CollectiveSetup
{
    CollectiveConfig config;                      //!< how they are done
    std::shared_ptr<const CollectiveTuner> tuner; //!< chooses the algorithms
};

/**
 * @ingroup llm-fabric
 * The place of one rank in a group: does the group's collectives one after the other, in the order
 * in which they are begun.
 *
 *     Begin() -> CollectiveState::Start() -> slots are granted, slices leave
 *     a slot is granted, a slice comes, an addition is over -> the state goes on
 *     the state is done -> the callback -> the next
 *
 * A slice that comes before the rank has begun its op, which only happens without slots, waits.
 * Peers are indices in the group. One connection leads to a peer on a lane by a pair of NICs, and
 * lives for the whole job: a lane of one algorithm may use other NICs than that of another one.
 */
class RankCommunicator : private CollectiveHost
{
  public:
    /// An op is over: how its caller named it, and how it went.
    using OverCallback = std::function<void(uint64_t op, const CollectiveSpan& span)>;

    /** Who takes part, and where. */
    struct Group
    {
        RankGroup ranks;                                //!< the members
        std::shared_ptr<const CollectiveLayout> layout; //!< where they are
    };

    /// Names a connection of a rank: lane and peer, and the NICs of the rank and of the peer by
    /// index in their nodes, 0 within a node.
    using Way = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    /**
     * @param rank the rank
     * @param group the group
     * @param plan what there is to know of the group's ops
     * @param setup how collectives are done
     * @param reducer adds what the rank receives; must outlive this
     * @param over called when an op is over, maybe within Begin(); it may begin others
     */
    RankCommunicator(uint32_t rank,
                     const Group& group,
                     std::shared_ptr<const RankPlan> plan,
                     std::shared_ptr<const CollectiveSetup> setup,
                     RankReducer& reducer,
                     OverCallback over);
    ~RankCommunicator() override;

    RankCommunicator(const RankCommunicator&) = delete;
    RankCommunicator& operator=(const RankCommunicator&) = delete;

    /**
     * @param peer whom to send to, and on which lane
     * @param connection the way there
     */
    void SetSend(const LanePeer& peer, Ptr<GpuConnection> connection);

    /**
     * @param peer whom to receive from, and on which lane
     * @param connection the way from there
     */
    void SetReceive(const LanePeer& peer, Ptr<GpuConnection> connection);

    /**
     * @param layout where the members are
     * @param own index of a member
     * @param peer whom it sends to or receives from, and on which lane
     * @return the connection between them
     */
    static Way GetWay(const CollectiveLayout& layout, uint32_t own, const LanePeer& peer);

    /**
     * Begin an op, once those before are over.
     *
     * @param index how the caller names it
     * @param step step of the training run
     * @param op the op
     */
    void Begin(uint64_t index, uint64_t step, const CollectiveOp& op);

    /** Give up what is under way and what waits; what was handed over is still sent. */
    void Stop();

    /** @return bytes that the connections have sent */
    uint64_t GetSentBytes() const;

    /** @return bytes handed to the connections before the op under way, or all of them */
    uint64_t GetSentBytesOfEnded() const;

    /** @return the op under way and whom it waits for, as a part of a sentence; empty if none is */
    std::string DescribeWait() const;

    /**
     * @param op an op of a group
     * @param group the group
     * @param rank a member
     * @param plan what there is to know of the group's ops
     * @return what the rank's algorithm has to know of the op, but for the cut
     */
    static CollectiveTask MakeTask(const CollectiveOp& op,
                                   const Group& group,
                                   uint32_t rank,
                                   const std::shared_ptr<const RankPlan>& plan);

  private:
    /** An op that was begun. */
    struct Request
    {
        uint64_t index{0}; //!< how the caller names it
        uint64_t step{0};  //!< step of the training run
        CollectiveOp op;   //!< the op
    };

    bool CanSend(uint32_t lane, uint32_t peer) const override;
    void Send(const CollectiveSlice& slice) override;
    bool HasArrived(uint32_t lane, uint32_t peer) const override;
    void Take(const CollectiveSlice& slice) override;
    bool Reduce(uint32_t lane, uint64_t bytes) override;
    bool CanGrant(uint32_t lane, uint32_t peer) const override;
    void Grant(uint32_t lane, uint32_t peer) override;

    /** Start ops that wait while none is under way. */
    void StartWaiting();
    /** Start m_current. */
    void Start();
    /** The base latency of the op under way is over. */
    void OnBegin();
    /** Start m_state. */
    void StartState();
    /** @param lane a lane on which a slice has come or a slot was granted */
    void OnProgress(uint32_t lane);
    /** @param lane a lane whose addition is over */
    void OnReduced(uint32_t lane);
    /** The state has moved: end the op when it is done. */
    void EndIfDone();
    /**
     * @param lane a lane
     * @param peer a member
     * @return the connection between them, in the op under way
     */
    Way GetWay(uint32_t lane, uint32_t peer) const;
    /**
     * @param lane a lane
     * @param peer a member
     * @return the connection to it
     */
    SliceSender& GetSender(uint32_t lane, uint32_t peer) const;

    uint32_t m_rank;                                           //!< the rank
    Group m_group;                                             //!< the group
    uint32_t m_index;                                          //!< the rank's index in it
    std::shared_ptr<const RankPlan> m_plan;                    //!< knows the group's ops
    std::shared_ptr<const CollectiveSetup> m_setup;            //!< how collectives are done
    RankReducer& m_reducer;                                    //!< adds what is received
    std::string m_name;                                        //!< the group's name
    OverCallback m_over;                                       //!< called when an op is over
    std::map<Way, std::unique_ptr<SliceSender>> m_sendTo;      //!< ways to peers
    std::map<Way, std::unique_ptr<SliceReceiver>> m_receiveOf; //!< from those that ever send
    std::deque<Request> m_waiting;                             //!< begun and not started
    Request m_current;                                         //!< the op under way
    CollectiveChoice m_choice;                                 //!< how it is done
    std::vector<LanePeer> m_lanes;                             //!< its lanes, without a peer
    std::unique_ptr<CollectiveState> m_state;                  //!< of the op under way, or null
    std::map<uint32_t, EventId> m_reductions;                  //!< under way, by lane
    std::map<uint32_t, Time> m_channelFree; //!< when a channel has done its additions
    EventId m_begin;                        //!< end of a base latency
    CollectiveSpan m_span{};                //!< of the op under way
    uint64_t m_handedOver{0};               //!< bytes handed to the connections
    uint64_t m_started{0};                  //!< ops started
    bool m_starting{false};                 //!< StartWaiting() is at work
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_COMMUNICATOR_H */
