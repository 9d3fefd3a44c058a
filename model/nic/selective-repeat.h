/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SELECTIVE_REPEAT_H
#define SELECTIVE_REPEAT_H

#include "loss-recovery.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Selective repeat: the receiver keeps up to a window of packets that come out of order and answers
 * each with a NAK that says by a bitmap which have come; the sender sends only lost ones again.
 *
 * A path keeps the order of packets. So a packet is lost once one has come that was sent after it,
 * be it for the first time or again; each sending of a packet has a number of its own for that.
 * What is lost at the end shows by timeout, which follows IRN (Mittal et al., "Revisiting Network
 * Support for RDMA", SIGCOMM 2018, section 3.1): a short one with few packets under way, as
 * nothing else may tell of their loss, a longer one else.
 */
class SelectiveRepeat : public LossRecovery
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    SelectiveRepeat();

    uint64_t GetWindow() const override;
    uint64_t TakeRepeat() override;
    void OnSent(uint64_t psn) override;
    Repair OnAdvance(uint64_t unacked, uint64_t sent) override;
    Repair OnNak(const Frame& nak, uint64_t unacked, uint64_t sent) override;
    Repair OnMissing(uint64_t unacked, uint64_t sent, bool all) override;
    int64_t GetTimeout(uint64_t packets, int64_t standard) const override;
    bool OnOutOfOrder(const Frame& frame, uint64_t distance, bool told) override;
    void OnInOrder(uint64_t count) override;
    const Frame* GetKept() const override;
    void FillNak(Frame& nak) const override;

  private:
    /** What is known of a packet that was sent. */
    struct SentPacket
    {
        uint64_t order{0};    //!< number of its last sending; 0: not sent
        bool received{false}; //!< it has come
        bool lost{false};     //!< it waits to be sent again
    };

    /** A place for a packet that came early. */
    struct KeptPacket
    {
        Frame frame;      //!< a copy
        bool used{false}; //!< there is one
    };

    /**
     * @param psn a sequence number in the window
     * @return what is known of its packet
     */
    SentPacket& At(uint64_t psn)
    {
        return m_sentPackets[psn % m_window];
    }

    /**
     * @param psn a packet that counts as lost unless it has come or waits already
     */
    void Lose(uint64_t psn);
    /**
     * Find the packets that were sent before one that has come.
     *
     * @param unacked the oldest unacknowledged sequence number
     * @param sent the first that was never sent
     * @return REPEAT if there are any, else NONE
     */
    Repair LoseOvertaken(uint64_t unacked, uint64_t sent);
    /**
     * @param unacked the oldest unacknowledged sequence number
     * @param sent the first that was never sent
     * @return the first after those that have room in the window
     */
    uint64_t EndOf(uint64_t unacked, uint64_t sent) const;

    uint32_t m_window{0};     //!< attribute Window
    uint32_t m_tolerance{0};  //!< attribute ReorderTolerance
    Time m_shortTimeout;      //!< attribute ShortTimeout
    Time m_longTimeout;       //!< attribute LongTimeout
    uint32_t m_fewPackets{0}; //!< attribute FewPackets

    std::vector<SentPacket> m_sentPackets; //!< by sequence number modulo window; empty: none sent
    uint64_t m_base{0};                    //!< oldest that m_sentPackets holds
    uint64_t m_lastOrder{0};               //!< number of the last sending
    uint64_t m_newestOrder{0};             //!< highest number of a sending that has come
    uint64_t m_firstLost{0};               //!< no packet before it waits to be sent again

    std::vector<KeptPacket> m_kept; //!< ring of early packets; empty: none yet
    uint64_t m_keptHead{0};         //!< index of the expected packet's place
    uint64_t m_keptCount{0};        //!< early packets
};

} // namespace llmfabric
} // namespace ns3

#endif /* SELECTIVE_REPEAT_H */
