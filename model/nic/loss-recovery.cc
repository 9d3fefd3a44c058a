/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "loss-recovery.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(LossRecovery);

TypeId
LossRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::LossRecovery").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

uint64_t
LossRecovery::GetWindow() const
{
    return MAX_UNACKNOWLEDGED;
}

uint64_t
LossRecovery::TakeRepeat()
{
    NS_ABORT_MSG("this loss recovery repeats nothing out of order");
    return 0;
}

void
LossRecovery::OnSent(uint64_t /* psn */)
{
}

LossRecovery::Repair
LossRecovery::OnAdvance(uint64_t /* unacked */, uint64_t /* sent */)
{
    return Repair::NONE;
}

int64_t
LossRecovery::GetTimeout(uint64_t /* packets */, int64_t standard) const
{
    return standard;
}

void
LossRecovery::OnInOrder(uint64_t /* count */)
{
}

const Frame*
LossRecovery::GetKept() const
{
    return nullptr;
}

void
LossRecovery::FillNak(Frame& /* nak */) const
{
}

} // namespace llmfabric
} // namespace ns3
