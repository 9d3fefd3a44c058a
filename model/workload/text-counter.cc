/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "text-counter.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// U+FEFF, which is no character of the text if it is the first.
constexpr uint32_t BYTE_ORDER_MARK = 0xfeff;

/**
 * @param code the number of a character
 * @return whether Unicode gives it the property White_Space
 */
bool
IsWhiteSpace(uint32_t code)
{
    if (code < 0x80)
    {
        return code == 0x20 || (code >= 0x09 && code <= 0x0d);
    }
    switch (code)
    {
    case 0x0085: // next line
    case 0x00a0: // no-break space
    case 0x1680: // ogham space mark
    case 0x2028: // line separator
    case 0x2029: // paragraph separator
    case 0x202f: // narrow no-break space
    case 0x205f: // medium mathematical space
    case 0x3000: // ideographic space
        return true;
    default:
        return code >= 0x2000 && code <= 0x200a; // en quad to hair space
    }
}

} // namespace

TextSize
TextCounter::Finish() const
{
    if (m_missing > 0)
    {
        Refuse("the text ends within a character");
    }
    return m_size;
}

void
TextCounter::AddPart(uint8_t byte)
{
    if (m_missing == 0)
    {
        BeginCharacter(byte);
        return;
    }
    if ((byte & 0xc0) != 0x80)
    {
        Refuse("a character is cut short");
    }
    m_code = m_code << 6 | (byte & 0x3f);
    --m_missing;
    if (m_missing == 0)
    {
        CheckCharacter();
        AddCharacter(m_code);
    }
}

void
TextCounter::BeginCharacter(uint8_t byte)
{
    m_begin = m_size.bytes;
    if ((byte & 0xe0) == 0xc0)
    {
        m_missing = 1;
        m_least = 0x80;
        m_code = byte & 0x1f;
    }
    else if ((byte & 0xf0) == 0xe0)
    {
        m_missing = 2;
        m_least = 0x800;
        m_code = byte & 0x0f;
    }
    else if ((byte & 0xf8) == 0xf0)
    {
        m_missing = 3;
        m_least = 0x10000;
        m_code = byte & 0x07;
    }
    else
    {
        Refuse("no character begins so");
    }
}

void
TextCounter::CheckCharacter() const
{
    if (m_code < m_least)
    {
        Refuse("a character has more bytes than it needs");
    }
    if (m_code >= 0xd800 && m_code <= 0xdfff)
    {
        Refuse("a surrogate is no character");
    }
    if (m_code > 0x10ffff)
    {
        Refuse("a character is above U+10FFFF");
    }
}

void
TextCounter::AddCharacter(uint32_t code)
{
    if (code == BYTE_ORDER_MARK && m_begin == 0)
    {
        return;
    }
    const bool inWord = !IsWhiteSpace(code);
    m_size.words += inWord && !m_inWord ? 1 : 0;
    m_inWord = inWord;
}

void
TextCounter::Refuse(const std::string& reason) const
{
    throw UserError("the text is not UTF-8: " + reason + " at byte " + std::to_string(m_begin) +
                        ", counted from 0",
                    "corpus.file",
                    "convert it to UTF-8");
}

} // namespace llmfabric
} // namespace ns3
