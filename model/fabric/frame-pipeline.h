/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FRAME_PIPELINE_H
#define FRAME_PIPELINE_H

#include "fabric-frame.h"

#include "ns3/fabric-engine.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A constant delay that frames pass in order (the latency of a switch or of a NIC), with one
 * pending event for the first of them.
 *
 * @tparam Owner who takes frames at the end
 * @tparam Exit the owner's method that takes them
 */
template <class Owner, void (Owner::*Exit)(Frame*)>
class FramePipeline
{
  public:
    ~FramePipeline()
    {
        FramePool::FreeAll(m_frames);
    }

    /**
     * @param engine the engine
     * @param owner who takes frames at the end
     * @param delay the delay, ticks
     * @param key key of its event
     */
    void Start(FabricEngine& engine, Owner* owner, int64_t delay, const FabricEventKey& key)
    {
        m_engine = &engine;
        m_owner = owner;
        m_delay = delay;
        m_event.Bind<&FramePipeline::OnExit>(engine, this, key);
    }

    /** @return true if there is no delay: frames need not enter */
    bool IsBypassed() const
    {
        return m_delay == 0;
    }

    /** @param frame the frame that enters */
    void Enter(Frame* frame)
    {
        frame->due = m_engine->Now() + m_delay;
        if (m_frames.IsEmpty())
        {
            m_event.ScheduleAt(frame->due);
        }
        m_frames.Push(frame);
    }

  private:
    /** The first frame has come to the end. */
    void OnExit()
    {
        Frame* frame = m_frames.Pop();
        if (!m_frames.IsEmpty())
        {
            m_event.ScheduleAt(m_frames.Front()->due);
        }
        (m_owner->*Exit)(frame);
    }

    FabricEngine* m_engine{nullptr}; //!< the engine
    Owner* m_owner{nullptr};         //!< who takes frames
    int64_t m_delay{0};              //!< ticks
    FrameFifo m_frames;              //!< frames inside
    FabricEvent m_event;             //!< the first frame leaves
};

} // namespace llmfabric
} // namespace ns3

#endif /* FRAME_PIPELINE_H */
