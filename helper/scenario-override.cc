/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-override.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// What messages call the place of an override.
const std::string SOURCE = "--set";

/**
 * @param path keys with dots between them
 * @return the keys
 */
std::vector<std::string>
SplitPath(const std::string& path)
{
    static const std::string attributes = "attributes.";
    if (path.compare(0, attributes.size(), attributes) == 0)
    {
        return {"attributes", path.substr(attributes.size())};
    }
    std::vector<std::string> keys{""};
    for (const char c : path)
    {
        if (c == '.')
        {
            keys.emplace_back();
        }
        else
        {
            keys.back() += c;
        }
    }
    return keys;
}

} // namespace

ScenarioOverride::ScenarioOverride(const std::string& text)
{
    const std::string action = "write --set=path=value, e.g. --set=cluster.nodes=16";
    const auto equals = text.find('=');
    if (equals == std::string::npos)
    {
        throw UserError("'" + text + "' holds no '='", SOURCE, action);
    }
    const std::string path = text.substr(0, equals);
    const std::string where = SOURCE + " (" + path + ")";
    m_keys = SplitPath(path);
    for (const auto& key : m_keys)
    {
        if (key.empty())
        {
            throw UserError("the path '" + path + "' holds an empty key", SOURCE, action);
        }
    }
    if (m_keys.front() != "attributes" && path.find('[') != std::string::npos)
    {
        throw UserError("an item of a list can't be overridden alone",
                        where,
                        "set the whole list, e.g. --set='flows=[{from: 0, to: 1, bytes: 1MB}]'");
    }
    m_value = ScenarioNode::Parse(text.substr(equals + 1), where, false);
    m_value.SetPosition(SOURCE);
}

void
ScenarioOverride::Apply(ScenarioNode& root) const
{
    root.Set(m_keys, m_value);
}

} // namespace llmfabric
} // namespace ns3
