/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SINK_HELPER_H
#define ROCE_SINK_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Installs RoceSinks on nodes; see RoceSource for an example.
 */
class RoceSinkHelper
{
  public:
    /** @param local address of the NIC to listen at; 0.0.0.0: all NICs of the node */
    explicit RoceSinkHelper(Ipv4Address local = Ipv4Address::GetAny());

    /**
     * @param name attribute of RoceSink
     * @param value its value for those that are installed from now on
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param node a node with a NIC
     * @return its new RoceSink
     */
    ApplicationContainer Install(Ptr<Node> node) const;

    /**
     * @param nodes nodes with NICs
     * @return a new RoceSink of each, in that order
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

    /**
     * @param nodeName name of a node, see Names
     * @return its new RoceSink
     */
    ApplicationContainer Install(const std::string& nodeName) const;

  private:
    ObjectFactory m_factory; //!< makes RoceSinks
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_SINK_HELPER_H */
