/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_OP_H
#define COLLECTIVE_BENCH_OP_H

#include "ns3/program-op.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * An op of a bench, and how nccl-tests counts its sizes and bandwidths (its PERFORMANCE.md), for n
 * ranks:
 *
 *                          count      of size      busbw / algbw
 *     allreduce            elements   count        2 (n - 1) / n
 *     broadcast, reduce,   elements   count        1
 *     sendrecv
 *     allgather, alltoall  of a part  n count      (n - 1) / n
 *     reducescatter
 *     barrier              none       0            0
 *
 * where a size is cut to whole elements, or to parts of a multiple of 16 bytes, and algbw is size /
 * time. "alltoallv" is an All-to-All with unequal parts; its count is that of the mean part.
 */
class CollectiveBenchOp
{
  public:
    /**
     * @param name an op as scenarios call it, "alltoallv", or as nccl-tests does: any case, with or
     *        without '_' or '-', e.g. "all_reduce"
     * @throws UserError, without a place, if it is none
     */
    explicit CollectiveBenchOp(const std::string& name);

    /// @return its name, e.g. "allreduce" or "alltoallv"
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return what the group does
    CollectiveKind GetKind() const
    {
        return m_kind;
    }

    /// @return whether the parts are unequal
    bool IsUneven() const;

    /// @return whether it has a root
    bool HasRoot() const;

    /// @return the reduction of nccl-tests' column "redop": "sum" or "none"
    std::string GetReduction() const;

    /**
     * @param size what was asked for, bytes
     * @param element bytes of an element, at most 16
     * @param ranks n, at least 1
     * @return the column "count"
     */
    uint64_t GetCount(uint64_t size, uint64_t element, uint32_t ranks) const;

    /**
     * @param size what was asked for, bytes
     * @param element bytes of an element, at most 16
     * @param ranks n, at least 1
     * @return the column "size": what there is of it in whole elements or parts
     */
    uint64_t GetSize(uint64_t size, uint64_t element, uint32_t ranks) const;

    /**
     * @param ranks n, at least 1
     * @return busbw / algbw
     */
    double GetBusFactor(uint32_t ranks) const;

    /**
     * @param datatype a datatype of nccl-tests, e.g. "float"
     * @return bytes of an element
     * @throws UserError, without a place, if there is none
     */
    static uint64_t GetElementBytes(const std::string& datatype);

  private:
    /// @return whether each rank has a part of the payload
    bool HasParts() const;

    std::string m_name;    //!< its name
    CollectiveKind m_kind; //!< what the group does
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_BENCH_OP_H */
