/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_GROUP_H
#define RANK_GROUP_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// What a group of ranks has in common. Each kind is a communicator of its own, even where two
/// kinds have the same members: their ops run in parallel.
enum class GroupKind : uint8_t
{
    DATA,             //!< same part of the model: gradients of all but experts
    TENSOR,           //!< share each layer's matrices
    CONTEXT,          //!< share each sequence
    EXPERT,           //!< share the experts
    PARAMETER,        //!< members of DATA: parameters that ZeRO shares
    EXPERT_DATA,      //!< same experts: their gradients
    EXPERT_PARAMETER, //!< members of EXPERT_DATA: parameters that ZeRO shares
    EMBEDDING,        //!< first and last stage, which both hold a tied embedding
    MIRROR            //!< the two stages that hold the same layers in a bidirectional pipeline
};

/// Number of kinds.
static constexpr uint32_t GROUP_KINDS = 9;

/**
 * @param kind a kind
 * @return its name in reports and files, e.g. "expert-data"
 */
std::string GetName(GroupKind kind);

/**
 * @ingroup llm-fabric
 * A communicator: the ranks that take part in the same collective ops, in their order.
 *
 * An index counts the members of one group from 0, a rank those of the whole job. A group that is a
 * part of a grid takes the same memory whatever its size: its ranks are first + a combination of
 * strides. Any other one lists its members.
 */
class RankGroup
{
  public:
    /// A direction in which the members lie.
    struct Axis
    {
        uint32_t stride; //!< distance from a member to the next, at least 1, in ranks
        uint32_t size;   //!< members in this direction, at least 1
    };

    /**
     * @param id number of the group, unique in its job
     * @param first its first rank
     * @param stride distance from a member to the next, at least 1, in ranks
     * @param size its members, at least 1
     */
    RankGroup(uint32_t id, uint32_t first, uint32_t stride, uint32_t size);

    /**
     * Members ascend, whatever the order of the axes.
     *
     * @param id number of the group, unique in its job
     * @param first its first rank
     * @param axes directions of a grid: of two axes with more than one member, the larger stride is
     *        a multiple of the smaller one times its size
     */
    RankGroup(uint32_t id, uint32_t first, const std::vector<Axis>& axes);

    /**
     * @param id number of the group, unique in its job
     * @param members its ranks in their order, each once, at least one
     */
    RankGroup(uint32_t id, const std::vector<uint32_t>& members);

    /**
     * @return number of the group, unique in its job
     */
    uint32_t GetId() const;

    /**
     * @return how many ranks are in the group
     */
    uint32_t GetSize() const;

    /**
     * @param index index of a member, below GetSize()
     * @return the member's rank in the job
     */
    uint32_t GetRank(uint32_t index) const;

    /**
     * @param rank a rank of the job
     * @return whether it is in the group
     */
    bool Contains(uint32_t rank) const;

    /**
     * @param rank a member's rank in the job
     * @return the member's index in the group
     */
    uint32_t GetIndex(uint32_t rank) const;

  private:
    /// The members of a group that is no part of a grid.
    struct Members
    {
        std::vector<uint32_t> ranks;     //!< in their order
        std::vector<uint32_t> ascending; //!< their indices, in the order of the ranks
    };

    /**
     * @param rank a rank of the job
     * @return its index, or GetSize() if it is no member
     */
    uint32_t Find(uint32_t rank) const;

    /**
     * @param rank a rank of the job
     * @return its index among listed members, or GetSize() if it is none of them
     */
    uint32_t FindListed(uint32_t rank) const;

    uint32_t m_id;                            //!< number of the group
    uint32_t m_first{0};                      //!< first rank, of a part of a grid
    std::vector<Axis> m_axes;                 //!< directions, of a part of a grid; strides ascend
    std::shared_ptr<const Members> m_members; //!< of any other group, or null
    uint32_t m_size{1};                       //!< members
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_GROUP_H */
