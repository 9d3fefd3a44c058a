/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TEXT_COUNTER_H
#define TEXT_COUNTER_H

#include "workload-corpus.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Counts the bytes and words of a text in UTF-8 that comes in byte by byte, in O(1) memory.
 *
 * A character is refused as soon as the Unicode standard's table of well-formed byte sequences does
 * not allow it: a byte that begins no character, a character that is cut short, an overlong form, a
 * surrogate, a number above U+10FFFF.
 */
class TextCounter
{
  public:
    /**
     * @param byte the next byte of the text
     * @throws UserError if the text is not UTF-8; it names the byte, from 0, at which the wrong
     *         character begins
     */
    void Add(uint8_t byte)
    {
        if (m_missing == 0 && byte < 0x80)
        {
            AddCharacter(byte);
        }
        else
        {
            AddPart(byte);
        }
        ++m_size.bytes;
    }

    /**
     * @return what was counted
     * @throws UserError if the text ends within a character
     */
    TextSize Finish() const;

  private:
    /**
     * @param byte a byte of a character of several bytes
     */
    void AddPart(uint8_t byte);

    /**
     * @param byte the first byte of a character of several bytes
     */
    void BeginCharacter(uint8_t byte);

    /**
     * Refuses what bytes can spell and Unicode does not allow.
     */
    void CheckCharacter() const;

    /**
     * @param code the number of a character
     */
    void AddCharacter(uint32_t code);

    /**
     * @param reason what is wrong with the character that began last
     * @throws UserError always
     */
    [[noreturn]] void Refuse(const std::string& reason) const;

    TextSize m_size;       //!< what was counted
    uint64_t m_begin{0};   //!< first byte of a character of several bytes
    uint32_t m_code{0};    //!< what is known of its number
    uint32_t m_least{0};   //!< least number that needs so many bytes
    uint32_t m_missing{0}; //!< bytes that it still lacks
    bool m_inWord{false};  //!< the last character was no white space
};

} // namespace llmfabric
} // namespace ns3

#endif /* TEXT_COUNTER_H */
