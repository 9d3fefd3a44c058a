/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-node.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <yaml-cpp/yaml.h>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Turns yaml-cpp's nodes into ScenarioNodes.
class YamlWalk
{
  public:
    /**
     * @param source what to call the text
     * @param isFile whether to add line and column
     */
    YamlWalk(const std::string& source, bool isFile)
        : m_source(source),
          m_isFile(isFile)
    {
    }

    /**
     * @param mark a place, counted from 0 by yaml-cpp
     * @return the place as the user reads it, counted from 1
     */
    std::string Place(const YAML::Mark& mark) const
    {
        if (!m_isFile || mark.is_null())
        {
            return m_source;
        }
        return m_source + ":" + std::to_string(mark.line + 1) + ":" +
               std::to_string(mark.column + 1);
    }

    /**
     * @param yaml a value
     * @param keyPath its path
     * @param depth how many maps and lists it stands in
     * @return the value
     */
    ScenarioNode Convert(const YAML::Node& yaml, const std::string& keyPath, int depth) const
    {
        // An alias of a map that holds it has no end.
        static constexpr int MAX_DEPTH = 16;
        ScenarioNode node;
        node.position = Place(yaml.Mark());
        if (depth > MAX_DEPTH)
        {
            throw UserError("the value is nested too deep", node.position, "no key needs that");
        }
        if (yaml.IsScalar())
        {
            node.kind = ScenarioNode::SCALAR;
            node.text = yaml.Scalar();
        }
        else if (yaml.IsSequence())
        {
            node.kind = ScenarioNode::LIST;
            for (const auto& item : yaml)
            {
                const std::string path = keyPath + "[" + std::to_string(node.items.size()) + "]";
                node.items.push_back(Convert(item, path, depth + 1));
            }
        }
        else if (yaml.IsMap())
        {
            node.kind = ScenarioNode::MAP;
            for (const auto& entry : yaml)
            {
                node.entries.push_back(ConvertEntry(entry, keyPath, depth));
                CheckLastKey(node, keyPath);
            }
        }
        return node;
    }

  private:
    /**
     * @param yaml a key and its value
     * @param keyPath the path of the map it stands in
     * @param depth how many maps and lists that map stands in
     * @return the entry
     */
    ScenarioEntry ConvertEntry(const YAML::const_iterator::value_type& yaml,
                               const std::string& keyPath,
                               int depth) const
    {
        ScenarioEntry entry;
        entry.keyPosition = Place(yaml.first.Mark());
        if (!yaml.first.IsScalar())
        {
            throw UserError("a key is not a text", entry.keyPosition, "write key: value");
        }
        entry.key = yaml.first.Scalar();
        entry.value = Convert(yaml.second, JoinKeyPath(keyPath, entry.key), depth + 1);
        return entry;
    }

    /**
     * Refuse a key that stands twice, of which yaml-cpp says nothing.
     *
     * @param map a map whose last entry is new
     * @param keyPath its path
     */
    void CheckLastKey(const ScenarioNode& map, const std::string& keyPath) const
    {
        const auto& last = map.entries.back();
        const auto first =
            std::find_if(map.entries.begin(), map.entries.end(), [&last](const auto& entry) {
                return entry.key == last.key;
            });
        if (&*first != &last)
        {
            throw UserError("key '" + last.key + "' is doubled, it stands at " +
                                first->keyPosition + " already",
                            last.keyPosition + " (" + JoinKeyPath(keyPath, last.key) + ")",
                            "remove one of the two");
        }
    }

    std::string m_source; //!< what to call the text
    bool m_isFile;        //!< whether to add line and column
};

/**
 * @param [in,out] out where to write
 * @param node the value to write
 */
void
Emit(YAML::Emitter& out, const ScenarioNode& node)
{
    switch (node.kind)
    {
    case ScenarioNode::NONE:
        out << YAML::Null;
        break;
    case ScenarioNode::SCALAR:
        out << node.text;
        break;
    case ScenarioNode::LIST:
        out << YAML::BeginSeq;
        for (const auto& item : node.items)
        {
            Emit(out, item);
        }
        out << YAML::EndSeq;
        break;
    case ScenarioNode::MAP:
        out << YAML::BeginMap;
        for (const auto& entry : node.entries)
        {
            out << YAML::Key << entry.key << YAML::Value;
            Emit(out, entry.value);
        }
        out << YAML::EndMap;
        break;
    }
}

} // namespace

ScenarioNode
ScenarioNode::Parse(const std::string& text, const std::string& source, bool isFile)
{
    const YamlWalk walk(source, isFile);
    try
    {
        const auto documents = YAML::LoadAll(text);
        if (documents.size() > 1)
        {
            throw UserError("a second document begins",
                            walk.Place(documents[1].Mark()),
                            "write one document");
        }
        return documents.empty() ? ScenarioNode() : walk.Convert(documents[0], "", 0);
    }
    catch (const YAML::Exception& error)
    {
        throw UserError("syntax error: " + error.msg,
                        walk.Place(error.mark),
                        "write valid YAML (indent by spaces) or JSON");
    }
}

const ScenarioNode*
ScenarioNode::Find(const std::string& key) const
{
    for (const auto& entry : entries)
    {
        if (entry.key == key)
        {
            return entry.value.kind == NONE ? nullptr : &entry.value;
        }
    }
    return nullptr;
}

void
ScenarioNode::Set(const std::vector<std::string>& keys, const ScenarioNode& value)
{
    ScenarioNode* node = this;
    for (const auto& key : keys)
    {
        if (node->kind != MAP)
        {
            *node = ScenarioNode();
            node->kind = MAP;
            node->position = value.position;
        }
        auto entry = std::find_if(node->entries.begin(),
                                  node->entries.end(),
                                  [&key](const auto& candidate) { return candidate.key == key; });
        if (entry == node->entries.end())
        {
            entry = node->entries.insert(entry, ScenarioEntry{key, value.position, {}});
        }
        node = &entry->value;
        if (&key == &keys.back())
        {
            entry->keyPosition = value.position;
        }
    }
    *node = value;
}

void
ScenarioNode::SetPosition(const std::string& place)
{
    position = place;
    for (auto& item : items)
    {
        item.SetPosition(place);
    }
    for (auto& entry : entries)
    {
        entry.keyPosition = place;
        entry.value.SetPosition(place);
    }
}

void
ScenarioNode::CollectPositions(const std::string& keyPath,
                               std::map<std::string, std::string>& positions) const
{
    positions.emplace(keyPath, position);
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        items[i].CollectPositions(keyPath + "[" + std::to_string(i) + "]", positions);
    }
    for (const auto& entry : entries)
    {
        const std::string path = JoinKeyPath(keyPath, entry.key);
        if (entry.value.kind == MAP || entry.value.kind == LIST)
        {
            // The key of a section says more than the first key in it.
            positions.emplace(path, entry.keyPosition);
        }
        if (entry.value.kind != NONE)
        {
            entry.value.CollectPositions(path, positions);
        }
    }
}

std::string
ScenarioNode::ToYaml() const
{
    YAML::Emitter out;
    Emit(out, *this);
    return std::string(out.c_str()) + "\n";
}

std::string
JoinKeyPath(const std::string& parent, const std::string& key)
{
    return parent.empty() ? key : parent + "." + key;
}

} // namespace llmfabric
} // namespace ns3
