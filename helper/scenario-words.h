/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_WORDS_H
#define SCENARIO_WORDS_H

#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * @param words words, e.g. the keys that are allowed
 * @return the words with ", " between them
 */
std::string JoinWords(const std::vector<std::string>& words);

/**
 * @ingroup llm-fabric
 * Guess what a misspelled word should have been, by the edit distance (Levenshtein).
 *
 * @param word the word that is not known
 * @param known the words that are
 * @return ", did you mean 'nodes'?" with the nearest known word, or nothing when none is near
 */
std::string SuggestWord(const std::string& word, const std::vector<std::string>& known);

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_WORDS_H */
