/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_SECTION_H
#define SCENARIO_SECTION_H

#include "scenario-node.h"
#include "scenario-spec.h"
#include "scenario-value.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A map of a scenario whose known keys are read one by one, each as its type.
 *
 * Making one refuses unknown keys. A Read method leaves the value it is given as it is when the
 * key is absent, so defaults stay where they are declared. Every UserError says where the value
 * stands.
 */
class ScenarioSection
{
  public:
    /**
     * @param node the map; nullptr for a section that is absent
     * @param keyPath its path; empty for the whole scenario
     * @param known the keys it may hold
     * @param scenario knows where each value stands; must outlive this
     * @throws UserError when the node is no map or holds an unknown key
     */
    ScenarioSection(const ScenarioNode* node,
                    const std::string& keyPath,
                    const std::vector<std::string>& known,
                    const Scenario& scenario);

    /**
     * @param key a known key
     * @param known the keys that the map at that key may hold
     * @return that map, without keys when it is absent
     */
    ScenarioSection GetSection(const std::string& key, const std::vector<std::string>& known) const;

    /**
     * @param key a known key
     * @return the map at that key, whose keys are free; without keys when it is absent
     */
    ScenarioSection GetFreeSection(const std::string& key) const;

    /// @return the keys it may hold; of a free section those that it holds
    const std::vector<std::string>& GetKeys() const;

    /**
     * @param key a known key
     * @return whether it has a value that is not null
     */
    bool Has(const std::string& key) const;

    /**
     * @param key a known key
     * @return what stands there; NONE when it is absent
     */
    ScenarioNode::Kind GetKind(const std::string& key) const;

    /**
     * Say where something is missing, for a message.
     *
     * @param key a known key; empty for the section itself
     * @return its place and key path; when it is absent, the place of the next section around it
     *         that is there
     */
    std::string GetPlace(const std::string& key) const;

    /**
     * @param key a known key
     * @throws UserError when it has no value
     */
    void Require(const std::string& key) const;

    /**
     * @param key a known key
     * @return the items of the list there; empty when it is absent
     */
    std::vector<ScenarioNode> GetItems(const std::string& key) const;

    /**
     * @param key a known key
     * @param [in,out] value the text there, not empty
     */
    void ReadText(const std::string& key, std::string& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the text there, not empty; nothing when it is absent
     */
    void ReadText(const std::string& key, std::optional<std::string>& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the text there
     * @param allowed what it may be
     * @param other what else may stand at the key, for the message; empty: nothing
     */
    void ReadChoice(const std::string& key,
                    std::string& value,
                    const std::vector<std::string>& allowed,
                    const std::string& other = "") const;

    /**
     * @tparam T type of the value
     * @param key a known key
     * @param [in,out] value what the name there stands for
     * @param names the names that are allowed, each with its value
     * @param other what else may stand at the key, for the message; empty: nothing
     */
    template <typename T>
    void ReadName(const std::string& key,
                  T& value,
                  const std::vector<std::pair<std::string, T>>& names,
                  const std::string& other = "") const;

    /**
     * Read the items of a list, each a scalar.
     *
     * @param key a known key
     * @param kind what an item should be, e.g. "a whole number", for the message
     * @param take called for the text of each item; its UserError is told the place of the item
     */
    void ReadEach(const std::string& key,
                  const std::string& kind,
                  const std::function<void(const std::string& text)>& take) const;

    /**
     * @param key a known key
     * @param [in,out] value the size there, in bytes
     * @param smallest smallest size allowed, in bytes
     */
    void ReadSize(const std::string& key, uint64_t& value, uint64_t smallest) const;

    /**
     * @param key a known key
     * @param [in,out] value the size there, in bytes, 1 to 2^32 - 1
     */
    void ReadSize(const std::string& key, uint32_t& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the size there, in bytes, at least 1; nothing when it is absent
     */
    void ReadSize(const std::string& key, std::optional<uint64_t>& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the bytes per value there: 1, 2, 4 or 8
     */
    void ReadValueBytes(const std::string& key, uint32_t& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the whole number there
     * @param smallest smallest number allowed
     * @param largest largest number allowed
     */
    void ReadCount(const std::string& key,
                   uint64_t& value,
                   uint64_t smallest,
                   uint64_t largest = std::numeric_limits<uint64_t>::max()) const;

    /**
     * @param key a known key
     * @param [in,out] value the whole number there
     * @param smallest smallest number allowed
     * @param largest largest number allowed
     */
    void ReadCount(const std::string& key,
                   uint32_t& value,
                   uint32_t smallest,
                   uint32_t largest = std::numeric_limits<uint32_t>::max()) const;

    /**
     * @param key a known key
     * @param [in,out] value the whole number there; nothing when it is absent
     * @param smallest smallest number allowed
     * @param largest largest number allowed
     */
    void ReadCount(const std::string& key,
                   std::optional<uint64_t>& value,
                   uint64_t smallest = 1,
                   uint64_t largest = std::numeric_limits<uint64_t>::max()) const;

    /**
     * @param key a known key
     * @param [in,out] value the whole number there, at least 1; nothing when it is absent
     */
    void ReadCount(const std::string& key, std::optional<uint32_t>& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the time there
     */
    void ReadTime(const std::string& key, Time& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the time there; nothing when it is absent
     */
    void ReadTime(const std::string& key, std::optional<Time>& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the rate there
     */
    void ReadRate(const std::string& key, DataRate& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the rate there; nothing when it is absent
     */
    void ReadRate(const std::string& key, std::optional<DataRate>& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the number there
     * @param range the numbers that are allowed
     */
    void ReadNumber(const std::string& key, double& value, const NumberRange& range) const;

    /**
     * @param key a known key
     * @param [in,out] value the number there; nothing when it is absent
     * @param range the numbers that are allowed
     */
    void ReadNumber(const std::string& key,
                    std::optional<double>& value,
                    const NumberRange& range) const;

    /**
     * @param key a known key
     * @param [in,out] value the probability there, 0 to 1
     */
    void ReadProbability(const std::string& key, double& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the boolean there
     */
    void ReadBool(const std::string& key, bool& value) const;

    /**
     * @param key a known key
     * @param [in,out] value the boolean there; nothing when it is absent
     */
    void ReadBool(const std::string& key, std::optional<bool>& value) const;

  private:
    /// Refuse keys that are not known.
    void CheckKeys() const;

    /**
     * @param node a value
     * @param keyPath its path
     * @param kind what it should be, e.g. "a time", for the message
     * @return its text
     * @throws UserError when it is no scalar
     */
    const std::string& GetText(const ScenarioNode& node,
                               const std::string& keyPath,
                               const std::string& kind) const;

    /**
     * @param key a known key
     * @param kind what the value should be, e.g. "a time", for the message
     * @return the text there, or nullptr when the key is absent
     */
    const std::string* FindText(const std::string& key, const std::string& kind) const;

    /**
     * Read a value, and say where it stands when it is bad.
     *
     * @tparam T type of the value
     * @tparam Parser takes the text, returns the value
     * @param key a known key
     * @param [in,out] value the value there
     * @param kind what it should be, for the message
     * @param parse makes a value of the text
     */
    template <typename T, typename Parser>
    void Read(const std::string& key, T& value, const std::string& kind, Parser parse) const;

    const ScenarioNode* m_node;       //!< the map, or nullptr
    std::string m_keyPath;            //!< its path
    std::vector<std::string> m_known; //!< the keys it may hold
    const Scenario* m_scenario;       //!< knows where each value stands
};

template <typename T>
void
ScenarioSection::ReadName(const std::string& key,
                          T& value,
                          const std::vector<std::pair<std::string, T>>& names,
                          const std::string& other) const
{
    std::vector<std::string> allowed;
    for (const auto& [name, meaning] : names)
    {
        allowed.push_back(name);
    }
    std::string text;
    ReadChoice(key, text, allowed, other);
    for (const auto& [name, meaning] : names)
    {
        value = name == text ? meaning : value;
    }
}

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_SECTION_H */
