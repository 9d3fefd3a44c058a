/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_LINE_H
#define SCHEDULE_LINE_H

#include "ns3/user-error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A line of a schedule file: a JSON object of numbers, words and lists of numbers, no deeper.
 *
 * Each mistake is a UserError that does not say where it stands. The object can be used for one
 * line after the other, so that a long file needs no new memory for each.
 */
class ScheduleLine
{
  public:
    /**
     * Take a line.
     *
     * @param text the line
     * @throws UserError if it is no JSON object, holds a key twice, or is nested deeper
     */
    void Parse(const std::string& text);

    /**
     * @param required keys that must be there
     * @param optional keys that may be there
     * @throws UserError for any other key, and for a missing one
     */
    void CheckKeys(const std::vector<std::string>& required,
                   const std::vector<std::string>& optional) const;

    /**
     * @param known keys that may be there
     * @throws UserError for any other key
     */
    void CheckKnown(const std::vector<std::string>& known) const;

    /**
     * @param key a key
     * @return whether it is there
     */
    bool Has(const std::string& key) const;

    /**
     * @param key a key
     * @return whether a whole number stands there
     */
    bool HasNumber(const std::string& key) const;

    /**
     * @param key a key that is there
     * @param least the least value that is allowed
     * @param most the largest one
     * @return its value
     * @throws UserError if it is anything but a whole number from least to most
     */
    uint64_t GetNumber(const std::string& key, uint64_t least, uint64_t most) const;

    /**
     * @param key a key that is there
     * @return its value
     * @throws UserError if it is anything but a text that is not empty
     */
    const std::string& GetWord(const std::string& key) const;

    /**
     * @param key a key that is there
     * @return its value, of a number its digits
     * @throws UserError if it is anything but a text that is not empty, or a whole number of 32
     *         bits
     */
    std::string GetLabel(const std::string& key) const;

    /**
     * @param key a key that is there
     * @param most the largest number that is allowed
     * @return its value
     * @throws UserError if it is anything but a list of whole numbers from 0 to most
     */
    std::vector<uint32_t> GetNumbers(const std::string& key, uint32_t most) const;

    /**
     * @param key a key that is there
     * @return its value
     * @throws UserError if it is anything but a list of numbers from 0 to 1
     */
    std::vector<double> GetFractions(const std::string& key) const;

  private:
    /// Takes the parts of a line from the JSON parser.
    class Handler;

    /// A value that is no list.
    struct Scalar
    {
        /// What it is.
        enum class Type
        {
            WHOLE,    //!< a whole number of 64 bits, not negative
            FRACTION, //!< any other number
            WORD,     //!< a text
            OTHER     //!< anything else
        };

        Type type{Type::OTHER}; //!< what it is
        uint64_t whole{0};      //!< of WHOLE: its value
        double fraction{0};     //!< of WHOLE and FRACTION: its value
        std::string text;       //!< of WORD: its value; of FRACTION and OTHER: how it is written
    };

    /// A key and what stands there.
    struct Field
    {
        std::string key;            //!< the key
        bool isList{false};         //!< whether the value is a list
        std::vector<Scalar> values; //!< the items of the list, or the one value
    };

    /**
     * @param key a key
     * @return the field, or nullptr
     */
    const Field* Find(const std::string& key) const;

    /**
     * @param key a key that is there
     * @return the field
     */
    const Field& Get(const std::string& key) const;

    /**
     * @param what the value, e.g. "'rank'"
     * @param wanted what should stand there, e.g. "a text"
     * @param given what stands there
     * @return the mistake
     */
    static UserError Mistake(const std::string& what,
                             const std::string& wanted,
                             const std::string& given);

    /**
     * @param field a field
     * @return how its value is written in the line
     */
    static std::string Spell(const Field& field);

    /**
     * @param value a value
     * @return how it is written in the line
     */
    static std::string Spell(const Scalar& value);

    std::vector<Field> m_fields; //!< the fields; those after m_count are left from longer lines
    std::size_t m_count{0};      //!< fields of the line
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCHEDULE_LINE_H */
