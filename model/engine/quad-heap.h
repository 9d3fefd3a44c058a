/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUAD_HEAP_H
#define QUAD_HEAP_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The two moves of a 4-ary heap in a vector; the least entry is the first.
 *
 * Whoever keeps the heap says how entries compare and how one is put into its place, so that it may
 * keep track of places.
 *
 * @tparam Entry an entry
 * @tparam Owner has static or const Before(a, b): true if a goes first; and
 *         Put(place, entry): write the entry there
 */
template <typename Entry, typename Owner>
class QuadHeap
{
  public:
    /**
     * @param heap the entries
     * @param place an open place
     * @param entry the entry that belongs at or above it
     * @param owner compares and puts
     */
    static void SiftUp(const std::vector<Entry>& heap, std::size_t place, Entry entry, Owner& owner)
    {
        while (place > 0)
        {
            const std::size_t parent = (place - 1) / 4;
            if (!owner.Before(entry, heap[parent]))
            {
                break;
            }
            owner.Put(place, heap[parent]);
            place = parent;
        }
        owner.Put(place, entry);
    }

    /**
     * @param heap the entries
     * @param place an open place
     * @param entry the entry that belongs at or below it
     * @param owner compares and puts
     * @return where it went
     */
    static std::size_t SiftDown(const std::vector<Entry>& heap,
                                std::size_t place,
                                Entry entry,
                                Owner& owner)
    {
        const std::size_t size = heap.size();
        for (std::size_t child = 4 * place + 1; child < size; child = 4 * place + 1)
        {
            std::size_t least = child;
            const std::size_t end = std::min(child + 4, size);
            for (std::size_t other = child + 1; other < end; ++other)
            {
                if (owner.Before(heap[other], heap[least]))
                {
                    least = other;
                }
            }
            if (!owner.Before(heap[least], entry))
            {
                break;
            }
            owner.Put(place, heap[least]);
            place = least;
        }
        owner.Put(place, entry);
        return place;
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* QUAD_HEAP_H */
