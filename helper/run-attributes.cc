/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-attributes.h"

#include "ns3/fabric-link.h"
#include "ns3/gpu-node.h"
#include "ns3/node.h"
#include "ns3/nstime.h"

#if __has_include("ns3/version-defines.h")
#include "ns3/version-defines.h"
#endif

#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/** @return true for attributes that hold a plain value, not another object */
bool
IsPlain(const TypeId::AttributeInformation& attribute)
{
    const std::string kind = attribute.checker->GetValueTypeName();
    return kind != "ns3::PointerValue" && kind != "ns3::ObjectPtrContainerValue" &&
           kind != "ns3::CallbackValue";
}

/** @return a value as text; times in picoseconds, since ns-3 rounds them to six digits */
std::string
TextOf(const AttributeValue& value, Ptr<const AttributeChecker> checker)
{
    if (const auto* time = dynamic_cast<const TimeValue*>(&value))
    {
        return std::to_string(time->Get().GetPicoSeconds()) + "ps";
    }
    return value.SerializeToString(checker);
}

std::string
DefaultOf(const TypeId::AttributeInformation& attribute)
{
    return TextOf(*attribute.checker->CreateValidValue(*attribute.initialValue), attribute.checker);
}

void
DescribeClasses(std::ostream& out)
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetName().rfind("ns3::llmfabric::", 0) != 0)
        {
            continue;
        }
        for (std::size_t j = 0; j < tid.GetAttributeN(); ++j)
        {
            const TypeId::AttributeInformation attribute = tid.GetAttribute(j);
            if (IsPlain(attribute))
            {
                out << tid.GetName() << "::" << attribute.name << " = " << DefaultOf(attribute)
                    << "\n";
            }
        }
    }
}

void
DescribeObject(std::ostream& out, const std::string& path, Ptr<const Object> object, TypeId tid)
{
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation attribute = tid.GetAttribute(i);
        if (!IsPlain(attribute) || !(attribute.flags & TypeId::ATTR_GET) ||
            !attribute.accessor->HasGetter())
        {
            continue;
        }
        Ptr<AttributeValue> value = attribute.checker->Create();
        object->GetAttribute(attribute.name, *value);
        const std::string text = TextOf(*value, attribute.checker);
        if (text != DefaultOf(attribute))
        {
            out << path << "/" << attribute.name << " = " << text << "\n";
        }
    }
}

std::string
PathOf(Ptr<const Node> node)
{
    return "/NodeList/" + std::to_string(node->GetId());
}

} // namespace

std::string
RunAttributes::Describe(const Fabric& fabric)
{
    std::ostringstream out;
    DescribeClasses(out);
    for (const Ptr<FabricPort>& port : fabric.GetPorts())
    {
        const std::string path =
            PathOf(port->GetNode()) + "/DeviceList/" + std::to_string(port->GetIfIndex()) + "/$";
        DescribeObject(out,
                       path + FabricPort::GetTypeId().GetName(),
                       port,
                       FabricPort::GetTypeId());
        if (Ptr<RoceNic> nic = port->GetObject<RoceNic>())
        {
            DescribeObject(out, path + RoceNic::GetTypeId().GetName(), nic, RoceNic::GetTypeId());
        }
    }
    for (const Ptr<FabricLink>& link : fabric.GetLinks())
    {
        DescribeObject(out,
                       "/ChannelList/" + std::to_string(link->GetId()) + "/$" +
                           FabricLink::GetTypeId().GetName(),
                       link,
                       FabricLink::GetTypeId());
    }
    for (const Ptr<FabricSwitch>& one : fabric.switches)
    {
        DescribeObject(out,
                       PathOf(one->GetObject<Node>()) + "/$" + FabricSwitch::GetTypeId().GetName(),
                       one,
                       FabricSwitch::GetTypeId());
    }
    for (uint32_t i = 0; i < fabric.nodes.GetN(); ++i)
    {
        if (Ptr<GpuNode> gpus = fabric.nodes.Get(i)->GetObject<GpuNode>())
        {
            const std::string path =
                PathOf(fabric.nodes.Get(i)) + "/$" + GpuNode::GetTypeId().GetName();
            DescribeObject(out, path, gpus, GpuNode::GetTypeId());
            DescribeObject(out, path + "/Nvlink", gpus->GetNvlink(), NvlinkSwitch::GetTypeId());
        }
    }
    return out.str();
}

std::string
RunAttributes::GetModuleVersion()
{
    return "0.1.0";
}

std::string
RunAttributes::GetNs3Version()
{
#ifdef NS3_VERSION_MAJOR
    return std::to_string(NS3_VERSION_MAJOR) + "." + std::to_string(NS3_VERSION_MINOR);
#else
    return "before 3.37";
#endif
}

} // namespace llmfabric
} // namespace ns3
