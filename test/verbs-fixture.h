/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VERBS_FIXTURE_H
#define VERBS_FIXTURE_H

#include "nic-fixture.h"

#include "ns3/completion-queue.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** Loses the frames that a rule chooses by their headers. */
class HeaderLoss : public ErrorModel
{
  public:
    /** What a rule sees of a frame. */
    struct Header
    {
        uint32_t arrival{0}; //!< number of the frame at this port
        bool pfc{false};     //!< it is a PFC frame
        uint8_t opcode{0};   //!< BTH opcode
        uint8_t syndrome{0}; //!< AETH syndrome, if there is an AETH
        uint32_t psn{0};     //!< BTH PSN
        uint16_t quanta{0};  //!< PFC: the longest timer
        int64_t tick{0};     //!< when it came
    };

    /// True loses the frame.
    using Rule = std::function<bool(const Header&)>;

    /** @param rule which frames to lose */
    explicit HeaderLoss(Rule rule)
        : m_rule(std::move(rule))
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        Header header;
        header.arrival = m_arrivals++;
        header.tick = Simulator::Now().GetTimeStep();
        header.pfc = bytes.at(12) == 0x88 && bytes.at(13) == 0x08;
        if (header.pfc)
        {
            for (std::size_t i = 18; i < 34; i += 2) // behind MACs, type, opcode and class vector
            {
                const auto quanta = static_cast<uint16_t>(bytes.at(i) << 8 | bytes.at(i + 1));
                header.quanta = std::max(header.quanta, quanta);
            }
            return m_rule(header);
        }
        header.opcode = bytes.at(42); // Ethernet 14, IPv4 20, UDP 8
        header.psn = static_cast<uint32_t>(bytes.at(51)) << 16 |
                     static_cast<uint32_t>(bytes.at(52)) << 8 | bytes.at(53);
        header.syndrome = bytes.at(54);
        return m_rule(header);
    }

    void DoReset() override
    {
        m_arrivals = 0;
    }

    Rule m_rule;            //!< which frames to lose
    uint32_t m_arrivals{0}; //!< frames seen
};

/** A completion and when it was told. */
struct TimedCompletion
{
    int64_t tick;        //!< when, ticks
    WorkCompletion what; //!< what
};

/** The two ends of a connection and what their completion queues told. */
struct VerbsPair
{
    Ptr<QueuePair> a;                 //!< the end at the first host
    Ptr<QueuePair> b;                 //!< the end at the second host
    std::vector<TimedCompletion> atA; //!< told at the first host
    std::vector<TimedCompletion> atB; //!< told at the second host
};

/** Queue pairs whose completion queues are recorded, on the star of StarFixture. */
class VerbsTest : public StarFixture
{
  protected:
    static constexpr int64_t SLOT = 4178 * TICKS_PER_BYTE; //!< of a full packet of 4096 B

    /**
     * @param index number of the queue pair between hosts 0 and 1
     * @return a new queue pair
     */
    VerbsPair& MakePair(uint32_t index = 0)
    {
        VerbsPair& made = m_pairs.emplace_back();
        std::tie(made.a, made.b) =
            RoceNic::Connect(m_fabric.nics.at(0), m_fabric.nics.at(1), index);
        made.a->SetCompletionQueue(MakeQueue(made.atA));
        made.b->SetCompletionQueue(MakeQueue(made.atB));
        return made;
    }

    /**
     * @param log where to note completions
     * @return a new completion queue
     */
    static Ptr<CompletionQueue> MakeQueue(std::vector<TimedCompletion>& log)
    {
        Ptr<CompletionQueue> queue = Create<CompletionQueue>();
        queue->SetCallback(Callback<void, const WorkCompletion&>([&log](const WorkCompletion& one) {
            log.push_back({Simulator::Now().GetTimeStep(), one});
        }));
        return queue;
    }

    /**
     * @param at when
     * @param what what to do then
     */
    static void At(Time at, std::function<void()> what)
    {
        Simulator::Schedule(at, std::move(what));
    }

    /**
     * @param host the host whose arriving frames may get lost
     * @param rule which are lost
     */
    void LoseHeadersAt(uint32_t host, HeaderLoss::Rule rule) const
    {
        Port(host)->SetAttribute("ReceiveErrorModel",
                                 PointerValue(CreateObject<HeaderLoss>(std::move(rule))));
    }

    /** @param name what NICs made from now on do about losses: "GoBackN" or "SelectiveRepeat" */
    void UseRecovery(const std::string& name)
    {
        m_helper.SetNicAttribute("LossRecovery", StringValue("ns3::llmfabric::" + name));
    }

    /**
     * @param wireBytes of the only packet of a message
     * @return how long it takes from host to host, ticks
     */
    static int64_t Way(int64_t wireBytes)
    {
        return 2 * wireBytes * TICKS_PER_BYTE + PATH_DELAY;
    }

    /**
     * Expect that a log holds exactly the good completions of some verbs, in order.
     *
     * @param log the log
     * @param verb the verb
     * @param bytes sizes in order; numbers count from 0
     */
    static void ExpectDone(const std::vector<TimedCompletion>& log,
                           RoceVerb verb,
                           const std::vector<uint64_t>& bytes)
    {
        std::vector<uint64_t> got;
        for (const TimedCompletion& one : log)
        {
            EXPECT_FALSE(one.what.failed) << one.what.reason;
            EXPECT_EQ(one.what.verb, verb);
            EXPECT_EQ(one.what.number, got.size());
            got.push_back(one.what.bytes);
        }
        EXPECT_EQ(got, bytes);
    }

    std::deque<VerbsPair> m_pairs; //!< all that were made
};

} // namespace llmfabric
} // namespace ns3

#endif /* VERBS_FIXTURE_H */
