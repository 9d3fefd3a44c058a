/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BUFFER_POLICY_H
#define BUFFER_POLICY_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * How much of the shared buffer one queue may take; one instance a switch, chosen by
 * FabricSwitch::BufferPolicy.
 */
class BufferPolicy : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * @param free unused bytes of the shared buffer
     * @return what an (ingress port, lossless priority) may hold before it is paused, bytes
     */
    virtual uint64_t GetIngressLimit(uint64_t free) const = 0;

    /**
     * @param free unused bytes of the shared buffer
     * @return what an egress queue of a lossy priority may hold before frames are lost, bytes
     */
    virtual uint64_t GetEgressLimit(uint64_t free) const = 0;
};

/**
 * @ingroup llm-fabric
 * Dynamic thresholds (Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998): limit = alpha * free.
 */
class DynamicThreshold : public BufferPolicy
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    uint64_t GetIngressLimit(uint64_t free) const override;
    uint64_t GetEgressLimit(uint64_t free) const override;

  private:
    double m_ingressAlpha{0}; //!< of lossless ingress
    double m_egressAlpha{0};  //!< of lossy egress
};

} // namespace llmfabric
} // namespace ns3

#endif /* BUFFER_POLICY_H */
