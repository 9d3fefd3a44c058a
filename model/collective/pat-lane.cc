/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pat-lane.h"

#include "binary-log.h"
#include "link-load.h"

namespace ns3
{
namespace llmfabric
{

PatLane::PatLane(const CollectiveTask& task, uint32_t channel, Direction direction)
    : m_grid(task.payload, task.GetRanks(), task.cut.channels, task.cut.chunk),
      m_rank(task.rank),
      m_channel(channel),
      m_ranks(task.GetRanks()),
      m_direction(direction)
{
}

uint32_t
PatLane::GetChannel() const
{
    return m_channel;
}

uint32_t
PatLane::GetDistance(uint32_t place, uint32_t levels, Direction direction)
{
    return 1U << (direction == Direction::GATHER ? levels - 1 - place : place);
}

uint64_t
PatLane::GetStepCount() const
{
    return m_grid.GetLoops() * GetCeilLog2(m_ranks);
}

PatLane::Stage
PatLane::GetStage(uint64_t index) const
{
    const uint32_t levels = GetCeilLog2(m_ranks);
    const auto place = static_cast<uint32_t>(index % levels);
    return {index / levels, place, GetDistance(place, levels, m_direction)};
}

PatLane::Parts
PatLane::GetInner(uint32_t distance) const
{
    return {0, 2 * distance, m_ranks - distance};
}

PatLane::Parts
PatLane::GetOuter(uint32_t distance) const
{
    return {distance, 2 * distance, m_ranks};
}

ByteRange
PatLane::GetChunk(uint64_t loop, uint32_t x) const
{
    return m_grid.GetRange((m_rank + m_ranks - x) % m_ranks, m_channel, loop);
}

ByteRange
PatLane::GetRange(uint64_t loop, const Parts& parts) const
{
    ByteRange range{GetChunk(loop, parts.first).offset, 0};
    for (uint64_t x = parts.first; x < parts.end; x += parts.stride)
    {
        range.bytes += GetChunk(loop, static_cast<uint32_t>(x)).bytes;
    }
    return range;
}

int64_t
PatLane::GetShift(const Stage& stage) const
{
    if (m_direction == Direction::GATHER)
    {
        // The rank's own part comes first, which it has had from the beginning.
        return -static_cast<int64_t>(GetChunk(stage.loop, 0).bytes);
    }
    // Before the last part that is sent there may come all those that stay.
    const Parts stay{0, 2 * stage.distance, m_ranks - stage.distance / 2};
    return static_cast<int64_t>(GetRange(stage.loop, stay).bytes);
}

LaneStep
PatLane::GetStep(uint64_t index) const
{
    const Stage stage = GetStage(index);
    const bool gathers = m_direction == Direction::GATHER;
    const uint32_t after = (m_rank + stage.distance) % m_ranks;
    const uint32_t before = (m_rank + m_ranks - stage.distance) % m_ranks;
    const Parts inner = GetInner(stage.distance);
    const Parts outer = GetOuter(stage.distance);
    LaneStep step;
    step.SetReceive({gathers ? before : after}, GetRange(stage.loop, gathers ? outer : inner));
    step.reduces = !gathers;
    step.SetSend({gathers ? after : before}, GetRange(stage.loop, gathers ? inner : outer));
    if (stage.place > 0)
    {
        step.sendAfter = {{LaneNeed::SAME, index - 1, GetShift(stage), false}};
    }
    return step;
}

std::vector<DataPiece>
PatLane::GetPieces(uint64_t index) const
{
    const Stage stage = GetStage(index);
    const bool gathers = m_direction == Direction::GATHER;
    const Parts parts = gathers ? GetInner(stage.distance) : GetOuter(stage.distance);
    std::vector<DataPiece> pieces;
    for (uint64_t x = parts.first; x < parts.end; x += parts.stride)
    {
        const ByteRange chunk = GetChunk(stage.loop, static_cast<uint32_t>(x));
        pieces.push_back({0, chunk.offset, chunk.bytes});
    }
    return pieces;
}

CollectiveCost
PatLane::GetCost(const CollectiveTask& task, Direction direction)
{
    const uint32_t ranks = task.GetRanks();
    const uint32_t levels = GetCeilLog2(ranks);
    const double slices = static_cast<double>(task.cut.slice) * task.cut.channels;
    CollectiveCost cost;
    for (const auto& [loops, chunk] :
         ChunkGrid(task.payload, ranks, task.cut.channels, task.cut.chunk).GetRuns())
    {
        for (uint32_t place = 0; place < levels; ++place)
        {
            const uint32_t distance = GetDistance(place, levels, direction);
            const uint32_t parts = (ranks - distance - 1) / (2 * distance) + 1;
            LinkLoad load(*task.layout, slices);
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                load.Add(rank, (rank + distance) % ranks, parts * chunk);
            }
            cost.push_back(load.GetPhase(loops, direction == Direction::REDUCE));
        }
    }
    return cost;
}

} // namespace llmfabric
} // namespace ns3
