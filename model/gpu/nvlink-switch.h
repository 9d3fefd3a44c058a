/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLINK_SWITCH_H
#define NVLINK_SWITCH_H

#include "link-clock.h"
#include "nvlink-connection.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/tick-rate.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The switch between the GPUs of a node: each GPU has one link of Rate into it and one out of it.
 *
 * @verbatim
     GPU 0: connections in turn, --link--> switch --FIFO, link--> GPU 2
            a segment each                   |
     GPU 1: connections in turn  --link------+-----FIFO, link--> GPU 3
   @endverbatim
 *
 * The link of a GPU into the switch serves the connections that have something to send round robin,
 * a segment of up to SegmentSize at a time: of its oldest message, and of those after it if they
 * are short. A segment cuts through: it takes the receiver's link for bytes * 8 / Rate as soon as
 * that is free, in the order in which segments started into the switch. What waits for it lies in
 * the switch, whose buffer has no limit: no segment holds up one to another receiver. A message is
 * there Delay after its last byte left the switch, so that one alone takes bytes * 8 / Rate +
 * Delay, and the messages of a connection come in order. A clear-to-send takes Delay and no link.
 * Protocol overhead is not modeled; set Rate to the effective one.
 *
 * All links that are free at one instant start their segments in one event, by index of the GPU:
 the
 * order in which GPUs post messages in an instant does not matter. What an event posts that comes
 * after that one in the same instant starts after it.
 */
class NvlinkSwitch : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    NvlinkSwitch();
    ~NvlinkSwitch() override;

    /** @param gpus number of GPUs of the node */
    void SetGpus(uint32_t gpus);

    /**
     * @param from index of the sending GPU
     * @param to index of the receiving GPU, another one
     * @return a new connection
     */
    Ptr<GpuConnection> Connect(uint32_t from, uint32_t to);

    /** @return time from GPU to GPU */
    Time GetDelay() const
    {
        return m_delay;
    }

    /**
     * Refuse a message that would not be there before the end of simulated time.
     *
     * @param bytes its size
     */
    void CheckEnd(uint64_t bytes);

    /**
     * A connection that had nothing to send has a message now.
     *
     * @param from index of its sending GPU
     * @param connection the connection
     */
    void Enqueue(uint32_t from, Ptr<NvlinkConnection> connection);

  protected:
    void DoDispose() override;

  private:
    /** The links of a GPU. */
    struct Links
    {
        LinkClock up;                                  //!< into the switch
        LinkClock down;                                //!< out of the switch
        std::deque<Ptr<NvlinkConnection>> connections; //!< that wait for their turn
        Ptr<NvlinkConnection>
            last; //!< had its turn and has more; waits after those that came in it

        /** @return whether something waits for the link into the switch */
        bool HasMore() const
        {
            return last || !connections.empty();
        }
    };

    /// No event is set.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /** Follow the attribute Rate. */
    void UpdateRate();
    /** @param tick when links have to be looked at, now or later */
    void Wake(int64_t tick);
    /** Start segments on all links that are free and have something to send. */
    void StartSegments();
    /**
     * @param links of the GPU whose link into the switch is free
     * @param now the time, ticks
     */
    void StartSegment(Links& links, int64_t now);

    DataRate m_rate;            //!< attribute Rate
    Time m_delay;               //!< attribute Delay
    uint32_t m_segmentSize;     //!< attribute SegmentSize
    DataRate m_timedRate{0};    //!< the rate that m_ticks is for
    TickRate m_ticks;           //!< time of bytes
    std::vector<Links> m_links; //!< by GPU
    EventId m_wake;             //!< the next StartSegments()
    int64_t m_wakeTick{NEVER};  //!< when that is
};

} // namespace llmfabric
} // namespace ns3

#endif /* NVLINK_SWITCH_H */
