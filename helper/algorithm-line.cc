/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "algorithm-line.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param column a column
 * @return the place of a mistake there
 */
std::string
At(std::size_t column)
{
    return ":" + std::to_string(column);
}

} // namespace

AlgorithmLine::AlgorithmLine(const std::string& text)
    : m_end(1)
{
    const std::string blanks = " \t\r";
    const std::string words = text.substr(0, text.find('#'));
    std::size_t begin = words.find_first_not_of(blanks);
    while (begin != std::string::npos)
    {
        const std::size_t end = std::min(words.find_first_of(blanks, begin), words.size());
        m_words.push_back({words.substr(begin, end - begin), begin + 1});
        m_end = end + 1;
        begin = words.find_first_not_of(blanks, end);
    }
}

const std::string&
AlgorithmLine::GetWord(std::size_t index, const std::string& what) const
{
    if (index >= m_words.size())
    {
        throw UserError("the line ends where " + what + " should stand", At(m_end), "");
    }
    return m_words[index].text;
}

uint32_t
AlgorithmLine::GetNumber(std::size_t index,
                         const std::string& what,
                         uint32_t least,
                         uint32_t most) const
{
    const std::string& word = GetWord(index, what);
    return Parse(word, m_words[index].column, what, least, most);
}

std::vector<uint32_t>
AlgorithmLine::GetNumbers(std::size_t index,
                          const std::string& what,
                          char separator,
                          uint32_t most) const
{
    const std::string& word = GetWord(index, what);
    std::vector<uint32_t> numbers;
    std::size_t begin = 0;
    while (begin <= word.size())
    {
        const std::size_t end = std::min(word.find(separator, begin), word.size());
        const std::string part = word.substr(begin, end - begin);
        numbers.push_back(Parse(part, m_words[index].column + begin, what, 0, most));
        begin = end + 1;
    }
    return numbers;
}

uint32_t
AlgorithmLine::Parse(const std::string& text,
                     std::size_t column,
                     const std::string& what,
                     uint32_t least,
                     uint32_t most)
{
    uint64_t value = 0;
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
        return letter >= '0' && letter <= '9';
    });
    for (std::size_t i = 0; digits && i < text.size() && value <= most; ++i)
    {
        value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    }
    if (!digits || value < least || value > most)
    {
        throw UserError(Quote(text) + " is not " + what,
                        At(column),
                        "allowed: whole numbers from " + std::to_string(least) + " to " +
                            std::to_string(most));
    }
    return static_cast<uint32_t>(value);
}

void
AlgorithmLine::CheckEnd(std::size_t size) const
{
    if (m_words.size() > size)
    {
        throw MakeError(size,
                        Quote(m_words[size].text) + " should not stand there",
                        "end the line before it");
    }
}

UserError
AlgorithmLine::MakeError(std::size_t index,
                         const std::string& what,
                         const std::string& action) const
{
    return UserError(what, At(m_words.at(index).column), action);
}

std::string
AlgorithmLine::Quote(const std::string& word)
{
    constexpr std::size_t most = 40;
    std::string text = word.substr(0, most);
    std::replace_if(
        text.begin(),
        text.end(),
        [](char letter) { return letter < ' ' || letter > '~'; },
        '?');
    return "'" + text + (word.size() > most ? "..." : "") + "'";
}

} // namespace llmfabric
} // namespace ns3
