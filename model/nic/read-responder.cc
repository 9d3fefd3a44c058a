/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "read-responder.h"

#include "queue-pair.h"
#include "roce-nic.h"
#include "roce-protocol.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

ReadResponder::ReadResponder(RoceNic& nic, QueuePair& pair)
    : m_nic(nic),
      m_pair(pair)
{
    UpdateTemplate();
}

void
ReadResponder::UpdateTemplate()
{
    m_template = m_pair.MakeTemplate();
    m_template.kind = FrameKind::DATA;
    m_template.ecn = Ecn::ECT0;
    m_template.syndrome = SYNDROME_ACK;
}

uint64_t
ReadResponder::Add(const Frame& frame, uint64_t psn)
{
    const uint64_t mtu = m_pair.GetConfig().mtu;
    const uint64_t packets = std::max<uint64_t>(1, (frame.messageBytes + mtu - 1) / mtu);
    const uint64_t end = psn + packets;
    // A request that comes again asks for the rest of its response, or for all of it.
    m_reads.erase(
        std::remove_if(m_reads.begin(),
                       m_reads.end(),
                       [psn, end](const Read& one) { return one.psn < end && psn < one.end; }),
        m_reads.end());
    const auto place = std::find_if(m_reads.begin(), m_reads.end(), [psn](const Read& one) {
        return one.psn > psn;
    });
    m_reads.insert(place, {psn, end, frame.messageBytes, true});
    m_pair.UpdateIdle();
    m_pair.Activate();
    return packets;
}

Frame*
ReadResponder::MakePacket()
{
    Read& read = m_reads.front();
    const bool last = read.psn + 1 == read.end;
    RoceOpcode opcode = last ? RoceOpcode::READ_RESPONSE_LAST : RoceOpcode::READ_RESPONSE_MIDDLE;
    if (read.first)
    {
        opcode = last ? RoceOpcode::READ_RESPONSE_ONLY : RoceOpcode::READ_RESPONSE_FIRST;
    }
    Frame* frame = FramePool::Allocate(m_template);
    frame->id = m_nic.NextFrameId();
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->psn = static_cast<uint32_t>(read.psn) & MASK_24;
    frame->msn = m_pair.GetResponder().GetMessages() & MASK_24;
    frame->payloadBytes =
        static_cast<uint32_t>(std::min<uint64_t>(m_pair.GetConfig().mtu, read.bytes));
    frame->wireBytes = DATA_OVERHEAD_BYTES + ((frame->payloadBytes + 3) & ~3U) +
                       (GetOpcodeTraits(opcode).aeth ? AETH_BYTES : 0);
    m_sentBytes += frame->payloadBytes;
    read.bytes -= frame->payloadBytes;
    read.first = false;
    ++read.psn;
    if (last)
    {
        m_reads.pop_front();
        if (m_reads.empty())
        {
            m_pair.GetResponder().OnReadsDone(); // its answer waits for this packet to go first
            m_pair.UpdateIdle();
        }
    }
    return frame;
}

} // namespace llmfabric
} // namespace ns3
