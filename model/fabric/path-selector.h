/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_SELECTOR_H
#define PATH_SELECTOR_H

#include "fabric-frame.h"
#include "route-table.h"

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Chooses among equally short paths; one instance a switch, chosen by FabricSwitch::PathSelector.
 */
class PathSelector : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * The simulation starts.
     *
     * @param fabricId fabric id of the switch
     */
    virtual void Start(uint32_t fabricId) = 0;

    /**
     * @param frame the frame
     * @param group at least 2 ports
     * @return one of the ports
     */
    virtual uint16_t Select(const Frame& frame, const PortGroup& group) = 0;
};

/**
 * @ingroup llm-fabric
 * Equal-cost multi-path: a hash of the 5-tuple, seeded by the simulation's seed and the switch.
 *
 * Frames of one flow take one path. The seed differs from switch to switch, so that two tiers do
 * not make the same choice (polarization).
 */
class EcmpSelector : public PathSelector
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    void Start(uint32_t fabricId) override;
    uint16_t Select(const Frame& frame, const PortGroup& group) override;

  private:
    uint64_t m_salt{0}; //!< seed of this switch
};

} // namespace llmfabric
} // namespace ns3

#endif /* PATH_SELECTOR_H */
