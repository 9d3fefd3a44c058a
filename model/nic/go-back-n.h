/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GO_BACK_N_H
#define GO_BACK_N_H

#include "loss-recovery.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * InfiniBand's own loss recovery: the receiver takes packets in order only and asks once for what
 * is missing; the sender sends all again from there on.
 */
class GoBackN : public LossRecovery
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    GoBackN();

    Repair OnNak(const Frame& nak, uint64_t unacked, uint64_t sent) override;
    Repair OnMissing(uint64_t unacked, uint64_t sent, bool all) override;
    bool OnOutOfOrder(const Frame& frame, uint64_t distance, bool told) override;
};

} // namespace llmfabric
} // namespace ns3

#endif /* GO_BACK_N_H */
