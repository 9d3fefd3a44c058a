/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a Requester does about answers: acknowledgments, responses of reads, timeouts.

#include "nic-requester.h"
#include "queue-pair.h"
#include "roce-nic.h"
#include "roce-protocol.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr uint8_t RETRY_FOR_EVER = 7; //!< of receiver-not-ready (InfiniBand)
} // namespace

uint64_t
Requester::GetAcknowledged(const Frame& frame) const
{
    // An ACK names the last packet received, a NAK the next one expected.
    const int64_t distance =
        PsnDistance(frame.psn, m_unacked) + (frame.kind == FrameKind::NAK ? 0 : 1);
    if (distance < 0 || m_unacked + static_cast<uint64_t>(distance) > m_sent)
    {
        return m_unacked;
    }
    return m_unacked + static_cast<uint64_t>(distance);
}

void
Requester::OnAcknowledge(const Frame& frame)
{
    const int64_t now = m_nic.GetEngine().Now();
    if (m_failed)
    {
        return;
    }
    const bool nak = frame.kind == FrameKind::NAK;
    const uint64_t acked = GetAcknowledged(frame);
    if (nak && PsnDistance(frame.psn, acked) != 0)
    {
        return; // an old one
    }
    m_arrived = std::max(m_arrived, acked);
    const uint64_t next = GetNextRead(acked);
    Advance(next, now, frame);
    if (next < acked)
    {
        // Responses come before answers to what was posted after the read: some are lost.
        OnResponseGap();
    }
    else if (nak)
    {
        OnNak(frame, now);
    }
    m_pair.Activate(); // a window may have been closed
    m_pair.UpdateSteps();
}

uint64_t
Requester::GetNextRead(uint64_t acked) const
{
    return m_queue.HasRead() ? std::min(acked, std::max(m_unacked, m_queue.GetFirstRead().firstPsn))
                             : acked;
}

void
Requester::Advance(uint64_t acked, int64_t now, const Frame& answer)
{
    AckFeedback feedback;
    feedback.packets = acked - m_unacked;
    if (acked > m_unacked)
    {
        m_unacked = acked;
        const uint64_t before = m_unackedByte;
        m_unackedByte = m_queue.GetBytesBefore(acked);
        feedback.bytes = m_unackedByte - before;
        if (acked > m_next)
        {
            m_next = acked;
            m_nextByte = m_unackedByte;
        }
        m_retriesLeft = m_pair.GetConfig().retryCount;
        m_rnrRetriesLeft = m_pair.GetConfig().rnrRetryCount;
        if (m_awaited <= m_unacked)
        {
            m_timer.Cancel();
        }
        else
        {
            StartTimer(now);
        }
        if (m_selective)
        {
            Repair(m_recovery->OnAdvance(m_unacked, m_sent), now);
        }
    }
    if (answer.kind == FrameKind::ACK && feedback.packets > 0)
    {
        feedback.rtt = m_rttMeter.OnAcknowledged(acked - 1, now);
    }
    if (feedback.rtt >= 0)
    {
        m_nic.GetTraces().rtt(now, m_template.queuePair, feedback.rtt);
    }
    feedback.acknowledged = m_unacked;
    feedback.next = m_next;
    feedback.hops = answer.hops;
    if (answer.feedback & AckFeedback::MARKS)
    {
        feedback.markedPackets = answer.markedPackets;
        feedback.markedBytes = answer.markedBytes;
    }
    if (answer.feedback & AckFeedback::TELEMETRY && answer.extension)
    {
        feedback.telemetry = &answer.extension->telemetry;
    }
    if (feedback.packets > 0 || answer.feedback)
    {
        m_control->OnAck(now, feedback);
    }
    CompleteMessages();
    TraceBytesInFlight();
}

void
Requester::CompleteMessages()
{
    while (!m_queue.IsEmpty() && m_queue.GetFront().GetEnd() <= m_unacked)
    {
        const SendMessage message = m_queue.PopFront();
        if (message.verb == RoceVerb::READ && m_readsUnderWay > 0)
        {
            --m_readsUnderWay;
            m_gapTold = false;
        }
        Complete(message, "");
    }
    m_pair.UpdateIdle();
}

void
Requester::Complete(const SendMessage& message, const std::string& reason)
{
    const bool failed = !reason.empty();
    m_nic.TraceMessageSent(m_pair, m_completed++, message.bytes, message.posted, failed);
    if (message.last)
    {
        Tell({message.transfer, message.transferBytes, failed, reason, message.verb});
    }
}

void
Requester::Tell(const TransferResult& result)
{
    const Ptr<CompletionQueue> queue = m_pair.GetCompletionQueue();
    if (m_completion.IsNull() && !queue)
    {
        return;
    }
    m_nic.CallOut([callback = m_completion, queue, result, id = m_pair.GetId()]() {
        if (!callback.IsNull())
        {
            callback(result);
        }
        if (queue)
        {
            queue->Push(
                {id, result.verb, result.transfer, result.bytes, {}, result.failed, result.reason});
        }
    });
}

void
Requester::OnNak(const Frame& frame, int64_t now)
{
    if ((frame.syndrome & 0xe0) == SYNDROME_RNR)
    {
        OnReceiverNotReady(frame, now);
        return;
    }
    ++m_counters.naks;
    if (frame.syndrome == SYNDROME_NAK_INVALID)
    {
        Fail("the receiver refused it: a Send is longer than the receive posted for it");
        return;
    }
    const LossRecovery::Repair repair = m_recovery->OnNak(frame, m_unacked, m_sent);
    if (repair != LossRecovery::Repair::REWIND || TakeRetry("negative acknowledgments"))
    {
        Repair(repair, now);
    }
}

void
Requester::OnReceiverNotReady(const Frame& frame, int64_t now)
{
    ++m_counters.rnrNaks;
    if (m_rnrRetriesLeft == 0)
    {
        Fail("the receiver was not ready " + std::to_string(m_pair.GetConfig().rnrRetryCount + 1) +
             " times in a row: it has posted too few receives");
        return;
    }
    m_rnrRetriesLeft -= m_pair.GetConfig().rnrRetryCount < RETRY_FOR_EVER ? 1 : 0;
    m_resume = now + GetRnrTicks(frame.syndrome & 0x1f);
    m_timer.Cancel();                                       // it starts with what is sent next
    Resend(m_recovery->OnMissing(m_unacked, m_sent, true)); // no sign of congestion
}

void
Requester::OnResponse(const Frame& frame)
{
    if (m_failed || !m_queue.HasRead())
    {
        return;
    }
    const uint64_t expected = std::max(m_unacked, m_queue.GetFirstRead().firstPsn);
    const int64_t distance = PsnDistance(frame.psn, expected);
    if (distance < 0 || expected + static_cast<uint64_t>(distance) >= m_sent)
    {
        return;
    }
    // A response acknowledges what was posted before its read.
    const bool next = distance == 0;
    m_gapTold = m_gapTold && !next;
    const int64_t now = m_nic.GetEngine().Now();
    Advance(next ? expected + 1 : expected, now, frame);
    if (!next)
    {
        OnResponseGap();
    }
    else if (m_arrived > m_unacked && GetNextRead(m_arrived) > m_unacked)
    {
        // Its ACK has come before, without the response.
        Advance(GetNextRead(m_arrived), now, frame);
    }
    m_pair.Activate();
    m_pair.UpdateSteps();
}

void
Requester::OnResponseGap()
{
    if (!m_gapTold && TakeRetry("missing responses"))
    {
        m_gapTold = true;
        Repair(m_recovery->OnMissing(m_unacked, m_sent, false), m_nic.GetEngine().Now());
    }
}

void
Requester::Repair(LossRecovery::Repair repair, int64_t now, bool timedOut)
{
    if (repair == LossRecovery::Repair::NONE)
    {
        return;
    }
    m_control->OnLoss(now, timedOut);
    m_pair.UpdateSteps();
    Resend(repair);
}

void
Requester::Resend(LossRecovery::Repair repair)
{
    if (repair == LossRecovery::Repair::REWIND)
    {
        Rewind();
    }
    m_rttMeter.Forget();
    m_pair.Activate();
}

void
Requester::Rewind()
{
    m_timer.Cancel();
    m_awaited = m_unacked;
    m_next = m_unacked;
    m_nextByte = m_unackedByte;
    m_readsUnderWay = 0;
    m_sinceAckRequest = 0;
}

bool
Requester::TakeRetry(const char* why)
{
    if (m_retriesLeft == 0)
    {
        Fail(std::string("no progress after ") + std::to_string(m_pair.GetConfig().retryCount) +
             " retries, the last ones " + why);
        return false;
    }
    --m_retriesLeft;
    return true;
}

void
Requester::OnTimer()
{
    const int64_t now = m_nic.GetEngine().Now();
    if (now < m_deadline)
    {
        m_timerTick = m_deadline;
        m_timer.ScheduleAt(m_timerTick);
        return;
    }
    ++m_counters.timeouts;
    if (!TakeRetry("timeouts"))
    {
        return;
    }
    m_gapTold = false;
    Repair(m_recovery->OnMissing(m_unacked, m_sent, true), now, true);
}

void
Requester::Fail(const std::string& reason)
{
    m_failed = true;
    m_timer.Cancel();
    while (!m_queue.IsEmpty())
    {
        Complete(m_queue.PopFront(), reason);
    }
    m_next = m_queue.GetEnd();
    m_nextByte = m_unackedByte;
    TraceBytesInFlight();
    m_pair.UpdateIdle();
}

void
Requester::TraceBytesInFlight() const
{
    const auto& source = m_nic.GetTraces().bytesInFlight;
    if (!source.IsEmpty())
    {
        source(m_nic.GetEngine().Now(), m_template.queuePair, GetBytesInFlight());
    }
}

} // namespace llmfabric
} // namespace ns3
