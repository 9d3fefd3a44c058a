/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORD_CHOICE_H
#define WORD_CHOICE_H

#include "ns3/user-error.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The words of an attribute that has a few named values. (ns-3's EnumValue changed its form in
 * 3.41, so such attributes are strings here.)
 *
 * @tparam E the enumeration
 */
template <typename E>
class WordChoice
{
  public:
    /**
     * @param attribute full name of the attribute, for errors
     * @param words each value's word
     */
    WordChoice(std::string attribute, std::vector<std::pair<std::string, E>> words)
        : m_attribute(std::move(attribute)),
          m_words(std::move(words))
    {
    }

    /**
     * @param word a word
     * @return its value
     * @throws UserError if there is no such word
     */
    E Find(const std::string& word) const
    {
        std::string known;
        for (const auto& [one, value] : m_words)
        {
            if (one == word)
            {
                return value;
            }
            known += (known.empty() ? "" : ", ") + one;
        }
        throw UserError("'" + word + "' is no value of it", m_attribute, "choose one of " + known);
    }

    /**
     * @param value a value
     * @return its word
     */
    std::string GetWord(E value) const
    {
        for (const auto& [word, one] : m_words)
        {
            if (one == value)
            {
                return word;
            }
        }
        return "";
    }

  private:
    std::string m_attribute;                        //!< its full name
    std::vector<std::pair<std::string, E>> m_words; //!< each value's word
};

} // namespace llmfabric
} // namespace ns3

#endif /* WORD_CHOICE_H */
