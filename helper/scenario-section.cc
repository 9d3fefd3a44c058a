/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-section.h"

#include "scenario-words.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

ScenarioSection::ScenarioSection(const ScenarioNode* node,
                                 const std::string& keyPath,
                                 const std::vector<std::string>& known,
                                 const Scenario& scenario)
    : m_node(node),
      m_keyPath(keyPath),
      m_known(known),
      m_scenario(&scenario)
{
    if (m_node && m_node->kind != ScenarioNode::MAP)
    {
        throw UserError("this is not a map",
                        m_scenario->Where(m_keyPath),
                        "write keys with values" +
                            (m_known.empty() ? "" : ", allowed: " + JoinWords(m_known)));
    }
    CheckKeys();
}

void
ScenarioSection::CheckKeys() const
{
    if (!m_node)
    {
        return;
    }
    for (const auto& entry : m_node->entries)
    {
        if (std::find(m_known.begin(), m_known.end(), entry.key) == m_known.end())
        {
            throw UserError("unknown key '" + entry.key + "'" + SuggestWord(entry.key, m_known),
                            entry.keyPosition + " (" + JoinKeyPath(m_keyPath, entry.key) + ")",
                            "allowed: " + JoinWords(m_known));
        }
    }
}

ScenarioSection
ScenarioSection::GetSection(const std::string& key, const std::vector<std::string>& known) const
{
    return ScenarioSection(m_node ? m_node->Find(key) : nullptr,
                           JoinKeyPath(m_keyPath, key),
                           known,
                           *m_scenario);
}

ScenarioSection
ScenarioSection::GetFreeSection(const std::string& key) const
{
    std::vector<std::string> keys;
    if (Has(key))
    {
        for (const auto& entry : m_node->Find(key)->entries)
        {
            keys.push_back(entry.key);
        }
    }
    return GetSection(key, keys);
}

const std::vector<std::string>&
ScenarioSection::GetKeys() const
{
    return m_known;
}

bool
ScenarioSection::Has(const std::string& key) const
{
    return GetKind(key) != ScenarioNode::NONE;
}

ScenarioNode::Kind
ScenarioSection::GetKind(const std::string& key) const
{
    NS_ABORT_MSG_IF(std::find(m_known.begin(), m_known.end(), key) == m_known.end(),
                    "key " << key << " is read but not known");
    const ScenarioNode* node = m_node ? m_node->Find(key) : nullptr;
    return node ? node->kind : ScenarioNode::NONE;
}

std::string
ScenarioSection::GetPlace(const std::string& key) const
{
    const std::string path = key.empty() ? m_keyPath : JoinKeyPath(m_keyPath, key);
    std::string there = path;
    while (m_scenario->positions.find(there) == m_scenario->positions.end() && !there.empty())
    {
        const auto dot = there.rfind('.');
        there = dot == std::string::npos ? "" : there.substr(0, dot);
    }
    return m_scenario->positions.at(there) + " (" + path + ")";
}

void
ScenarioSection::Require(const std::string& key) const
{
    if (!Has(key))
    {
        throw UserError("the required key '" + key + "' is absent", GetPlace(key), "add it");
    }
}

std::vector<ScenarioNode>
ScenarioSection::GetItems(const std::string& key) const
{
    if (!Has(key))
    {
        return {};
    }
    const ScenarioNode* list = m_node->Find(key);
    if (list->kind != ScenarioNode::LIST || list->items.empty())
    {
        throw UserError("this is not a list with items",
                        m_scenario->Where(JoinKeyPath(m_keyPath, key)),
                        "write a list, or take the key out");
    }
    return list->items;
}

const std::string&
ScenarioSection::GetText(const ScenarioNode& node,
                         const std::string& keyPath,
                         const std::string& kind) const
{
    if (node.kind != ScenarioNode::SCALAR)
    {
        const std::string found = node.kind == ScenarioNode::LIST  ? "a list"
                                  : node.kind == ScenarioNode::MAP ? "a map"
                                                                   : "nothing";
        throw UserError(found + " stands where " + kind + " should",
                        m_scenario->Where(keyPath),
                        "write " + kind);
    }
    return node.text;
}

const std::string*
ScenarioSection::FindText(const std::string& key, const std::string& kind) const
{
    return Has(key) ? &GetText(*m_node->Find(key), JoinKeyPath(m_keyPath, key), kind) : nullptr;
}

template <typename T, typename Parser>
void
ScenarioSection::Read(const std::string& key, T& value, const std::string& kind, Parser parse) const
{
    const std::string* text = FindText(key, kind);
    if (!text)
    {
        return;
    }
    try
    {
        value = parse(*text);
    }
    catch (const UserError& error)
    {
        throw error.At(m_scenario->Where(JoinKeyPath(m_keyPath, key)));
    }
}

void
ScenarioSection::ReadText(const std::string& key, std::string& value) const
{
    Read(key, value, "a text", [](const std::string& text) {
        if (text.empty())
        {
            throw UserError("the text is empty", "", "write a text, or take the key out");
        }
        return text;
    });
}

void
ScenarioSection::ReadText(const std::string& key, std::optional<std::string>& value) const
{
    if (Has(key))
    {
        value = "";
        ReadText(key, *value);
    }
}

void
ScenarioSection::ReadEach(const std::string& key,
                          const std::string& kind,
                          const std::function<void(const std::string& text)>& take) const
{
    const auto items = GetItems(key);
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const std::string path = JoinKeyPath(m_keyPath, key) + "[" + std::to_string(i) + "]";
        const std::string& text = GetText(items[i], path, kind);
        try
        {
            take(text);
        }
        catch (const UserError& error)
        {
            throw error.At(m_scenario->Where(path));
        }
    }
}

void
ScenarioSection::ReadChoice(const std::string& key,
                            std::string& value,
                            const std::vector<std::string>& allowed,
                            const std::string& other) const
{
    Read(key, value, "a name", [&key, &allowed, &other](const std::string& text) {
        if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
        {
            throw UserError("unknown " + key + " '" + text + "'" + SuggestWord(text, allowed),
                            "",
                            "allowed: " + JoinWords(allowed) + (other.empty() ? "" : ", ") + other);
        }
        return text;
    });
}

void
ScenarioSection::ReadSize(const std::string& key, uint64_t& value, uint64_t smallest) const
{
    Read(key, value, "a size", [smallest](const std::string& text) {
        return ScenarioValue::ParseSize(text, smallest, std::numeric_limits<uint64_t>::max());
    });
}

void
ScenarioSection::ReadSize(const std::string& key, uint32_t& value) const
{
    Read(key, value, "a size", [](const std::string& text) {
        return static_cast<uint32_t>(
            ScenarioValue::ParseSize(text, 1, std::numeric_limits<uint32_t>::max()));
    });
}

void
ScenarioSection::ReadSize(const std::string& key, std::optional<uint64_t>& value) const
{
    if (Has(key))
    {
        value = 0;
        ReadSize(key, *value, 1);
    }
}

void
ScenarioSection::ReadValueBytes(const std::string& key, uint32_t& value) const
{
    std::string text = std::to_string(value);
    ReadChoice(key, text, {"1", "2", "4", "8"});
    value = text[0] - '0';
}

void
ScenarioSection::ReadCount(const std::string& key,
                           uint64_t& value,
                           uint64_t smallest,
                           uint64_t largest) const
{
    Read(key, value, "a whole number", [smallest, largest](const std::string& text) {
        return ScenarioValue::ParseCount(text, smallest, largest);
    });
}

void
ScenarioSection::ReadCount(const std::string& key,
                           uint32_t& value,
                           uint32_t smallest,
                           uint32_t largest) const
{
    uint64_t wide = value;
    ReadCount(key, wide, uint64_t{smallest}, uint64_t{largest});
    value = static_cast<uint32_t>(wide);
}

void
ScenarioSection::ReadCount(const std::string& key,
                           std::optional<uint64_t>& value,
                           uint64_t smallest,
                           uint64_t largest) const
{
    if (Has(key))
    {
        value = 0;
        ReadCount(key, *value, smallest, largest);
    }
}

void
ScenarioSection::ReadCount(const std::string& key, std::optional<uint32_t>& value) const
{
    if (Has(key))
    {
        value = 0;
        ReadCount(key, *value, 1);
    }
}

void
ScenarioSection::ReadTime(const std::string& key, Time& value) const
{
    Read(key, value, "a time", &ScenarioValue::ParseTime);
}

void
ScenarioSection::ReadTime(const std::string& key, std::optional<Time>& value) const
{
    Read(key, value, "a time", &ScenarioValue::ParseTime);
}

void
ScenarioSection::ReadRate(const std::string& key, DataRate& value) const
{
    Read(key, value, "a rate", &ScenarioValue::ParseRate);
}

void
ScenarioSection::ReadRate(const std::string& key, std::optional<DataRate>& value) const
{
    Read(key, value, "a rate", &ScenarioValue::ParseRate);
}

void
ScenarioSection::ReadNumber(const std::string& key, double& value, const NumberRange& range) const
{
    Read(key, value, "a number", [&range](const std::string& text) {
        return ScenarioValue::ParseNumber(text, range);
    });
}

void
ScenarioSection::ReadNumber(const std::string& key,
                            std::optional<double>& value,
                            const NumberRange& range) const
{
    if (Has(key))
    {
        value = 0;
        ReadNumber(key, *value, range);
    }
}

void
ScenarioSection::ReadProbability(const std::string& key, double& value) const
{
    Read(key, value, "a probability", &ScenarioValue::ParseProbability);
}

void
ScenarioSection::ReadBool(const std::string& key, bool& value) const
{
    Read(key, value, "a boolean", &ScenarioValue::ParseBool);
}

void
ScenarioSection::ReadBool(const std::string& key, std::optional<bool>& value) const
{
    Read(key, value, "a boolean", &ScenarioValue::ParseBool);
}

} // namespace llmfabric
} // namespace ns3
