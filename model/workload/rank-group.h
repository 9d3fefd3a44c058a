/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_GROUP_H
#define RANK_GROUP_H

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A communicator: the ranks that take part in the same collective ops, in their order.
 *
 * Its ranks are first, first + stride, first + 2 stride, ...; so it takes the same memory whatever
 * its size. An index counts the members of one group from 0, a rank those of the whole job.
 */
class RankGroup
{
  public:
    /**
     * @param id number of the group, unique in its job
     * @param first its first rank
     * @param stride distance from a member to the next, at least 1, in ranks
     * @param size its members, at least 1
     */
    RankGroup(uint32_t id, uint32_t first, uint32_t stride, uint32_t size);

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
    uint32_t m_id;     //!< number of the group
    uint32_t m_first;  //!< first rank
    uint32_t m_stride; //!< distance from a member to the next, ranks
    uint32_t m_size;   //!< members
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANK_GROUP_H */
