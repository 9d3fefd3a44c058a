/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NOTIFICATION_POINT_H
#define NOTIFICATION_POINT_H

#include "ns3/frame-pipeline.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

class QueuePair;
class RoceNic;

/** Among which packets a NIC counts the least time between two CNPs. */
enum class CnpScope
{
    QUEUE_PAIR, //!< those of a queue pair
    ADDRESS,    //!< those from an IPv4 address
    PORT        //!< all
};

/**
 * @ingroup llm-fabric
 * The notification point of DCQCN (Zhu et al., SIGCOMM 2015, section 3.1): answers packets that
 * were marked on their way by congestion notification packets, at most one in an interval.
 */
class NotificationPoint
{
  public:
    /**
     * @param nic the NIC
     * @param scope among which packets the interval counts
     * @param interval least time between two CNPs, ticks
     * @param delay time that it takes to make a CNP, ticks
     */
    void Start(RoceNic& nic, CnpScope scope, int64_t interval, int64_t delay);

    /**
     * A marked packet came in.
     *
     * @param pair the queue pair that it came to
     */
    void OnMark(const QueuePair& pair);

    /** @return CNPs sent */
    uint64_t GetSent() const
    {
        return m_sent;
    }

  private:
    /**
     * @param pair a queue pair
     * @return when the last CNP was made in its scope, ticks
     */
    int64_t& GetLast(const QueuePair& pair);
    /** @param cnp a CNP that goes now */
    void Emit(Frame* cnp);

    static constexpr int64_t NONE = -1; //!< no CNP was made yet

    RoceNic* m_nic{nullptr};                //!< the NIC
    CnpScope m_scope{CnpScope::QUEUE_PAIR}; //!< where the interval counts
    int64_t m_interval{0};                  //!< ticks
    FramePipeline<NotificationPoint, &NotificationPoint::Emit> m_pipeline; //!< CNPs in the making
    std::vector<int64_t> m_lastOfPair;                                     //!< by queue pair, ticks
    std::map<uint32_t, int64_t> m_lastOfAddress;                           //!< by address, ticks
    int64_t m_lastOfPort{NONE};                                            //!< ticks
    uint64_t m_sent{0};                                                    //!< CNPs sent
};

} // namespace llmfabric
} // namespace ns3

#endif /* NOTIFICATION_POINT_H */
