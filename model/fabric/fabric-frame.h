/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include "ns3/hop-telemetry.h"

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace ns3
{

class Packet;

namespace llmfabric
{

class FrameCodec;

/**
 * @ingroup llm-fabric
 * What few frames carry: in-band telemetry, or which packets a selective NAK acknowledges.
 */
struct FrameExtension
{
    /// Most packets after the expected one that a selective NAK speaks of.
    static constexpr std::size_t BITMAP_BITS = 1024;

    TelemetryStack telemetry;          //!< what switches wrote
    std::bitset<BITMAP_BITS> received; //!< bit i: packet PSN + 1 + i has come
    uint32_t bitmapBytes{0};           //!< of it on the wire, a multiple of 4
    FrameExtension* next{nullptr};     //!< the next free one
};

/** What a frame is. */
enum class FrameKind : uint8_t
{
    DATA = 0,  //!< RoCE data
    ACK = 1,   //!< RoCE acknowledgment
    NAK = 2,   //!< RoCE negative acknowledgment
    CNP = 3,   //!< RoCE congestion notification packet
    PFC = 4,   //!< priority flow control, link-local
    OTHER = 5, //!< what the Internet stack sends
    COUNT = 6  //!< number of kinds
};

/** The ECN field of the IP header (RFC 3168). */
enum class Ecn : uint8_t
{
    NOT_ECT = 0, //!< not ECN-capable
    ECT1 = 1,    //!< ECN-capable
    ECT0 = 2,    //!< ECN-capable
    CE = 3       //!< congestion experienced
};

/// Preamble, start-of-frame delimiter and inter-frame gap: wire time, never queue bytes.
static constexpr uint32_t WIRE_GAP_BYTES = 20;
/// Ethernet header and frame check sequence.
static constexpr uint32_t ETHERNET_BYTES = 18;
/// The smallest frame with preamble and gap (64 + 20 B).
static constexpr uint32_t MIN_WIRE_BYTES = 84;
/// Wire bytes of a PFC frame (IEEE 802.1Qbb).
static constexpr uint32_t PFC_WIRE_BYTES = 84;
/// Wire bytes of a RoCE data packet besides payload and pad: preamble and gap 20, Ethernet 14 + 4,
/// IPv4 20, UDP 8, BTH 12, ICRC 4.
static constexpr uint32_t DATA_OVERHEAD_BYTES = 82;
/// Bits of a fabric id, and of the index of a port on its node, in a frame id.
static constexpr uint32_t FABRIC_ID_BITS = 20;
static constexpr uint32_t PORT_INDEX_BITS = 10;
/// Bits of the counter in a frame id.
static constexpr uint32_t FRAME_COUNTER_BITS = 64 - FABRIC_ID_BITS - PORT_INDEX_BITS;
/// Most nodes of a fabric, and most ports of a node.
static constexpr uint32_t MAX_FABRIC_NODES = 1U << FABRIC_ID_BITS;
static constexpr uint32_t MAX_NODE_PORTS = 1U << PORT_INDEX_BITS;
/// One pause quantum in bits (IEEE 802.3 Annex 31B).
static constexpr uint32_t PAUSE_QUANTUM_BITS = 512;

/**
 * @ingroup llm-fabric
 * A frame on its way: a plain struct from a pool, two cache lines.
 *
 * It holds what ports, switches and NICs look at; its bytes are made only when somebody asks (its
 * codec does that). Traffic of the Internet stack carries its packet along.
 */
struct alignas(64) Frame
{
    Frame* next{nullptr};    //!< the next in whatever FIFO holds it
    int64_t due{0};          //!< when it reaches the end of the link or pipeline it is in, ticks
    int64_t enqueued{0};     //!< when it entered the queue of the port, ticks
    int64_t started{0};      //!< when its first bit left the port, ticks
    uint64_t flowHash{0};    //!< hash of the 5-tuple
    uint32_t queueBytes{0};  //!< in its queue when it entered, without itself; at most 2^32 - 1
    uint32_t destination{0}; //!< IPv4 address
    uint32_t wireBytes{0};   //!< with preamble and gap
    uint16_t ingress{0};     //!< port by which it entered the node it is in
    FrameKind kind{FrameKind::OTHER}; //!< what it is
    uint8_t priority{0};              //!< 0 to 7
    Ecn ecn{Ecn::NOT_ECT};            //!< ECN field
    uint8_t opcode{0};                //!< BTH opcode

    union {
        uint8_t syndrome{0};   //!< AETH syndrome
        uint8_t pausePriority; //!< PFC: the priority it speaks of
    };

    bool ackRequest{false};   //!< BTH AckReq
    uint8_t hops{0};          //!< switches passed; of an answer: those that its packet had passed
    uint8_t feedback{0};      //!< what its sender wants to know of the way, see FEEDBACK_HOPS
    bool endsTransfer{false}; //!< last packet of what an application posted at once; both ends of
                              //!< a real transfer know that from their protocol
    uint8_t dscp{0};          //!< differentiated services code point (RFC 2474); not of OTHER
    // the second cache line
    uint64_t queuePair{0};            //!< (source, destination, index), see QueuePairId
    uint64_t id{0};                   //!< (source node, port, counter), see FabricPort::NextFrameId
    const FrameCodec* codec{nullptr}; //!< makes its bytes

    union {
        const Packet* packet{nullptr}; //!< OTHER: of the Internet stack; one reference is held
        FrameExtension* extension;     //!< else: telemetry or bitmap, or null; owned
    };

    uint32_t source{0};          //!< IPv4 address; 0 in a PFC frame of a switch
    uint32_t payloadBytes{0};    //!< without headers
    uint32_t psn{0};             //!< BTH packet sequence number, 24 bit
    uint32_t remoteQueuePair{0}; //!< BTH destination queue pair number, 24 bit

    union {
        uint32_t messageBytes{0}; //!< RETH DMA length of a data frame
        uint32_t msn;             //!< AETH message sequence number of an answer, 24 bit
    };

    union {
        uint32_t immediate{0};  //!< ImmDt of a data frame
        uint32_t markedPackets; //!< ACK, NAK: marked packets since the answer before
    };

    union {
        uint32_t offset{0};   //!< RETH: where in the message it begins, bytes (the virtual address)
        uint32_t markedBytes; //!< ACK, NAK: payload of the marked packets
    };

    union {
        uint16_t sourcePort{0}; //!< UDP or TCP
        uint16_t pauseQuanta;   //!< PFC: timer of pausePriority
    };

    uint16_t destinationPort{0}; //!< UDP or TCP

    /**
     * @param fabricId fabric id of the node that makes frames
     * @param port index of the port there
     * @return the id of its first frame; the next ones count up
     */
    static uint64_t FirstId(uint32_t fabricId, uint32_t port)
    {
        return (static_cast<uint64_t>(fabricId) << PORT_INDEX_BITS | port) << FRAME_COUNTER_BITS;
    }

    /** @return fabric id of the node that made it */
    uint32_t GetMakerId() const
    {
        return static_cast<uint32_t>(id >> FRAME_COUNTER_BITS >> PORT_INDEX_BITS);
    }

    /** @return index of the port that made it */
    uint32_t GetMakerPort() const
    {
        return static_cast<uint32_t>(id >> FRAME_COUNTER_BITS) & (MAX_NODE_PORTS - 1);
    }

    /** @return what it takes in a queue: Ethernet header to FCS */
    uint32_t BufferBytes() const
    {
        return wireBytes - WIRE_GAP_BYTES;
    }
};

static_assert(sizeof(Frame) == 128, "a frame is two cache lines");
static_assert(offsetof(Frame, queuePair) == 64, "the second line begins with queuePair");

/**
 * @ingroup llm-fabric
 * A FIFO of frames, linked through Frame::next.
 */
class FrameFifo
{
  public:
    /** @return true if there is none */
    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

    /** @return the first; null if there is none */
    Frame* Front() const
    {
        return m_head;
    }

    /** @param frame the frame to append */
    void Push(Frame* frame)
    {
        frame->next = nullptr;
        if (m_head)
        {
            m_tail->next = frame;
        }
        else
        {
            m_head = frame;
        }
        m_tail = frame;
    }

    /** @return the first, taken out; there must be one */
    Frame* Pop()
    {
        Frame* frame = m_head;
        m_head = frame->next;
        return frame;
    }

  private:
    Frame* m_head{nullptr}; //!< the first
    Frame* m_tail{nullptr}; //!< the last, if there is one
};

/**
 * @ingroup llm-fabric
 * The pool of frames of this thread; it only grows, by blocks.
 */
class FramePool
{
  public:
    /** @return a frame whose members have their default values */
    static Frame* Allocate()
    {
        Frame* frame = AllocateRaw();
        *frame = Frame();
        return frame;
    }

    /**
     * @param model a frame to copy, next, packet and extension being null
     * @return a frame with the same members
     */
    static Frame* Allocate(const Frame& model)
    {
        Frame* frame = AllocateRaw();
        *frame = model;
        return frame;
    }

    /** @param frame a frame that is no longer used; its packet or extension is released */
    static void Free(Frame* frame)
    {
        if (frame->packet) // or an extension
        {
            Release(frame);
        }
        frame->next = t_free;
        t_free = frame;
    }

    /**
     * @param frame a frame that is not OTHER and has no extension
     * @return its new extension, empty
     */
    static FrameExtension& Extend(Frame* frame);

    /** @param fifo frames that are no longer used */
    static void FreeAll(FrameFifo& fifo)
    {
        while (!fifo.IsEmpty())
        {
            Free(fifo.Pop());
        }
    }

  private:
    /** @return a frame with undefined members */
    static Frame* AllocateRaw()
    {
        if (!t_free)
        {
            Grow();
        }
        Frame* frame = t_free;
        t_free = frame->next;
        return frame;
    }

    /** Get another block from the heap. */
    static void Grow();
    /** @param frame a frame with a packet or an extension */
    static void Release(Frame* frame);

    static inline thread_local Frame* t_free = nullptr;                //!< the free frames
    static inline thread_local FrameExtension* t_extensions = nullptr; //!< the free extensions
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_FRAME_H */
