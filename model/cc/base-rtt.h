/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BASE_RTT_H
#define BASE_RTT_H

#include "congestion-control.h"

#include "ns3/nstime.h"
#include "ns3/user-error.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The round-trip time without queues that an algorithm counts with.
 *
 * @param attribute what the user set; 0: what is known of the way
 * @param path what is known of the way
 * @param name full name of the attribute, for the error
 * @return the time, ticks, above 0
 * @throws UserError if neither is known
 */
inline int64_t
ChooseBaseRtt(const Time& attribute, const PathInfo& path, const std::string& name)
{
    const int64_t chosen = attribute.IsZero() ? path.baseRtt : attribute.GetTimeStep();
    if (chosen <= 0)
    {
        throw UserError("the round-trip time without queues is not known", name, "set it");
    }
    return chosen;
}

} // namespace llmfabric
} // namespace ns3

#endif /* BASE_RTT_H */
