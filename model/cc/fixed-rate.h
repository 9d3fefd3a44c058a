/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FIXED_RATE_H
#define FIXED_RATE_H

#include "congestion-control.h"

#include "ns3/data-rate.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * No congestion control: a constant rate, the line rate by default.
 */
class FixedRate : public CongestionControl
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

  protected:
    void DoStart(int64_t now) override;

  private:
    DataRate m_fixedRate; //!< 0: the line rate
};

} // namespace llmfabric
} // namespace ns3

#endif /* FIXED_RATE_H */
