/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECEIVE_BUFFER_H
#define RECEIVE_BUFFER_H

#include "ns3/ingress-account.h"
#include "ns3/tick-rate.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

class RoceNic;

/** How a ReceiveBuffer works. */
struct ReceiveBufferConfig
{
    uint64_t drainRate{0}; //!< payload that the host takes, bit/s
    uint64_t bytes{0};     //!< room of each priority
    uint64_t xoff{0};      //!< more bytes than that pause the priority
    uint64_t xon{0};       //!< at most that many bytes end its pause
    bool pfc{true};        //!< send PFC; else what does not fit is lost
};

/**
 * @ingroup llm-fabric
 * The receive buffer of a NIC whose host takes data at a limited rate.
 *
 * @verbatim
     arrival --> [ frames, in order ] --drain rate--> queue pairs: acknowledge, complete
                   |  above XOFF: pause, renewed at half of its time
                   |  XON or below: resume
                   v  no room: lost (nic_buffer_full)
   @endverbatim
 * A packet counts with all its bytes from Ethernet header to FCS until the host has its payload. It
 * drains from its first bit on, and never before its last has come: a host as fast as the line
 * delays nothing. Each priority has a buffer of its own; what drains them is one.
 *
 * Answers and congestion notifications take no room and pass by. While responses of reads wait,
 * however, answers stay behind them: an answer that overtakes one says that it is lost.
 */
class ReceiveBuffer
{
  public:
    /**
     * @param nic the NIC; its port is ready
     * @param config how it works; the bytes above xoff hold what comes after a pause was decided
     */
    ReceiveBuffer(RoceNic& nic, const ReceiveBufferConfig& config);
    ~ReceiveBuffer();
    ReceiveBuffer(const ReceiveBuffer&) = delete;
    ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

    /** @param frame a frame of a queue pair that has arrived; comes out by RoceNic::OnDrained() */
    void Enter(Frame* frame);

    /**
     * @param priority a priority
     * @return bytes that are held
     */
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_held[priority];
    }

    /** @return the most that a priority ever held, bytes */
    uint64_t GetPeak() const
    {
        return m_peak;
    }

    /** @return pause frames sent, renewals included */
    uint64_t GetPauses() const;

    /** @return resume frames sent */
    uint64_t GetResumes() const;

    /** @return how it works */
    const ReceiveBufferConfig& GetConfig() const
    {
        return m_config;
    }

  private:
    /** @param frame an answer or a congestion notification */
    void PassBy(Frame* frame);
    /**
     * @param frame a data frame that the host can't take at once
     * @return false if there is no room for it
     */
    bool Admit(const Frame& frame);
    /** The host has the first frame. */
    void OnDrained();
    /** @param frame the frame to append; its due is set */
    void Push(Frame* frame);

    RoceNic& m_nic;                                    //!< the NIC
    ReceiveBufferConfig m_config;                      //!< how it works
    int64_t m_linkDelay;                               //!< of the link at the port, ticks
    TickRate m_rate;                                   //!< the drain rate
    int64_t m_drained{0};                              //!< when all that is held is drained, ticks
    FrameFifo m_frames;                                //!< what is held, and answers behind it
    uint64_t m_responses{0};                           //!< responses of reads in it
    uint64_t m_peak{0};                                //!< most that a priority ever held, bytes
    std::array<uint64_t, PRIORITIES> m_held{};         //!< by priority, bytes
    std::array<IngressAccount, PRIORITIES> m_accounts; //!< by priority: pauses
    FabricEvent m_event;                               //!< the host has the first frame
};

} // namespace llmfabric
} // namespace ns3

#endif /* RECEIVE_BUFFER_H */
