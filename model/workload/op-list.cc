/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-list.h"

#include "checked-math.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// For the messages of sums and products.
const char* const OPS = "the ops of a step";

} // namespace

void
OpList::BeginBlock(uint64_t repeats)
{
    NS_ABORT_MSG_IF(repeats == 0, "OpList: a block that is never done");
    Block block;
    block.first = GetOpCount();
    block.repeats = repeats;
    m_blocks.push_back(block);
}

uint32_t
OpList::Add(const ProgramOp& op, const std::vector<uint32_t>& after)
{
    if (m_blocks.empty())
    {
        BeginBlock(1);
    }
    Block& block = m_blocks.back();
    const auto place = static_cast<uint32_t>(block.ops.size());
    for (uint32_t before : after)
    {
        NS_ABORT_MSG_IF(before >= place, "OpList: op " << place << " can't wait for " << before);
    }
    CheckedSum({block.first, CheckedProduct({block.repeats, place + uint64_t{1}}, OPS)}, OPS);
    block.ops.push_back(op);
    block.lastCompute = op.GetKind() == ProgramOpKind::COMPUTE ? place : block.lastCompute;
    block.begins.push_back(static_cast<uint32_t>(block.after.size()));
    block.after.insert(block.after.end(), after.begin(), after.end());
    return place;
}

uint64_t
OpList::GetOpCount() const
{
    if (m_blocks.empty())
    {
        return 0;
    }
    const Block& last = m_blocks.back();
    return last.first + last.repeats * last.ops.size();
}

uint64_t
OpList::GetStoredCount() const
{
    uint64_t count = 0;
    for (const Block& block : m_blocks)
    {
        count += block.ops.size();
    }
    return count;
}

OpList::Place
OpList::Find(uint64_t index) const
{
    NS_ABORT_MSG_IF(index >= GetOpCount(), "OpList: op " << index << " of " << GetOpCount());
    const auto next =
        std::upper_bound(m_blocks.begin(),
                         m_blocks.end(),
                         index,
                         [](uint64_t value, const Block& block) { return value < block.first; });
    const Block& block = *std::prev(next);
    const uint64_t offset = index - block.first;
    return {&block, offset / block.ops.size(), static_cast<uint32_t>(offset % block.ops.size())};
}

ProgramOp
OpList::GetOp(uint64_t index) const
{
    const Place place = Find(index);
    ProgramOp op = place.block->ops[place.op];
    if (auto* compute = std::get_if<ComputeOp>(&op.what))
    {
        compute->miniBatch += place.repeat;
    }
    return op;
}

std::vector<uint64_t>
OpList::GetAfter(uint64_t index) const
{
    const Place place = Find(index);
    const Block& block = *place.block;
    const uint64_t base = block.first + place.repeat * block.ops.size();
    const std::size_t end =
        place.op + 1 < block.begins.size() ? block.begins[place.op + 1] : block.after.size();
    std::vector<uint64_t> after;
    for (std::size_t i = block.begins[place.op]; i < end; ++i)
    {
        after.push_back(base + block.after[i]);
    }
    const ProgramOpKind kind = block.ops[place.op].GetKind();
    if (after.empty() && (kind == ProgramOpKind::COLLECTIVE || kind == ProgramOpKind::SEND))
    {
        const std::optional<uint64_t> before = FindComputeBefore(place);
        if (before)
        {
            after.push_back(*before);
        }
    }
    return after;
}

std::optional<uint64_t>
OpList::FindComputeBefore(const Place& place) const
{
    const Block& own = *place.block;
    if (place.repeat > 0 && own.lastCompute != NONE)
    {
        return own.first + (place.repeat - 1) * own.ops.size() + own.lastCompute;
    }
    for (const Block* block = &own; block != m_blocks.data();)
    {
        --block;
        if (block->lastCompute != NONE)
        {
            return block->first + (block->repeats - 1) * block->ops.size() + block->lastCompute;
        }
    }
    return std::nullopt;
}

} // namespace llmfabric
} // namespace ns3
