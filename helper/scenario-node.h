/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_NODE_H
#define SCENARIO_NODE_H

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

struct ScenarioEntry;

/**
 * @ingroup llm-fabric
 * A value of a scenario, not yet typed, that knows where it stands.
 *
 * It is a null, a scalar (a text), a list of values, or a map whose keys differ and keep the order
 * of the file.
 */
struct ScenarioNode
{
    /// What a value is.
    enum Kind
    {
        NONE,   //!< null: counts as absent
        SCALAR, //!< a text
        LIST,   //!< values in order
        MAP     //!< keys with values, in order
    };

    /**
     * Read a YAML text, and so a JSON text too.
     *
     * @param text the text, one document
     * @param source what to call it in messages; with isFile, line and column are added
     * @param isFile whether line and column mean something to the user
     * @return the value; null when the text holds none
     * @throws UserError for a syntax error, a doubled key, a second document
     */
    static ScenarioNode Parse(const std::string& text, const std::string& source, bool isFile);

    /**
     * @param key a key
     * @return its value, or nullptr when this is no map, or has no such key or null there
     */
    const ScenarioNode* Find(const std::string& key) const;

    /**
     * Set the value at a path, which makes the maps on the way that are not there yet.
     *
     * @param keys the keys from here to the value, at least one
     * @param value what to put there
     */
    void Set(const std::vector<std::string>& keys, const ScenarioNode& value);

    /**
     * Say that this value, with all in it, stands at one place.
     *
     * @param place the place
     */
    void SetPosition(const std::string& place);

    /**
     * Say where each value in this one stands.
     *
     * @param keyPath the path of this value; empty for the whole scenario
     * @param [out] positions place ("a.yaml:3:5" or "--set") by key path; keys whose
     *        value is null are left out
     */
    void CollectPositions(const std::string& keyPath,
                          std::map<std::string, std::string>& positions) const;

    /// @return this value as YAML
    std::string ToYaml() const;

    Kind kind{NONE};                    //!< what this value is
    std::string text;                   //!< SCALAR: the text
    std::vector<ScenarioNode> items;    //!< LIST: the values
    std::vector<ScenarioEntry> entries; //!< MAP: the keys and their values
    std::string position;               //!< where it begins: "a.yaml:3:5" or "--set"
};

/**
 * @ingroup llm-fabric
 * A key of a map with its value.
 */
struct ScenarioEntry
{
    std::string key;         //!< the key
    std::string keyPosition; //!< where the key stands: "a.yaml:3:5" or "--set"
    ScenarioNode value;      //!< the value
};

/**
 * @param parent the path of a map; empty for the whole scenario
 * @param key a key in it
 * @return the path of the key's value
 */
std::string JoinKeyPath(const std::string& parent, const std::string& key);

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_NODE_H */
