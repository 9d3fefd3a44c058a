/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-grid.h"

#include "checked-math.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// So that the id of a group, kind * ranks + rank, fits 32 bits.
constexpr uint64_t MAX_RANKS = uint64_t{1} << 28;

/**
 * @param axis an axis
 * @return its place in arrays
 */
constexpr std::size_t
At(GridAxis axis)
{
    return static_cast<std::size_t>(axis);
}

/**
 * @param plan the degrees
 * @throws UserError if one is 0, or expert does not divide data
 */
void
CheckDegrees(const ParallelPlan& plan)
{
    CheckPositive(plan.tensor, "parallel.tensor");
    CheckPositive(plan.context, "parallel.context");
    CheckPositive(plan.expert, "parallel.expert");
    CheckPositive(plan.data, "parallel.data");
    CheckPositive(plan.pipeline, "parallel.pipeline");
    if (plan.data % plan.expert != 0)
    {
        throw UserError("the expert ranks are taken from the data-parallel ones, and " +
                            std::to_string(plan.expert) + " does not divide " +
                            std::to_string(plan.data),
                        "parallel.expert",
                        "make parallel.data a multiple of it");
    }
}

/**
 * @param order the order of the axes
 * @throws UserError if an axis is missing
 */
void
CheckOrder(const std::array<GridAxis, GRID_AXES>& order)
{
    for (std::size_t i = 0; i < GRID_AXES; ++i)
    {
        const auto axis = static_cast<GridAxis>(i);
        if (std::find(order.begin(), order.end(), axis) == order.end())
        {
            throw UserError("the order of the ranks does not name " + GetName(axis),
                            "parallel.order",
                            "name each axis once");
        }
    }
}

/**
 * @param kind a kind of group
 * @return the axes along which its members lie
 */
std::vector<GridAxis>
GetAxes(GroupKind kind)
{
    switch (kind)
    {
    case GroupKind::DATA:
    case GroupKind::PARAMETER:
        return {GridAxis::CONTEXT, GridAxis::EXPERT, GridAxis::DATA};
    case GroupKind::EXPERT_DATA:
    case GroupKind::EXPERT_PARAMETER:
        return {GridAxis::CONTEXT, GridAxis::DATA};
    case GroupKind::TENSOR:
        return {GridAxis::TENSOR};
    case GroupKind::CONTEXT:
        return {GridAxis::CONTEXT};
    case GroupKind::EXPERT:
        return {GridAxis::EXPERT};
    case GroupKind::EMBEDDING:
    case GroupKind::MIRROR:
        return {}; // two stages, not all of an axis
    }
    return {};
}

/**
 * @param kind a kind of group
 * @return whether its members are two stages
 */
bool
IsStagePair(GroupKind kind)
{
    return kind == GroupKind::EMBEDDING || kind == GroupKind::MIRROR;
}

} // namespace

std::string
GetName(GridAxis axis)
{
    switch (axis)
    {
    case GridAxis::TENSOR:
        return "tensor";
    case GridAxis::CONTEXT:
        return "context";
    case GridAxis::EXPERT:
        return "expert";
    case GridAxis::DATA:
        return "data";
    case GridAxis::PIPELINE:
        return "pipeline";
    }
    return "unknown";
}

RankGrid::RankGrid(const ParallelPlan& plan)
{
    CheckDegrees(plan);
    CheckOrder(plan.order);
    m_degrees[At(GridAxis::TENSOR)] = plan.tensor;
    m_degrees[At(GridAxis::CONTEXT)] = plan.context;
    m_degrees[At(GridAxis::EXPERT)] = plan.expert;
    m_degrees[At(GridAxis::DATA)] = plan.data / plan.expert;
    m_degrees[At(GridAxis::PIPELINE)] = plan.pipeline;
    for (GridAxis axis : plan.order)
    {
        m_strides[At(axis)] = m_ranks;
        const uint64_t ranks = CheckedProduct({m_ranks, m_degrees[At(axis)]}, "ranks");
        if (ranks > MAX_RANKS)
        {
            throw UserError("a job has at most " + std::to_string(MAX_RANKS) + " ranks",
                            "parallel",
                            "lower a degree of parallelism");
        }
        m_ranks = static_cast<uint32_t>(ranks);
    }
}

uint32_t
RankGrid::GetRanks() const
{
    return m_ranks;
}

uint32_t
RankGrid::GetDegree(GridAxis axis) const
{
    return m_degrees[At(axis)];
}

uint32_t
RankGrid::GetStride(GridAxis axis) const
{
    return m_strides[At(axis)];
}

uint32_t
RankGrid::GetCoordinate(uint32_t rank, GridAxis axis) const
{
    NS_ABORT_MSG_IF(rank >= m_ranks, "RankGrid: rank " << rank << " of " << m_ranks);
    return rank / GetStride(axis) % GetDegree(axis);
}

uint32_t
RankGrid::Move(uint32_t rank, GridAxis axis, uint32_t coordinate) const
{
    NS_ABORT_MSG_IF(coordinate >= GetDegree(axis),
                    "RankGrid: coordinate " << coordinate << " of " << GetDegree(axis));
    return rank - GetCoordinate(rank, axis) * GetStride(axis) + coordinate * GetStride(axis);
}

RankGroup
RankGrid::GetGroup(GroupKind kind, uint32_t rank) const
{
    if (IsStagePair(kind))
    {
        return GetStagePair(kind, rank);
    }
    uint32_t first = rank;
    std::vector<RankGroup::Axis> axes;
    for (GridAxis axis : GetAxes(kind))
    {
        first = Move(first, axis, 0);
        axes.push_back({GetStride(axis), GetDegree(axis)});
    }
    return RankGroup(static_cast<uint32_t>(kind) * m_ranks + first, first, axes);
}

RankGroup
RankGrid::GetStagePair(GroupKind kind, uint32_t rank) const
{
    const uint32_t last = GetDegree(GridAxis::PIPELINE) - 1;
    const uint32_t stage = GetCoordinate(rank, GridAxis::PIPELINE);
    NS_ABORT_MSG_IF(kind == GroupKind::EMBEDDING && stage != 0 && stage != last,
                    "RankGrid: stage " << stage << " has no embedding");
    const uint32_t lower = std::min(stage, last - stage);
    const uint32_t first = Move(rank, GridAxis::PIPELINE, lower);
    const uint32_t distance = last - 2 * lower; // 0: the stage in the middle is its own mirror
    return RankGroup(static_cast<uint32_t>(kind) * m_ranks + first,
                     first,
                     std::max(distance, 1u) * GetStride(GridAxis::PIPELINE),
                     distance == 0 ? 1 : 2);
}

uint32_t
RankGrid::GetGroupSize(GroupKind kind) const
{
    if (IsStagePair(kind))
    {
        return GetDegree(GridAxis::PIPELINE) > 1 ? 2 : 1;
    }
    uint32_t size = 1;
    for (GridAxis axis : GetAxes(kind))
    {
        size *= GetDegree(axis);
    }
    return size;
}

RankGroup
RankGrid::GetGroup(uint32_t id) const
{
    const RankGroup group = GetGroup(GetKind(id), id % m_ranks);
    NS_ABORT_MSG_IF(group.GetId() != id, "RankGrid: no group " << id);
    return group;
}

GroupKind
RankGrid::GetKind(uint32_t id) const
{
    NS_ABORT_MSG_IF(id / m_ranks >= GROUP_KINDS, "RankGrid: no group " << id);
    return static_cast<GroupKind>(id / m_ranks);
}

} // namespace llmfabric
} // namespace ns3
