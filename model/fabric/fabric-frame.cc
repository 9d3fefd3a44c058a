/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame.h"

#include "ns3/packet.h"

namespace ns3
{
namespace llmfabric
{

namespace
{
constexpr std::size_t BLOCK_FRAMES = 256;
} // namespace

void
FramePool::Grow()
{
    // Blocks are never freed: ports and links that a user holds in a global give their frames back
    // after the end of the thread's own variables.
    Frame* block = new Frame[BLOCK_FRAMES];
    for (std::size_t i = 0; i < BLOCK_FRAMES; ++i)
    {
        block[i].next = t_free;
        t_free = &block[i];
    }
}

void
FramePool::Release(Frame* frame)
{
    if (frame->kind == FrameKind::OTHER)
    {
        frame->packet->Unref();
    }
    else
    {
        frame->extension->next = t_extensions;
        t_extensions = frame->extension;
    }
    frame->packet = nullptr;
}

FrameExtension&
FramePool::Extend(Frame* frame)
{
    FrameExtension* extension = t_extensions;
    if (extension)
    {
        t_extensions = extension->next;
        *extension = FrameExtension();
    }
    else
    {
        extension = new FrameExtension; // never freed, as the blocks
    }
    frame->extension = extension;
    return *extension;
}

} // namespace llmfabric
} // namespace ns3
