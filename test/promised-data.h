/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROMISED_DATA_H
#define PROMISED_DATA_H

#include "held-data.h"

#include "ns3/barrier-algorithm.h"
#include "ns3/collective-task.h"
#include "ns3/payload-split.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * What each rank of an op has in the beginning and must hold in the end, told by the op alone: see
 * CollectiveAlgorithm.
 */
class PromisedData
{
  public:
    /**
     * @param op the op, as scenarios call it
     * @param task what of it; its rank is of no concern
     */
    PromisedData(const std::string& op, const CollectiveTask& task)
        : m_op(op),
          m_task(task),
          m_payload(op == "barrier" ? BarrierAlgorithm::BYTES : task.payload)
    {
    }

    /**
     * @param rank a rank
     * @return what it has in the beginning
     */
    std::vector<DataPiece> GetInput(uint32_t rank) const
    {
        if (m_op == "allgather")
        {
            return {GetPart(rank)};
        }
        if (m_op == "broadcast" && rank != m_task.root)
        {
            return {};
        }
        if (m_op == "alltoall")
        {
            std::vector<DataPiece> parts;
            for (uint32_t to = 0; to < m_task.GetRanks(); ++to)
            {
                parts.push_back(GetPart(rank, to));
            }
            return parts;
        }
        return {{m_op == "sendrecv" ? rank : 0, 0, m_payload}};
    }

    /**
     * @param rank a rank
     * @return what it has to hold in the end
     */
    std::vector<HeldData::Part> GetResult(uint32_t rank) const
    {
        if (m_op == "sendrecv")
        {
            const uint32_t before = (rank + m_task.GetRanks() - 1) % m_task.GetRanks();
            return {{{before, 0, m_payload}, Contributions().set(before)}};
        }
        if (m_op == "reduce" && rank != m_task.root)
        {
            return {};
        }
        std::vector<HeldData::Part> result;
        for (uint32_t i = 0; i < m_task.GetRanks(); ++i)
        {
            if (m_op == "alltoall")
            {
                result.push_back({GetPart(i, rank), Contributions().set(i)});
            }
            else if (m_op != "reducescatter" || i == rank)
            {
                result.push_back({GetPart(i), GetContributions(i)});
            }
        }
        return result;
    }

  private:
    /**
     * @param owner a member
     * @return its part of the payload
     */
    DataPiece GetPart(uint32_t owner) const
    {
        const PayloadSplit split(m_payload, m_task.GetRanks());
        return {0, split.GetOffset(owner), split.GetBytes(owner)};
    }

    /**
     * @param from a member
     * @param to a member
     * @return the part of an All-to-All that goes from one to the other
     */
    DataPiece GetPart(uint32_t from, uint32_t to) const
    {
        if (!m_task.bytes)
        {
            const DataPiece part = GetPart(to);
            return {from, part.offset, part.bytes};
        }
        uint64_t offset = 0;
        for (uint32_t before = 0; before < to; ++before)
        {
            offset += m_task.bytes(from, before);
        }
        return {from, offset, m_task.bytes(from, to)};
    }

    /**
     * @param owner a member
     * @return whose values are in its part in the end
     */
    Contributions GetContributions(uint32_t owner) const
    {
        Contributions one;
        if (m_op == "allgather" || m_op == "broadcast")
        {
            return one.set(m_op == "allgather" ? owner : m_task.root);
        }
        Contributions all;
        for (uint32_t i = 0; i < m_task.GetRanks(); ++i)
        {
            all.set(i);
        }
        return all;
    }

    std::string m_op;      //!< the op
    CollectiveTask m_task; //!< what of it
    uint64_t m_payload;    //!< M
};

} // namespace llmfabric
} // namespace ns3

#endif /* PROMISED_DATA_H */
