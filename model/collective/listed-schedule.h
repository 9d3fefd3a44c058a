/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_SCHEDULE_H
#define LISTED_SCHEDULE_H

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// What a step of a list does.
enum class ListedAction : uint8_t
{
    SEND,    //!< sends what the rank holds by then
    RECEIVE, //!< what comes replaces what the rank holds
    REDUCE   //!< what comes is added to what the rank holds
};

/**
 * @ingroup llm-fabric
 * One line of a list: what a rank does with some chunks.
 */
struct ListedStep
{
    /// Numbers of steps; the few of a step need no memory of their own.
    using Numbers = boost::container::small_vector<uint32_t, 2>;

    uint32_t rank{0};                        //!< whose step it is
    uint32_t step{0};                        //!< its number among those of the rank, from 0
    ListedAction action{ListedAction::SEND}; //!< what it does
    uint32_t peer{0};                        //!< the rank it sends to, or receives from
    uint32_t first{0};                       //!< first chunk
    uint32_t count{1};                       //!< chunks, at least 1
    Numbers after{};                         //!< steps of the rank that must be over before
    uint64_t line{0};                        //!< where it stands in the source, from 1
};

/**
 * @ingroup llm-fabric
 * A collective algorithm as a list of what each rank does; ListedAlgorithm says what it means.
 */
struct ListedSchedule
{
    /// The most ranks.
    static constexpr uint32_t MAX_RANKS = 1024;
    /// The most chunks.
    static constexpr uint32_t MAX_CHUNKS = 1U << 20;
    /// The most steps of all ranks.
    static constexpr std::size_t MAX_STEPS = 1U << 20;
    /// The most steps of one rank; a table of their order has the square of it in bits.
    static constexpr uint32_t MAX_STEPS_OF_RANK = 8192;
    /// The most chunks that all steps handle, each chunk counted as often as a step names it.
    static constexpr std::size_t MAX_HANDLED = 1U << 21;
    /// The most steps that all steps name to be after.
    static constexpr std::size_t MAX_WAITS = 1U << 22;

    std::string name;              //!< as scenarios call it
    std::string op;                //!< as scenarios call it
    uint32_t ranks{0};             //!< p, at least 2
    uint32_t chunks{0};            //!< in how many chunks the payload is cut
    std::vector<ListedStep> steps; //!< in any order
    std::string source;            //!< where it comes from, e.g. a file, for messages
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_SCHEDULE_H */
