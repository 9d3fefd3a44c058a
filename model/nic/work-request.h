/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORK_REQUEST_H
#define WORK_REQUEST_H

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/** What a queue pair can be asked to do. */
enum class RoceVerb : uint8_t
{
    WRITE = 0,  //!< put bytes into the peer's memory; with immediate data it takes a receive there
    SEND = 1,   //!< send bytes into the peer's next posted receive
    READ = 2,   //!< fetch bytes from the peer's memory
    RECEIVE = 3 //!< of completions only: a receive was taken by a Send or by immediate data
};

/** A transfer that is posted to a queue pair. */
struct WorkRequest
{
    RoceVerb verb{RoceVerb::WRITE};    //!< what to do; not RECEIVE
    uint64_t bytes{0};                 //!< how many; 0 is a message without payload
    std::optional<uint32_t> immediate; //!< with WRITE and SEND: 32 bits for the peer's completion
};

/** What became of a posted transfer. */
struct TransferResult
{
    uint64_t transfer;              //!< its number at the queue pair
    uint64_t bytes;                 //!< its size
    bool failed;                    //!< true if the queue pair gave up
    std::string reason;             //!< why, if it failed
    RoceVerb verb{RoceVerb::WRITE}; //!< what it was
};

/** An entry of a CompletionQueue. */
struct WorkCompletion
{
    uint64_t queuePair{0};             //!< whose, see QueuePair::GetId
    RoceVerb verb{RoceVerb::WRITE};    //!< what was done
    uint64_t number{0};                //!< of the transfer, or of the posted receive, from 0
    uint64_t bytes{0};                 //!< its size; of a receive what has come
    std::optional<uint32_t> immediate; //!< RECEIVE: the immediate data that came with it
    bool failed{false};                //!< the queue pair gave up
    std::string reason;                //!< why, if it failed
};

} // namespace llmfabric
} // namespace ns3

#endif /* WORK_REQUEST_H */
