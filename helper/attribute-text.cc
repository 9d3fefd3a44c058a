/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "attribute-text.h"

#include "scenario-value.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/object.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <cmath>
#include <cstdlib>
#include <regex>

namespace ns3
{
namespace llmfabric
{

namespace
{

bool
Matches(const std::string& text, const char* pattern)
{
    return std::regex_match(text, std::regex(pattern));
}

bool
IsFiniteNumber(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value);
}

/** @return true if text is "ns3::Class" or "ns3::Class[Attribute=value|...]" */
bool
IsObject(const std::string& text)
{
    const std::size_t bracket = text.find('[');
    TypeId tid;
    if (text == "0" || !TypeId::LookupByNameFailSafe(text.substr(0, bracket), &tid) ||
        !tid.HasConstructor())
    {
        return text == "0";
    }
    if (bracket == std::string::npos)
    {
        return true;
    }
    if (text.back() != ']')
    {
        return false;
    }
    std::string rest = text.substr(bracket + 1, text.size() - bracket - 2) + "|";
    for (std::size_t bar = rest.find('|'); bar != std::string::npos; bar = rest.find('|'))
    {
        const std::string one = rest.substr(0, bar);
        TypeId::AttributeInformation attribute;
        if (!one.empty() && (one.find('=') == std::string::npos ||
                             !tid.LookupAttributeByName(one.substr(0, one.find('=')), &attribute)))
        {
            return false;
        }
        rest.erase(0, bar + 1);
    }
    return true;
}

/** @return true if text names a class that the attribute, named as its base, may hold */
bool
IsClass(const std::string& name, const std::string& text)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(text, &tid) || !tid.HasConstructor())
    {
        return false;
    }
    TypeId base;
    return !TypeId::LookupByNameFailSafe("ns3::llmfabric::" + name, &base) || tid.IsChildOf(base);
}

/** @return true if the attribute is a rate whose default is 0, so that 0 means something */
bool
HasZeroDefault(const TypeId::AttributeInformation& attribute)
{
    return attribute.originalInitialValue->SerializeToString(attribute.checker) == "0bps";
}

} // namespace

void
AttributeText::Check(const std::string& name,
                     Ptr<const AttributeChecker> checker,
                     const std::string& text,
                     bool mayBeZero)
{
    // Some of ns-3's names have the namespace, some do not.
    const std::string full = checker->GetValueTypeName();
    const std::string type = full.substr(full.rfind(':') + 1);
    bool good = true;
    if (type == "UintegerValue")
    {
        good = Matches(text, "[0-9]+");
    }
    else if (type == "IntegerValue")
    {
        good = Matches(text, "[-+]?[0-9]+");
    }
    else if (type == "DoubleValue")
    {
        good = IsFiniteNumber(text);
    }
    else if (type == "BooleanValue")
    {
        good = Matches(text, "true|false|t|f|1|0");
    }
    else if (type == "TimeValue")
    {
        ScenarioValue::ParseTime(text);
    }
    else if (type == "DataRateValue" && !(mayBeZero && Matches(text, "0+[A-Za-z/]*")))
    {
        ScenarioValue::ParseRate(text);
    }
    else if (type == "TypeIdValue")
    {
        good = IsClass(name, text);
    }
    else if (type == "PointerValue")
    {
        good = IsObject(text);
    }
    else if (type == "Ipv4AddressValue")
    {
        good = Matches(text, "[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    }
    if (!good)
    {
        throw UserError("'" + text + "' is no value of the attribute " + name,
                        "",
                        "it takes a " + type);
    }
}

bool
AttributeText::LookUp(const std::string& name, TypeId::AttributeInformation& found)
{
    const std::size_t colons = name.rfind("::");
    TypeId tid;
    return colons != std::string::npos &&
           TypeId::LookupByNameFailSafe(name.substr(0, colons), &tid) &&
           tid.LookupAttributeByName(name.substr(colons + 2), &found);
}

void
AttributeText::SetDefault(const std::string& name, const std::string& text)
{
    TypeId::AttributeInformation attribute;
    if (!LookUp(name, attribute))
    {
        throw UserError("there is no attribute '" + name + "'",
                        "",
                        "write ns3::Class::Attribute as the class has it");
    }
    Check(attribute.name, attribute.checker, text, HasZeroDefault(attribute));
    if (!Config::SetDefaultFailSafe(name, StringValue(text)))
    {
        throw UserError("'" + text + "' is out of the range of the attribute " + attribute.name,
                        "",
                        "it takes " + attribute.checker->GetUnderlyingTypeInformation());
    }
}

void
AttributeText::SetByPath(const std::string& path, const std::string& text)
{
    const std::size_t slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    const Config::MatchContainer matches = Config::LookupMatches(path.substr(0, slash));
    bool found = false;
    for (std::size_t i = 0; i < matches.GetN(); ++i)
    {
        TypeId::AttributeInformation attribute;
        if (matches.Get(i)->GetInstanceTypeId().LookupAttributeByName(name, &attribute))
        {
            found = true;
            Check(name, attribute.checker, text, HasZeroDefault(attribute));
        }
    }
    if (!found)
    {
        throw UserError("no object with an attribute " + name + " is at that path",
                        "",
                        "e.g. /NodeList/0/DeviceList/0/$ns3::llmfabric::RoceNic/Mtu");
    }
    if (!Config::SetFailSafe(path, StringValue(text)))
    {
        throw UserError("'" + text + "' is out of the range of the attribute " + name,
                        "",
                        "see the attribute's help in the manual of its class");
    }
}

void
AttributeText::SetGlobal(const std::string& name, const std::string& text)
{
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        if ((*global)->GetName() == name)
        {
            Check(name, (*global)->GetChecker(), text, true);
            if (GlobalValue::BindFailSafe(name, StringValue(text)))
            {
                return;
            }
        }
    }
    throw UserError("unknown option '--" + name + "', or it does not take '" + text + "'",
                    "",
                    "see --help");
}

} // namespace llmfabric
} // namespace ns3
