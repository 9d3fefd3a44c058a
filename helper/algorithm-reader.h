/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ALGORITHM_READER_H
#define ALGORITHM_READER_H

#include "ns3/listed-algorithm.h"

#include <cstddef>
#include <istream>
#include <memory>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads a collective algorithm from a file, which traces/SCHEMA.md describes.
 *
 * Every mistake ends in a UserError of one sentence, which says file, line and, where one word is
 * wrong, column.
 */
class AlgorithmReader
{
  public:
    /// The longest line, bytes.
    static constexpr std::size_t MAX_LINE = 1U << 16;
    /// The longest name, bytes: what a trace has room for.
    static constexpr std::size_t MAX_NAME = 24;

    /**
     * @param path the file
     * @return the algorithm
     * @throws UserError for any mistake in the file, or if it can't be read
     */
    static std::shared_ptr<ListedAlgorithm> Read(const std::string& path);

    /**
     * @param in what to read
     * @param name what to call it in messages, e.g. the path of the file
     * @return the algorithm
     * @throws UserError for any mistake in the file
     */
    static std::shared_ptr<ListedAlgorithm> Read(std::istream& in, const std::string& name);
};

} // namespace llmfabric
} // namespace ns3

#endif /* ALGORITHM_READER_H */
