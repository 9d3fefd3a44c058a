/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame.h"

#include "ns3/packet.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr std::size_t BLOCK_FRAMES = 256;
thread_local std::vector<std::unique_ptr<Frame[]>> t_blocks; //!< all frames of this thread
} // namespace

void
FramePool::Grow()
{
    t_blocks.push_back(std::make_unique<Frame[]>(BLOCK_FRAMES));
    Frame* block = t_blocks.back().get();
    for (std::size_t i = 0; i < BLOCK_FRAMES; ++i)
    {
        block[i].next = t_free;
        t_free = &block[i];
    }
}

void
FramePool::ReleasePacket(Frame* frame)
{
    frame->packet->Unref();
    frame->packet = nullptr;
}

std::size_t
FramePool::GetCapacity()
{
    return t_blocks.size() * BLOCK_FRAMES;
}

} // namespace llmfabric
} // namespace ns3
