/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "go-back-n.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(GoBackN);

TypeId
GoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::GoBackN")
                            .SetParent<LossRecovery>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<GoBackN>();
    return tid;
}

GoBackN::GoBackN()
    : LossRecovery(false)
{
}

LossRecovery::Repair
GoBackN::OnNak(const Frame& /* nak */, uint64_t /* unacked */, uint64_t /* sent */)
{
    return Repair::REWIND;
}

LossRecovery::Repair
GoBackN::OnMissing(uint64_t /* unacked */, uint64_t /* sent */, bool /* all */)
{
    return Repair::REWIND;
}

bool
GoBackN::OnOutOfOrder(const Frame& /* frame */, uint64_t /* distance */, bool told)
{
    return !told;
}

} // namespace llmfabric
} // namespace ns3
