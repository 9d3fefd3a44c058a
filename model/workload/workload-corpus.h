/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_CORPUS_H
#define WORKLOAD_CORPUS_H

#include <cstdint>
#include <istream>
#include <string>

namespace ns3
{
namespace llmfabric
{

/// What becomes of the tokens that do not fill a sequence.
enum class LastSequence
{
    DROP, //!< they are left out: N = floor(|D| / T)
    PAD,  //!< the last sequence is filled up with padding: N = ceil(|D| / T)
    PACK  //!< the next epoch's first sequence begins with them: N = |D| / T, with a fraction
};

/**
 * @ingroup llm-fabric
 * Words and bytes of a text.
 */
struct TextSize
{
    uint64_t bytes{0}; //!< all bytes
    uint64_t words{0}; //!< runs of characters that are no white space
};

/**
 * @ingroup llm-fabric
 * Stage 1: a text and how many tokens and sequences it gives.
 *
 * |D| = S_text / beta_tok, or words times tokens per word, rounded down (Life of a Token, section
 * 3). A number of tokens that is whole but for the rounding of the factor is taken as whole.
 */
class Corpus
{
  public:
    /// English text, tokens per word (Life of a Token, section 3).
    static constexpr double TOKENS_PER_WORD = 1.25;
    /// English text, bytes per token, beta_tok (Life of a Token, section 3).
    static constexpr double BYTES_PER_TOKEN = 4.0;

    /// An empty text.
    Corpus() = default;

    /**
     * @param words size of the text, words
     * @param tokensPerWord tokens per word, positive
     * @return the text
     * @throws UserError if the factor is not positive or the tokens do not fit 64 bits
     */
    static Corpus FromWords(uint64_t words, double tokensPerWord = TOKENS_PER_WORD);

    /**
     * @param bytes size of the text, bytes
     * @param bytesPerToken bytes per token, positive
     * @return the text
     * @throws UserError if the factor is not positive or the tokens do not fit 64 bits
     */
    static Corpus FromBytes(uint64_t bytes, double bytesPerToken = BYTES_PER_TOKEN);

    /**
     * @param tokens size of the tokenized text, tokens
     * @return the text
     */
    static Corpus FromTokens(uint64_t tokens);

    /**
     * Count a text in UTF-8, portion by portion. Words are parted by characters of Unicode's
     * property White_Space; a byte order mark at the begin counts as bytes only.
     *
     * @param text the text
     * @return its size
     * @throws UserError if it can't be read or is not UTF-8; it names the byte, from 0, at which
     *         the wrong character begins
     */
    static TextSize CountText(std::istream& text);

    /**
     * @param last what becomes of the tokens that do not fill a sequence
     */
    void SetLastSequence(LastSequence last);

    /**
     * @return what becomes of the tokens that do not fill a sequence
     */
    LastSequence GetLastSequence() const;

    /**
     * @return |D|, tokens
     */
    uint64_t GetTokens() const;

    /**
     * @param sequenceLength T, tokens
     * @return N, whole sequences: rounded up if the last one is padded, else down, also if packed
     * @throws UserError if the sequence length is zero
     */
    uint64_t GetSequences(uint64_t sequenceLength) const;

    /**
     * @param sequenceLength T, tokens
     * @return tokens of the text that one epoch trains: those of whole sequences if the last one is
     *         dropped, else all
     * @throws UserError if the sequence length is zero
     */
    uint64_t GetTrainedTokens(uint64_t sequenceLength) const;

    /**
     * Padding takes its places in a step; packed sequences count with their fraction.
     *
     * @param sequenceLength T, tokens
     * @param globalTokens tokens of one step, at least 1
     * @return steps to see each sequence once, with a fraction
     * @throws UserError if one of them is zero
     */
    double GetStepsPerEpoch(uint64_t sequenceLength, uint64_t globalTokens) const;

  private:
    uint64_t m_tokens{0};                    //!< |D|, tokens
    LastSequence m_last{LastSequence::DROP}; //!< tokens that do not fill a sequence
};

} // namespace llmfabric
} // namespace ns3

#endif /* WORKLOAD_CORPUS_H */
