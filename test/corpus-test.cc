/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/user-error.h"
#include "ns3/workload-corpus.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/**
 * @param text a text
 * @return its words, e.g. "2 words", or why it is refused
 */
std::string
Count(const std::string& text)
{
    std::istringstream stream(text);
    try
    {
        const TextSize size = Corpus::CountText(stream);
        EXPECT_EQ(size.bytes, text.size());
        return std::to_string(size.words) + " words";
    }
    catch (const UserError& error)
    {
        return error.what();
    }
}

/**
 * @param reason what is wrong
 * @param byte where
 * @return the message with which a text is refused
 */
std::string
Refusal(const std::string& reason, uint64_t byte)
{
    return "corpus.file: the text is not UTF-8: " + reason + " at byte " + std::to_string(byte) +
           ", counted from 0; convert it to UTF-8";
}

/**
 * @param code the number of a character
 * @return the character in UTF-8
 */
std::string
Encode(uint32_t code)
{
    const auto part = [code](int shift) {
        return static_cast<char>(0x80 | (code >> shift & 0x3f));
    };
    if (code < 0x80)
    {
        return {static_cast<char>(code)};
    }
    if (code < 0x800)
    {
        return {static_cast<char>(0xc0 | code >> 6), part(0)};
    }
    if (code < 0x10000)
    {
        return {static_cast<char>(0xe0 | code >> 12), part(6), part(0)};
    }
    return {static_cast<char>(0xf0 | code >> 18), part(12), part(6), part(0)};
}

/**
 * @param tokens tokens of a text
 * @param last what becomes of the last sequence
 * @return the text
 */
Corpus
Make(uint64_t tokens, LastSequence last)
{
    Corpus corpus = Corpus::FromTokens(tokens);
    corpus.SetLastSequence(last);
    return corpus;
}

TEST(Corpus, DivineComedyGives125000TokensAnd122Or123Sequences)
{
    Corpus comedy = Corpus::FromWords(100000);
    EXPECT_EQ(comedy.GetTokens(), 125000u);
    EXPECT_EQ(comedy.GetLastSequence(), LastSequence::DROP);
    EXPECT_EQ(comedy.GetSequences(1024), 122u);
    comedy.SetLastSequence(LastSequence::PAD);
    EXPECT_EQ(comedy.GetLastSequence(), LastSequence::PAD);
    EXPECT_EQ(comedy.GetSequences(1024), 123u);
    comedy.SetLastSequence(LastSequence::PACK);
    EXPECT_EQ(comedy.GetSequences(1024), 122u);
}

TEST(Corpus, OnePetabyteGivesThePaperFigures)
{
    const Corpus petabyte = Corpus::FromBytes(1000000000000000);
    EXPECT_EQ(petabyte.GetTokens(), 250000000000000u);
    EXPECT_EQ(petabyte.GetSequences(1024), 244140625000u);
    EXPECT_EQ(petabyte.GetSequences(4096), 61035156250u);
}

TEST(Corpus, DivineComedyFillsAQuarterOfAGpt2BatchAndAPartOfAGpt3Batch)
{
    const Corpus comedy = Make(125000, LastSequence::PACK);
    EXPECT_DOUBLE_EQ(comedy.GetStepsPerEpoch(1024, 500000), 0.25);
    EXPECT_NEAR(comedy.GetStepsPerEpoch(2048, 3200000), 0.039, 0.0005);
}

TEST(Corpus, TheLastSequenceDecidesTrainedTokensAndSteps)
{
    const Corpus dropped = Make(125000, LastSequence::DROP);
    EXPECT_EQ(dropped.GetTrainedTokens(1024), 122u * 1024);
    EXPECT_DOUBLE_EQ(dropped.GetStepsPerEpoch(1024, 524288), 122.0 * 1024 / 524288);
    const Corpus padded = Make(125000, LastSequence::PAD);
    EXPECT_EQ(padded.GetTrainedTokens(1024), 125000u);
    EXPECT_DOUBLE_EQ(padded.GetStepsPerEpoch(1024, 524288), 123.0 * 1024 / 524288);
    const Corpus packed = Make(125000, LastSequence::PACK);
    EXPECT_EQ(packed.GetTrainedTokens(1024), 125000u);
    EXPECT_DOUBLE_EQ(packed.GetStepsPerEpoch(1024, 524288), 125000.0 / 524288);
}

TEST(Corpus, DroppingAndPaddingDifferByTheSequenceThatIsNotFull)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i)
    {
        const uint64_t tokens = random() % 100000;
        const uint64_t length = 1 + random() % 300;
        const Corpus dropped = Make(tokens, LastSequence::DROP);
        const Corpus padded = Make(tokens, LastSequence::PAD);
        const uint64_t rest = tokens - dropped.GetTrainedTokens(length);
        EXPECT_LT(rest, length);
        EXPECT_EQ(padded.GetSequences(length) - dropped.GetSequences(length), rest > 0 ? 1u : 0u);
        EXPECT_GE(padded.GetSequences(length) * length, tokens);
        const double packedSteps = Make(tokens, LastSequence::PACK).GetStepsPerEpoch(length, 64);
        EXPECT_LE(dropped.GetStepsPerEpoch(length, 64), packedSteps);
        EXPECT_GE(padded.GetStepsPerEpoch(length, 64), packedSteps);
    }
}

TEST(Corpus, PartsOfATokenAreDropped)
{
    EXPECT_EQ(Corpus::FromWords(7).GetTokens(), 8u);
    EXPECT_EQ(Corpus::FromBytes(7).GetTokens(), 1u);
    EXPECT_EQ(Corpus::FromTokens(7).GetTokens(), 7u);
    EXPECT_EQ(Corpus().GetTokens(), 0u);
}

TEST(Corpus, DecimalFactorsThatGiveWholeTokensLoseNone)
{
    for (uint64_t tenths = 1; tenths <= 99; ++tenths)
    {
        const double factor = tenths / 10.0;
        for (uint64_t words : {uint64_t{10}, uint64_t{70}, uint64_t{100000000000000}})
        {
            EXPECT_EQ(Corpus::FromWords(words, factor).GetTokens(), words / 10 * tenths) << factor;
            EXPECT_EQ(Corpus::FromBytes(words / 10 * tenths, factor).GetTokens(), words) << factor;
        }
    }
    EXPECT_EQ(Corpus::FromWords(10, 2.2999).GetTokens(), 22u);
}

TEST(Corpus, ImpossibleTextsAreRefused)
{
    EXPECT_THROW(Corpus::FromWords(std::numeric_limits<uint64_t>::max()), UserError);
    EXPECT_THROW(Corpus::FromWords(10, 0), UserError);
    EXPECT_THROW(Corpus::FromBytes(10, -4), UserError);
    EXPECT_THROW(Corpus::FromBytes(10, std::numeric_limits<double>::quiet_NaN()), UserError);
    EXPECT_THROW(Corpus::FromBytes(10, std::numeric_limits<double>::infinity()), UserError);
    EXPECT_THROW(Corpus::FromBytes(10, std::numeric_limits<double>::denorm_min()), UserError);
    EXPECT_THROW(Corpus::FromTokens(10).GetSequences(0), UserError);
    EXPECT_THROW(Corpus::FromTokens(10).GetTrainedTokens(0), UserError);
    EXPECT_THROW(Corpus::FromTokens(10).GetStepsPerEpoch(1024, 0), UserError);
}

TEST(Corpus, SizesUpTo64BitsAreExact)
{
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(Corpus::FromBytes(most).GetTokens(), most / 4);
    EXPECT_EQ(Corpus::FromWords(most, 1).GetTokens(), most);
    EXPECT_EQ(Make(most, LastSequence::PAD).GetSequences(1024), most / 1024 + 1);
    EXPECT_EQ(Make(most, LastSequence::PAD).GetSequences(1), most);
}

TEST(CountText, WordsArePartedByAsciiWhiteSpace)
{
    EXPECT_EQ(Count(""), "0 words");
    EXPECT_EQ(Count(" \t\n\v\f\r "), "0 words");
    EXPECT_EQ(Count("Nel mezzo del cammin di nostra vita"), "7 words");
    EXPECT_EQ(Count("  a\tb\nc\vd\fe\rf\r\n\r\ng "), "7 words");
    EXPECT_EQ(Count(std::string("a\0b\x1c"
                                "c",
                                5)),
              "1 words"); // U+001C is no White_Space
}

TEST(CountText, MultiByteLettersMakeWords)
{
    EXPECT_EQ(Count(Encode(0xe8)), "1 words");
    EXPECT_EQ(Count("perch" + Encode(0xe9) + " pi" + Encode(0xf9)), "2 words");
    EXPECT_EQ(Count(Encode(0x65e5) + Encode(0x672c) + " " + Encode(0x1f600)), "2 words");
    EXPECT_EQ(Count(Encode(0x80) + " " + Encode(0x7ff) + " " + Encode(0x800) + " " +
                    Encode(0xffff) + " " + Encode(0x10000) + " " + Encode(0x10ffff)),
              "6 words");
}

TEST(CountText, ExactlyTheWhiteSpaceOfUnicodePartsWords)
{
    std::ostringstream parting;
    for (uint32_t begin = 0; begin <= 0x10ffff; begin += 64)
    {
        const bool surrogates = begin >= 0xd800 && begin <= 0xdfff;
        std::string block;
        for (uint32_t code = begin; !surrogates && code < begin + 64; ++code)
        {
            block += "a" + Encode(code) + "b ";
        }
        const bool parts = !surrogates && Count(block) != "64 words";
        for (uint32_t code = begin; parts && code < begin + 64; ++code)
        {
            if (Count("a" + Encode(code) + "b") == "2 words")
            {
                parting << std::hex << code << " ";
            }
        }
    }
    EXPECT_EQ(parting.str(),
              "9 a b c d 20 85 a0 1680 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 200a "
              "2028 2029 202f 205f 3000 ");
}

TEST(CountText, AByteOrderMarkIsNoWord)
{
    const std::string mark = Encode(0xfeff);
    EXPECT_EQ(Count(mark), "0 words");
    EXPECT_EQ(Count(mark + "word"), "1 words");
    EXPECT_EQ(Count(mark + " word"), "1 words");
    EXPECT_EQ(Count(mark + mark), "1 words");
    EXPECT_EQ(Count("a " + mark), "2 words"); // later it is a character like any other
}

TEST(CountText, WhatIsNotUtf8IsRefusedWithItsByte)
{
    EXPECT_EQ(Count("ab\x80"), Refusal("no character begins so", 2));
    EXPECT_EQ(Count("\xff"), Refusal("no character begins so", 0));
    EXPECT_EQ(Count("\xf8\x88\x80\x80\x80"), Refusal("no character begins so", 0));
    EXPECT_EQ(Count("a\xc3"
                    "a"),
              Refusal("a character is cut short", 1));
    EXPECT_EQ(Count("a\xe2\x82"
                    "abc"),
              Refusal("a character is cut short", 1));
    EXPECT_EQ(Count("a \xe2\xe2"), Refusal("a character is cut short", 2));
    EXPECT_EQ(Count("a\n\xc0\x80"), Refusal("a character has more bytes than it needs", 2));
    EXPECT_EQ(Count("\xc1\xbf"), Refusal("a character has more bytes than it needs", 0));
    EXPECT_EQ(Count("\xe0\x9f\xbf"), Refusal("a character has more bytes than it needs", 0));
    EXPECT_EQ(Count("\xf0\x8f\xbf\xbf"), Refusal("a character has more bytes than it needs", 0));
    EXPECT_EQ(Count("abc \xed\xa0\x80"), Refusal("a surrogate is no character", 4));
    EXPECT_EQ(Count("\xed\xbf\xbf"), Refusal("a surrogate is no character", 0));
    EXPECT_EQ(Count("\xf4\x90\x80\x80"), Refusal("a character is above U+10FFFF", 0));
}

TEST(CountText, ATruncatedEndIsRefusedWithTheByteOfItsCharacter)
{
    EXPECT_EQ(Count("caff\xc3"), Refusal("the text ends within a character", 4));
    EXPECT_EQ(Count("\xe2\x82"), Refusal("the text ends within a character", 0));
    EXPECT_EQ(Count("ab \xf0\x9f\x98"), Refusal("the text ends within a character", 3));
}

TEST(CountText, TextsLongerThanAnyBufferAreCountedCharacterByCharacter)
{
    const std::string line = Encode(0xe8) + Encode(0x20ac) + Encode(0x1f600) + " a"; // 11 bytes
    std::string text;
    for (int i = 0; i < 100000; ++i)
    {
        text += line;
    }
    EXPECT_EQ(Count(text), "100001 words");
    EXPECT_EQ(Count(text + "\xff"), Refusal("no character begins so", 1100000));
}

TEST(CountText, AStreamThatCannotBeReadIsRefused)
{
    std::istringstream stream("a");
    stream.setstate(std::ios::failbit);
    EXPECT_THROW(Corpus::CountText(stream), UserError);
}

} // namespace
