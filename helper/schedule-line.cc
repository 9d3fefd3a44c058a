/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-line.h"

#include "scenario-words.h"

#include "ns3/abort.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llmfabric
{

namespace
{
using Json = nlohmann::json;
}

class ScheduleLine::Handler : public nlohmann::json_sax<Json>
{
  public:
    /**
     * @param line gets the fields
     */
    explicit Handler(ScheduleLine& line)
        : m_line(line)
    {
    }

    /**
     * @param length letters of the line
     * @return what is wrong with a line that could not be parsed
     */
    UserError GetMistake(std::size_t length) const
    {
        if (!m_what.empty())
        {
            return UserError(m_what, "", "a line is {\"key\": value, ...}");
        }
        if (m_position > length)
        {
            return UserError("the line ends before its object does",
                             "",
                             "an object takes one line; if it is the last, the file was cut off");
        }
        const std::string column = std::to_string(m_position);
        if (m_noText)
        {
            return UserError("the line is not UTF-8 at column " + column, "", "save it as UTF-8");
        }
        return UserError("the line is no JSON at column " + column,
                         "",
                         "a line is {\"key\": value, ...}");
    }

    bool null() override
    {
        return Add({Scalar::Type::OTHER, 0, 0, "null"});
    }

    bool boolean(bool value) override
    {
        return Add({Scalar::Type::OTHER, 0, 0, value ? "true" : "false"});
    }

    bool number_integer(number_integer_t value) override
    {
        if (value == 0) // -0
        {
            return number_unsigned(0);
        }
        const auto fraction = static_cast<double>(value);
        return Add({Scalar::Type::FRACTION, 0, fraction, std::to_string(value)});
    }

    bool number_unsigned(number_unsigned_t value) override
    {
        return Add({Scalar::Type::WHOLE, value, static_cast<double>(value), ""});
    }

    bool number_float(number_float_t value, const string_t& spelling) override
    {
        return Add({Scalar::Type::FRACTION, 0, value, spelling});
    }

    bool string(string_t& value) override
    {
        return Add({Scalar::Type::WORD, 0, 0, std::move(value)});
    }

    bool binary(binary_t& /* value */) override
    {
        return false; // JSON has no such values
    }

    bool start_object(std::size_t /* elements */) override
    {
        if (m_inObject)
        {
            return Refuse("'" + m_line.m_fields[m_line.m_count - 1].key + "' holds an object");
        }
        m_inObject = true;
        return true;
    }

    bool key(string_t& name) override
    {
        if (m_line.Has(name))
        {
            return Refuse("key '" + name + "' stands twice");
        }
        if (m_line.m_count == m_line.m_fields.size())
        {
            m_line.m_fields.emplace_back();
        }
        Field& field = m_line.m_fields[m_line.m_count++];
        field.key = std::move(name);
        field.isList = false;
        field.values.clear();
        return true;
    }

    bool end_object() override
    {
        return true;
    }

    bool start_array(std::size_t /* elements */) override
    {
        if (!m_inObject)
        {
            return Refuse("the line is a list");
        }
        Field& field = m_line.m_fields[m_line.m_count - 1];
        if (field.isList)
        {
            return Refuse("'" + field.key + "' holds a list in a list");
        }
        field.isList = true;
        return true;
    }

    bool end_array() override
    {
        return true;
    }

    bool parse_error(std::size_t position,
                     const std::string& /* token */,
                     const nlohmann::detail::exception& error) override
    {
        m_position = position;
        m_noText = std::string(error.what()).find("UTF-8 byte") != std::string::npos;
        return false;
    }

  private:
    /**
     * @param value a value that comes next
     * @return whether it may stand there
     */
    bool Add(Scalar&& value)
    {
        if (!m_inObject)
        {
            return Refuse("the line is a value without key");
        }
        m_line.m_fields[m_line.m_count - 1].values.push_back(std::move(value));
        return true;
    }

    /**
     * @param what what is wrong
     * @return false, which stops the parser
     */
    bool Refuse(const std::string& what)
    {
        m_what = what;
        return false;
    }

    ScheduleLine& m_line;      //!< gets the fields
    bool m_inObject{false};    //!< whether the object has begun
    std::string m_what;        //!< what is wrong with the line, if it is JSON
    std::size_t m_position{0}; //!< where it is no JSON, from 1
    bool m_noText{false};      //!< whether it is no UTF-8 there
};

void
ScheduleLine::Parse(const std::string& text)
{
    m_count = 0;
    Handler handler(*this);
    if (!Json::sax_parse(text.begin(), text.end(), &handler))
    {
        throw handler.GetMistake(text.size());
    }
}

const ScheduleLine::Field*
ScheduleLine::Find(const std::string& key) const
{
    const auto end = m_fields.begin() + static_cast<std::ptrdiff_t>(m_count);
    const auto found =
        std::find_if(m_fields.begin(), end, [&](const Field& field) { return field.key == key; });
    return found == end ? nullptr : &*found;
}

const ScheduleLine::Field&
ScheduleLine::Get(const std::string& key) const
{
    const Field* field = Find(key);
    NS_ABORT_MSG_UNLESS(field, "ScheduleLine: no key " << key);
    return *field;
}

bool
ScheduleLine::Has(const std::string& key) const
{
    return Find(key) != nullptr;
}

bool
ScheduleLine::HasNumber(const std::string& key) const
{
    const Field* field = Find(key);
    return field && !field->isList && field->values[0].type == Scalar::Type::WHOLE;
}

void
ScheduleLine::CheckKnown(const std::vector<std::string>& known) const
{
    for (std::size_t i = 0; i < m_count; ++i)
    {
        const std::string& key = m_fields[i].key;
        if (std::find(known.begin(), known.end(), key) == known.end())
        {
            throw UserError("unknown key '" + key + "'" + SuggestWord(key, known),
                            "",
                            "allowed: " + JoinWords(known));
        }
    }
}

void
ScheduleLine::CheckKeys(const std::vector<std::string>& required,
                        const std::vector<std::string>& optional) const
{
    std::size_t expected = 0;
    const std::string* missing = nullptr;
    for (const std::string& key : required)
    {
        const bool has = Has(key);
        expected += has ? 1 : 0;
        missing = has || missing ? missing : &key;
    }
    for (const std::string& key : optional)
    {
        expected += Has(key) ? 1 : 0;
    }
    std::vector<std::string> known = required;
    if (expected < m_count)
    {
        known.insert(known.end(), optional.begin(), optional.end());
        CheckKnown(known);
    }
    if (missing)
    {
        throw UserError("'" + *missing + "' is missing", "", "needed: " + JoinWords(required));
    }
}

uint64_t
ScheduleLine::GetNumber(const std::string& key, uint64_t least, uint64_t most) const
{
    const Field& field = Get(key);
    if (field.isList || field.values[0].type != Scalar::Type::WHOLE ||
        field.values[0].whole < least || field.values[0].whole > most)
    {
        throw Mistake("'" + key + "'",
                      "a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most),
                      Spell(field));
    }
    return field.values[0].whole;
}

const std::string&
ScheduleLine::GetWord(const std::string& key) const
{
    const Field& field = Get(key);
    if (field.isList || field.values[0].type != Scalar::Type::WORD || field.values[0].text.empty())
    {
        throw Mistake("'" + key + "'", "a text", Spell(field));
    }
    return field.values[0].text;
}

std::string
ScheduleLine::GetLabel(const std::string& key) const
{
    if (HasNumber(key))
    {
        return std::to_string(GetNumber(key, 0, std::numeric_limits<uint32_t>::max()));
    }
    const Field& field = Get(key);
    if (field.isList || field.values[0].type != Scalar::Type::WORD || field.values[0].text.empty())
    {
        throw Mistake("'" + key + "'", "a text or a whole number", Spell(field));
    }
    return field.values[0].text;
}

std::vector<uint32_t>
ScheduleLine::GetNumbers(const std::string& key, uint32_t most) const
{
    const Field& field = Get(key);
    if (!field.isList)
    {
        throw Mistake("'" + key + "'", "a list of whole numbers", Spell(field));
    }
    std::vector<uint32_t> numbers;
    for (const Scalar& value : field.values)
    {
        if (value.type != Scalar::Type::WHOLE || value.whole > most)
        {
            throw Mistake("an item of '" + key + "'",
                          "a whole number from 0 to " + std::to_string(most),
                          Spell(value));
        }
        numbers.push_back(static_cast<uint32_t>(value.whole));
    }
    return numbers;
}

std::vector<double>
ScheduleLine::GetFractions(const std::string& key) const
{
    const Field& field = Get(key);
    if (!field.isList)
    {
        throw Mistake("'" + key + "'", "a list of numbers", Spell(field));
    }
    std::vector<double> numbers;
    for (const Scalar& value : field.values)
    {
        const bool number =
            value.type == Scalar::Type::WHOLE || value.type == Scalar::Type::FRACTION;
        if (!number || value.fraction < 0 || value.fraction > 1)
        {
            throw Mistake("an item of '" + key + "'", "a number from 0 to 1", Spell(value));
        }
        numbers.push_back(value.fraction);
    }
    return numbers;
}

UserError
ScheduleLine::Mistake(const std::string& what, const std::string& wanted, const std::string& given)
{
    return UserError(what + " must be " + wanted + ", not " + given, "", "");
}

std::string
ScheduleLine::Spell(const Scalar& value)
{
    switch (value.type)
    {
    case Scalar::Type::WHOLE:
        return std::to_string(value.whole);
    case Scalar::Type::WORD:
        return "'" + value.text + "'";
    default:
        return value.text;
    }
}

std::string
ScheduleLine::Spell(const Field& field)
{
    return field.isList ? "a list" : Spell(field.values[0]);
}

} // namespace llmfabric
} // namespace ns3
