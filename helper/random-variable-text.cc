/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "random-variable-text.h"

#include "ns3/integer.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param text a text
 * @return whether it is a finite number and nothing else
 */
bool
IsNumber(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value);
}

/**
 * @param checker checker of an attribute
 * @param text a text
 * @return whether it reads as a value of the attribute, be it out of range
 */
bool
IsValue(const Ptr<const AttributeChecker>& checker, const std::string& text)
{
    const std::string full = checker->GetValueTypeName();
    const std::string type = full.substr(full.rfind(':') + 1);
    if (type == "DoubleValue")
    {
        return IsNumber(text);
    }
    if (type == "BooleanValue")
    {
        return text == "true" || text == "false";
    }
    const bool digits =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return (type == "IntegerValue" || type == "UintegerValue") && digits && !text.empty() &&
           text.size() <= 18;
}

/**
 * @param name name of a parameter of NormalRandomVariable
 * @param text its value, a number
 * @return whether ns-3 would look for a value for ever
 */
bool
IsEndless(const std::string& name, const std::string& text)
{
    const double value = std::strtod(text.c_str(), nullptr);
    return (name == "Variance" && value < 0) || (name == "Bound" && value <= 0);
}

} // namespace

RandomVariableText::RandomVariableText(const std::string& text)
{
    const std::size_t bracket = text.find('[');
    SetClass(text.substr(0, bracket));
    std::string rest;
    if (bracket != std::string::npos)
    {
        if (text.back() != ']')
        {
            throw UserError("'" + text + "' does not end with ']'",
                            "",
                            "write Class[Name=value|...]");
        }
        rest = text.substr(bracket + 1, text.size() - bracket - 2);
    }
    while (!rest.empty())
    {
        const std::size_t bar = rest.find('|');
        SetParameter(rest.substr(0, bar));
        rest.erase(0, bar == std::string::npos ? bar : bar + 1);
    }
    if (!std::isfinite(Create(0)->GetValue()))
    {
        throw UserError("'" + text + "' does not give finite numbers", "", "mend its parameters");
    }
}

void
RandomVariableText::SetClass(const std::string& name)
{
    const std::string full = name.find(':') == std::string::npos ? "ns3::" + name : name;
    TypeId tid;
    // The values of these two can't be given by text.
    const bool empty =
        full == "ns3::EmpiricalRandomVariable" || full == "ns3::DeterministicRandomVariable";
    if (empty || !TypeId::LookupByNameFailSafe(full, &tid) || !tid.HasConstructor() ||
        !tid.IsChildOf(RandomVariableStream::GetTypeId()))
    {
        throw UserError("'" + name + "' is no class of random variables",
                        "",
                        "e.g. ns3::NormalRandomVariable[Mean=1|Variance=0.01]");
    }
    m_factory.SetTypeId(tid);
}

void
RandomVariableText::SetParameter(const std::string& text)
{
    const std::size_t equal = text.find('=');
    const std::string name = text.substr(0, equal);
    const std::string value = equal == std::string::npos ? "" : text.substr(equal + 1);
    TypeId::AttributeInformation attribute;
    if (!m_factory.GetTypeId().LookupAttributeByName(name, &attribute))
    {
        throw UserError(m_factory.GetTypeId().GetName() + " has no parameter '" + name + "'",
                        "",
                        "write Class[Name=value|...]");
    }
    const bool normal = m_factory.GetTypeId() == NormalRandomVariable::GetTypeId();
    if (!IsValue(attribute.checker, value) ||
        !attribute.checker->CreateValidValue(StringValue(value)) ||
        (normal && IsEndless(name, value)))
    {
        throw UserError("'" + value + "' is no value of the parameter " + name, "", "");
    }
    m_factory.Set(name, StringValue(value));
}

Ptr<RandomVariableStream>
RandomVariableText::Create(int64_t stream) const
{
    ObjectFactory factory = m_factory;
    factory.Set("Stream", IntegerValue(stream)); // else it would take a number from ns-3's counter
    return factory.Create<RandomVariableStream>();
}

} // namespace llmfabric
} // namespace ns3
