/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HELD_DATA_H
#define HELD_DATA_H

#include "ns3/collective-lane.h"

#include <bitset>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// The ranks whose values are in a sum.
using Contributions = std::bitset<64>;

/**
 * What a rank holds: for each byte of a payload the set of those whose values are in it. Bytes are
 * named by their origin and offset, as DataPiece does.
 */
class HeldData
{
  public:
    /// Bytes and what is in them.
    struct Part
    {
        DataPiece piece;             //!< which bytes
        Contributions contributions; //!< what is in them; none: they are not held
    };

    /**
     * @param piece some bytes
     * @param contributions what is in them from now on
     */
    void Set(const DataPiece& piece, const Contributions& contributions)
    {
        Split(GetAddress(piece));
        Split(GetAddress(piece) + piece.bytes);
        const auto first = m_segments.lower_bound(GetAddress(piece));
        m_segments.erase(first, m_segments.lower_bound(GetAddress(piece) + piece.bytes));
        if (piece.bytes > 0)
        {
            m_segments[GetAddress(piece)] = {piece.bytes, contributions};
        }
    }

    /**
     * @param piece some bytes
     * @return what is in them, in pieces of equal contributions
     */
    std::vector<Part> Get(const DataPiece& piece) const
    {
        std::vector<Part> parts;
        const uint64_t end = GetAddress(piece) + piece.bytes;
        uint64_t at = GetAddress(piece);
        auto next = m_segments.upper_bound(at);
        if (next != m_segments.begin() &&
            std::prev(next)->first + std::prev(next)->second.bytes > at)
        {
            --next;
        }
        while (at < end)
        {
            const bool held = next != m_segments.end() && next->first <= at;
            uint64_t until = end;
            if (next != m_segments.end())
            {
                until = std::min(end, held ? next->first + next->second.bytes : next->first);
            }
            parts.push_back({{piece.origin, piece.offset + (at - GetAddress(piece)), until - at},
                             held ? next->second.contributions : Contributions()});
            at = until;
            if (held && next->first + next->second.bytes <= at)
            {
                ++next;
            }
        }
        return parts;
    }

    /**
     * @param part bytes to add to those held; a test failure if a contribution would count twice
     */
    void Add(const Part& part)
    {
        for (const Part& own : Get(part.piece))
        {
            EXPECT_TRUE((own.contributions & part.contributions).none())
                << "a contribution to byte " << own.piece.offset << " counts twice";
            Set(own.piece, own.contributions | part.contributions);
        }
    }

    /**
     * @param piece some bytes
     * @param contributions what must be in them
     * @return whether exactly that is in all of them
     */
    bool Holds(const DataPiece& piece, const Contributions& contributions) const
    {
        for (const Part& part : Get(piece))
        {
            if (part.contributions != contributions)
            {
                return false;
            }
        }
        return true;
    }

  private:
    /// Bytes that follow one another and hold the same.
    struct Segment
    {
        uint64_t bytes{0};           //!< how many
        Contributions contributions; //!< what is in them
    };

    /**
     * @param piece some bytes
     * @return a number that tells where they begin, unique over all origins
     */
    static uint64_t GetAddress(const DataPiece& piece)
    {
        return (uint64_t{piece.origin} << 48) + piece.offset;
    }

    /**
     * @param address where a segment that covers it is cut in two
     */
    void Split(uint64_t address)
    {
        auto next = m_segments.upper_bound(address);
        if (next == m_segments.begin())
        {
            return;
        }
        auto& [begin, segment] = *std::prev(next);
        if (begin < address && begin + segment.bytes > address)
        {
            m_segments[address] = {begin + segment.bytes - address, segment.contributions};
            segment.bytes = address - begin;
        }
    }

    std::map<uint64_t, Segment> m_segments; //!< by address, without overlap
};

} // namespace llmfabric
} // namespace ns3

#endif /* HELD_DATA_H */
