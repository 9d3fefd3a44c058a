/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ANSWER_FEEDBACK_H
#define ANSWER_FEEDBACK_H

#include "ns3/fabric-frame.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Collects what an answer tells the sender of the way, if it asked for it: marks since the answer
 * before, hops and telemetry of the newest packet.
 */
class AnswerFeedback
{
  public:
    /** @param frame a packet that has come */
    void Note(const Frame& frame)
    {
        if (frame.feedback)
        {
            NoteWanted(frame);
        }
    }

    /** @param answer the answer that goes now; its wire bytes grow by what it tells */
    void Fill(Frame& answer)
    {
        if (m_wanted)
        {
            FillWanted(answer);
        }
    }

  private:
    /** @param frame a packet whose sender wants feedback */
    void NoteWanted(const Frame& frame);
    /** @param answer the answer to fill */
    void FillWanted(Frame& answer);

    uint8_t m_wanted{0};                         //!< what the sender wants
    uint8_t m_hops{0};                           //!< of the newest packet
    uint32_t m_markedPackets{0};                 //!< since the last answer
    uint32_t m_markedBytes{0};                   //!< their payload
    std::unique_ptr<TelemetryStack> m_telemetry; //!< of the newest packet, once there is any
};

} // namespace llmfabric
} // namespace ns3

#endif /* ANSWER_FEEDBACK_H */
