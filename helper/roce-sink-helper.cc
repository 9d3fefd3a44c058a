/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-sink-helper.h"

#include "ns3/names.h"
#include "ns3/roce-sink.h"

namespace ns3
{
namespace llmfabric
{

RoceSinkHelper::RoceSinkHelper(Ipv4Address local)
{
    m_factory.SetTypeId(RoceSink::GetTypeId());
    m_factory.Set("LocalAddress", Ipv4AddressValue(local));
}

void
RoceSinkHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
RoceSinkHelper::Install(Ptr<Node> node) const
{
    Ptr<Application> application = m_factory.Create<Application>();
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
RoceSinkHelper::Install(const NodeContainer& nodes) const
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(Install(*node));
    }
    return applications;
}

ApplicationContainer
RoceSinkHelper::Install(const std::string& nodeName) const
{
    return Install(Names::Find<Node>(nodeName));
}

} // namespace llmfabric
} // namespace ns3
