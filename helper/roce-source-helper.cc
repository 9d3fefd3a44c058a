/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-source-helper.h"

#include "ns3/names.h"
#include "ns3/roce-source.h"

namespace ns3
{
namespace llmfabric
{

RoceSourceHelper::RoceSourceHelper(Ipv4Address remote)
{
    m_factory.SetTypeId(RoceSource::GetTypeId());
    m_factory.Set("Remote", Ipv4AddressValue(remote));
}

void
RoceSourceHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
RoceSourceHelper::Install(Ptr<Node> node) const
{
    Ptr<Application> application = m_factory.Create<Application>();
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
RoceSourceHelper::Install(const NodeContainer& nodes) const
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(Install(*node));
    }
    return applications;
}

ApplicationContainer
RoceSourceHelper::Install(const std::string& nodeName) const
{
    return Install(Names::Find<Node>(nodeName));
}

} // namespace llmfabric
} // namespace ns3
