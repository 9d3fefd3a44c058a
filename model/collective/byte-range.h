/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BYTE_RANGE_H
#define BYTE_RANGE_H

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A run of bytes.
 */
struct ByteRange
{
    uint64_t offset{0}; //!< where it begins, bytes
    uint64_t bytes{0};  //!< size
};

} // namespace llmfabric
} // namespace ns3

#endif /* BYTE_RANGE_H */
