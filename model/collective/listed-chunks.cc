/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-chunks.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

const std::vector<std::string>&
ListedChunks::GetOps()
{
    static const std::vector<std::string> OPS{"allreduce",
                                              "reducescatter",
                                              "allgather",
                                              "broadcast",
                                              "reduce",
                                              "alltoall"}; // in the order of Kind
    return OPS;
}

uint64_t
ListedChunks::GetUnit(const std::string& op, uint32_t ranks)
{
    if (op == "alltoall")
    {
        return uint64_t{ranks} * ranks;
    }
    return op == "reducescatter" || op == "allgather" ? ranks : 1;
}

ListedChunks::ListedChunks(const std::string& op, uint32_t ranks, uint32_t chunks)
    : m_ranks(ranks),
      m_chunks(chunks)
{
    const auto& ops = GetOps();
    const auto found = std::find(ops.begin(), ops.end(), op);
    const uint64_t unit = GetUnit(op, ranks);
    NS_ABORT_MSG_IF(found == ops.end() || ranks == 0 || chunks == 0 || chunks % unit != 0,
                    "ListedChunks: " << chunks << " chunks of " << op << " by " << ranks);
    m_kind = static_cast<Kind>(found - ops.begin());
    m_each = static_cast<uint32_t>(chunks / unit);
}

std::optional<uint32_t>
ListedChunks::GetGiver(uint32_t chunk) const
{
    switch (m_kind)
    {
    case Kind::ALL_GATHER:
        return chunk / m_each;
    case Kind::BROADCAST:
        return 0;
    case Kind::ALL_TO_ALL:
        return chunk / m_each / m_ranks;
    default:
        return {};
    }
}

std::optional<uint32_t>
ListedChunks::GetTaker(uint32_t chunk) const
{
    switch (m_kind)
    {
    case Kind::REDUCE_SCATTER:
        return chunk / m_each;
    case Kind::REDUCE:
        return 0;
    case Kind::ALL_TO_ALL:
        return chunk / m_each % m_ranks;
    default:
        return {};
    }
}

bool
ListedChunks::HasRoot() const
{
    return m_kind == Kind::BROADCAST || m_kind == Kind::REDUCE;
}

ByteRange
ListedChunks::GetRange(const CollectiveTask& task, uint32_t first, uint32_t count) const
{
    if (m_kind != Kind::ALL_TO_ALL)
    {
        const PayloadSplit split(task.payload, m_chunks);
        const uint64_t offset = split.GetOffset(first);
        return {offset, split.GetOffset(first + count) - offset};
    }
    ByteRange range{GetPiece(task, first).offset, 0};
    for (uint32_t chunk = first; chunk < first + count; ++chunk)
    {
        range.bytes += GetBytes(task, chunk);
    }
    return range;
}

std::vector<DataPiece>
ListedChunks::GetPieces(const CollectiveTask& task, uint32_t first, uint32_t count) const
{
    if (m_kind != Kind::ALL_TO_ALL)
    {
        const ByteRange range = GetRange(task, first, count);
        return {{0, range.offset, range.bytes}};
    }
    std::vector<DataPiece> pieces;
    for (uint32_t chunk = first; chunk < first + count; ++chunk)
    {
        pieces.push_back(GetPiece(task, chunk));
    }
    return pieces;
}

uint64_t
ListedChunks::GetBytes(const CollectiveTask& task, uint32_t chunk) const
{
    const uint32_t from = chunk / m_each / m_ranks;
    const uint32_t to = chunk / m_each % m_ranks;
    const uint64_t part =
        task.bytes ? task.bytes(from, to) : PayloadSplit(task.payload, m_ranks).GetBytes(to);
    return Cut({0, part}, m_each, chunk % m_each).bytes;
}

DataPiece
ListedChunks::GetPiece(const CollectiveTask& task, uint32_t chunk) const
{
    const uint32_t from = chunk / m_each / m_ranks;
    const uint32_t to = chunk / m_each % m_ranks;
    ByteRange part;
    if (task.bytes)
    {
        for (uint32_t before = 0; before < to; ++before)
        {
            part.offset += task.bytes(from, before);
        }
        part.bytes = task.bytes(from, to);
    }
    else
    {
        const PayloadSplit split(task.payload, m_ranks);
        part = {split.GetOffset(to), split.GetBytes(to)};
    }
    const ByteRange piece = Cut(part, m_each, chunk % m_each);
    return {from, piece.offset, piece.bytes};
}

} // namespace llmfabric
} // namespace ns3
