/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ALGORITHM_LINE_H
#define ALGORITHM_LINE_H

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
 * A line of an algorithm file: words with blanks between them, up to a '#'.
 *
 * Each mistake is a UserError whose place is ":" and the column.
 */
class AlgorithmLine
{
  public:
    /**
     * @param text the line
     */
    explicit AlgorithmLine(const std::string& text);

    /// @return how many words there are
    std::size_t GetSize() const
    {
        return m_words.size();
    }

    /**
     * @param index number of a word
     * @param what what should stand there, e.g. "a rank"
     * @return the word
     * @throws UserError if the line ends before
     */
    const std::string& GetWord(std::size_t index, const std::string& what) const;

    /**
     * @param index number of a word
     * @param what what should stand there, e.g. "a rank"
     * @param least the least number that is allowed
     * @param most the largest one
     * @return the number
     * @throws UserError if anything else stands there
     */
    uint32_t GetNumber(std::size_t index,
                       const std::string& what,
                       uint32_t least,
                       uint32_t most) const;

    /**
     * @param index number of a word
     * @param what what should stand there, e.g. "chunks"
     * @param separator what stands between numbers, e.g. '-'
     * @param most the largest number that is allowed
     * @return its numbers, at least one
     * @throws UserError if anything else stands there
     */
    std::vector<uint32_t> GetNumbers(std::size_t index,
                                     const std::string& what,
                                     char separator,
                                     uint32_t most) const;

    /**
     * @param size words that the line may have
     * @throws UserError if there are more
     */
    void CheckEnd(std::size_t size) const;

    /**
     * @param index number of a word
     * @param what what is wrong with it
     * @param action what to do about it
     * @return the mistake
     */
    UserError MakeError(std::size_t index,
                        const std::string& what,
                        const std::string& action) const;

    /**
     * @param word a word
     * @return the word in quotes, fit for a message
     */
    static std::string Quote(const std::string& word);

  private:
    /// A word and where it stands.
    struct Word
    {
        std::string text;   //!< the word
        std::size_t column; //!< where it begins, from 1
    };

    /**
     * @param text a part of a word
     * @param column where it begins
     * @param what what should stand there
     * @param least the least number that is allowed
     * @param most the largest one
     * @return the number
     * @throws UserError if anything else stands there
     */
    static uint32_t Parse(const std::string& text,
                          std::size_t column,
                          const std::string& what,
                          uint32_t least,
                          uint32_t most);

    std::vector<Word> m_words; //!< the words
    std::size_t m_end;         //!< column after the last word
};

} // namespace llmfabric
} // namespace ns3

#endif /* ALGORITHM_LINE_H */
