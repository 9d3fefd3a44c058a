/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_RECORDS_H
#define TRACE_RECORDS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What a traced frame carries.
 *
 * The numbers are written to trace files; their names stand in TRACE_FRAME_KIND_NAMES.
 */
enum class TraceFrameKind : uint8_t
{
    DATA = 0,  //!< payload of a queue pair
    ACK = 1,   //!< positive acknowledgment
    NAK = 2,   //!< negative acknowledgment
    CNP = 3,   //!< congestion notification packet
    PFC = 4,   //!< priority flow control, pause or resume
    OTHER = 5, //!< anything else, such as the Internet stack's packets
};

/// Names of TraceFrameKind in the order of its numbers, separated by commas.
inline constexpr const char* TRACE_FRAME_KIND_NAMES = "data,ack,nak,cnp,pfc,other";

/// Bytes that a file keeps of CollectiveRecord::group; no longer text may be written.
inline constexpr std::size_t TRACE_GROUP_WIDTH = 32;

/// The time of something that did not happen.
inline constexpr int64_t TRACE_NEVER = -1;

/**
 * @ingroup llm-fabric
 * One frame at one output port. Times are picoseconds of simulated time.
 */
struct HopRecord
{
    int64_t enqueued{TRACE_NEVER};              //!< frame entered the output queue
    int64_t started{TRACE_NEVER};               //!< first bit went on the wire
    int64_t ended{TRACE_NEVER};                 //!< last bit went on the wire
    uint32_t node{0};                           //!< fabric id of the node
    int32_t port{-1};                           //!< index of the port on the node
    uint64_t frame{0};                          //!< id of the frame, the same on all hops
    uint64_t qp{0};                             //!< id of the queue pair
    uint32_t psn{0};                            //!< packet sequence number
    TraceFrameKind kind{TraceFrameKind::OTHER}; //!< what the frame carries
    uint8_t priority{0};                        //!< priority, 0 to 7
    uint32_t payloadBytes{0};                   //!< bytes of the message in the frame
    uint32_t wireBytes{0};                      //!< bytes on the wire, preamble and gap included
    uint64_t queueBytes{0};                     //!< bytes queued at enqueue, without this frame
    uint8_t marked{0};                          //!< 1 if the frame left with an ECN mark
    uint8_t lastHop{0};                         //!< 1 if the link ends at the destination
    uint8_t dropReason{0};                      //!< 0 if not dropped, else the reason's number
};

/**
 * @ingroup llm-fabric
 * One message of a queue pair. Times are picoseconds of simulated time.
 */
struct MessageRecord
{
    uint64_t qp{0};                 //!< id of the queue pair
    uint32_t index{0};              //!< place of the message on the queue pair, from 0
    uint32_t source{0};             //!< number of the sending host
    uint32_t destination{0};        //!< number of the receiving host
    uint64_t bytes{0};              //!< length of the message
    int64_t posted{TRACE_NEVER};    //!< message was given to the NIC
    int64_t received{TRACE_NEVER};  //!< last byte came in at the receiver
    int64_t completed{TRACE_NEVER}; //!< its acknowledgment came in at the sender
    uint8_t failed{0};              //!< 1 if the queue pair gave up
};

/**
 * @ingroup llm-fabric
 * One collective operation as one rank saw it, or one message between two ranks as one of them saw
 * it. Times are picoseconds of simulated time.
 */
struct CollectiveRecord
{
    uint32_t step{0};           //!< training step, from 0
    std::string op;             //!< operation, such as "allreduce"; of a message "send", "receive"
    std::string algorithm;      //!< algorithm, such as "ring"; of a message "p2p"
    uint32_t rank{0};           //!< global rank
    uint32_t ranks{0};          //!< number of ranks that take part
    uint64_t payloadBytes{0};   //!< size of the buffer that the operation works on
    uint64_t sentBytes{0};      //!< bytes that this rank sent for it
    int64_t start{TRACE_NEVER}; //!< rank entered the operation
    int64_t end{TRACE_NEVER};   //!< rank left the operation
    std::string group{};        //!< name of the group; of a message peer and channel
};

/**
 * @ingroup llm-fabric
 * One computation of one rank. Times are picoseconds of simulated time.
 */
struct ComputeRecord
{
    uint32_t step{0};           //!< training step, from 0
    uint32_t rank{0};           //!< global rank
    std::string phase;          //!< what is computed, such as "forward"
    uint32_t miniBatch{0};      //!< local mini-batch of the step, from 0
    int64_t start{TRACE_NEVER}; //!< computation began
    int64_t end{TRACE_NEVER};   //!< computation ended
    uint32_t microBatch{0};     //!< micro-batch of the mini-batch, from 0
    uint32_t part{0};           //!< part of the model that the rank holds, from 0
};

/**
 * @ingroup llm-fabric
 * One node of the fabric.
 */
struct NodeRecord
{
    uint32_t node{0};    //!< fabric id
    std::string name;    //!< name for people
    std::string kind;    //!< "host" or "switch"
    uint32_t address{0}; //!< IPv4 address of the first port, most significant byte first; 0 if none
};

/**
 * @ingroup llm-fabric
 * One link; both directions have its rate and delay.
 */
struct LinkRecord
{
    uint32_t nodeA{0};   //!< fabric id of one end
    uint32_t portA{0};   //!< port index there
    uint32_t nodeB{0};   //!< fabric id of the other end
    uint32_t portB{0};   //!< port index there
    uint64_t rateBps{0}; //!< rate in bit/s
    int64_t delayPs{0};  //!< propagation delay in picoseconds
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRACE_RECORDS_H */
