/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "engine-fixture.h"

#include "ns3/config.h"
#include "ns3/hot-traced-callback.h"
#include "ns3/object.h"
#include "ns3/trace-source-accessor.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/// An object with hot trace sources.
class TracedObject : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llmfabric::HotTracedCallbackTestObject")
                                .SetParent<Object>()
                                .SetGroupName("LlmFabric")
                                .AddConstructor<TracedObject>()
                                .AddTraceSource("Sent",
                                                "Bytes were sent",
                                                MakeTraceSourceAccessor(&TracedObject::sent),
                                                "ns3::llmfabric::TracedObject::SentCallback")
                                .AddTraceSource("Idle",
                                                "Nothing to do",
                                                MakeTraceSourceAccessor(&TracedObject::idle),
                                                "ns3::llmfabric::TracedObject::IdleCallback");
        return tid;
    }

    HotTracedCallback<uint64_t, const std::string&> sent; //!< bytes and the name of the receiver
    HotTracedCallback<> idle;                             //!< the tick alone
};

/// A test of hot trace sources, with sinks that write down what they get.
class HotTracedCallbackTest : public EngineTest
{
  protected:
    void SetUp() override
    {
        EngineTest::SetUp();
        UseScheduler(FABRIC_SCHEDULER);
        FabricEngine::Get()->SetBatch(1000);
    }

    /**
     * @param tick when
     * @param bytes how many
     * @param to the receiver
     */
    void OnSent(int64_t tick, uint64_t bytes, const std::string& to)
    {
        m_log.push_back(std::to_string(tick) + " sent " + std::to_string(bytes) + " to " + to);
    }

    /**
     * @param context the path
     * @param tick when
     * @param bytes how many
     * @param to the receiver
     */
    void OnSentAt(std::string context, int64_t tick, uint64_t bytes, const std::string& to)
    {
        OnSent(tick, bytes, to + " on " + context);
    }

    /**
     * @param tick when
     */
    void OnIdle(int64_t tick)
    {
        m_log.push_back(std::to_string(tick) + " idle");
    }

    /**
     * @param tick when
     */
    void OnIdleToo(int64_t tick)
    {
        m_log.push_back(std::to_string(tick) + " idle too");
    }

    /** @return a sink */
    Callback<void, int64_t, uint64_t, const std::string&> SentSink()
    {
        return MakeCallback(&HotTracedCallbackTest::OnSent, this);
    }

    /** @return a sink with context */
    Callback<void, std::string, int64_t, uint64_t, const std::string&> SentSinkWithContext()
    {
        return MakeCallback(&HotTracedCallbackTest::OnSentAt, this);
    }

    /** @return a sink */
    Callback<void, int64_t> IdleSink()
    {
        return MakeCallback(&HotTracedCallbackTest::OnIdle, this);
    }

    /** @return another sink */
    Callback<void, int64_t> IdleTooSink()
    {
        return MakeCallback(&HotTracedCallbackTest::OnIdleToo, this);
    }

    /** @return true if fabric events run in fewer ns-3 events than they are */
    bool IsBatched()
    {
        const uint64_t before = Simulator::GetEventCount();
        const int64_t now = FabricEngine::Get()->Now();
        for (int i = 1; i <= 5; ++i)
        {
            FabricAt(now + i, "event");
        }
        Simulator::Run();
        return Simulator::GetEventCount() - before < 5;
    }

    Ptr<TracedObject> m_object{CreateObject<TracedObject>()}; //!< whose sources are connected
};

TEST_F(HotTracedCallbackTest, ASourceIsConnectedByNameWithTheTickFirst)
{
    EXPECT_TRUE(m_object->TraceConnectWithoutContext("Sent", SentSink()));
    EXPECT_TRUE(m_object->TraceConnectWithoutContext("Idle", IdleSink()));
    m_object->sent(12, 300, "leaf");
    m_object->idle(int64_t{1} << 40);
    EXPECT_EQ(m_log, (Log{"12 sent 300 to leaf", "1099511627776 idle"}));
}

TEST_F(HotTracedCallbackTest, ASourceIsConnectedByNameWithContext)
{
    EXPECT_TRUE(m_object->TraceConnect("Sent", "port 3", SentSinkWithContext()));
    m_object->sent(12, 300, "leaf");
    EXPECT_EQ(m_log, (Log{"12 sent 300 to leaf on port 3"}));
}

TEST_F(HotTracedCallbackTest, ASourceIsConnectedByConfigPath)
{
    Config::RegisterRootNamespaceObject(m_object);
    Config::Connect("/Sent", SentSinkWithContext());
    m_object->sent(1, 2, "spine");
    Config::Disconnect("/Sent", SentSinkWithContext());
    m_object->sent(3, 4, "spine");
    Config::UnregisterRootNamespaceObject(m_object);
    EXPECT_EQ(m_log, (Log{"1 sent 2 to spine on /Sent"}));
}

TEST_F(HotTracedCallbackTest, ADisconnectedSinkIsCalledNoMore)
{
    m_object->TraceConnectWithoutContext("Sent", SentSink());
    m_object->TraceConnect("Sent", "a", SentSinkWithContext());
    m_object->TraceConnect("Sent", "b", SentSinkWithContext());
    EXPECT_TRUE(m_object->TraceDisconnect("Sent", "a", SentSinkWithContext()));
    m_object->sent(1, 2, "x");
    EXPECT_EQ(m_log, (Log{"1 sent 2 to x", "1 sent 2 to x on b"}));
    EXPECT_TRUE(m_object->TraceDisconnectWithoutContext("Sent", SentSink()));
    m_object->sent(3, 4, "x");
    EXPECT_EQ(m_log.back(), "3 sent 4 to x on b");
    EXPECT_EQ(m_log.size(), 3u);
}

TEST_F(HotTracedCallbackTest, ASinkThatWasConnectedTwiceIsDisconnectedWholly)
{
    m_object->idle.ConnectWithoutContext(IdleSink());
    m_object->idle.ConnectTickSink(IdleTooSink());
    m_object->idle.ConnectWithoutContext(IdleSink());
    m_object->idle(4);
    EXPECT_EQ(m_log, (Log{"4 idle", "4 idle too", "4 idle"}));
    m_object->idle.DisconnectWithoutContext(IdleSink());
    m_object->idle(5);
    EXPECT_EQ(m_log.back(), "5 idle too");
    EXPECT_EQ(m_log.size(), 4u);
    EXPECT_TRUE(IsBatched());
}

TEST_F(HotTracedCallbackTest, SinksAreCalledInTheOrderOfConnection)
{
    m_object->idle.ConnectTickSink(IdleTooSink());
    m_object->TraceConnectWithoutContext("Idle", IdleSink());
    m_object->idle(9);
    EXPECT_EQ(m_log, (Log{"9 idle too", "9 idle"}));
}

TEST_F(HotTracedCallbackTest, ASourceIsEmptyWhileNobodyListens)
{
    EXPECT_TRUE(m_object->idle.IsEmpty());
    m_object->idle(1);
    m_object->TraceConnectWithoutContext("Idle", IdleSink());
    EXPECT_FALSE(m_object->idle.IsEmpty());
    EXPECT_TRUE(m_object->sent.IsEmpty());
    m_object->TraceDisconnectWithoutContext("Idle", IdleSink());
    EXPECT_TRUE(m_object->idle.IsEmpty());
    m_object->idle.ConnectTickSink(IdleSink());
    EXPECT_FALSE(m_object->idle.IsEmpty());
}

TEST_F(HotTracedCallbackTest, ASinkThatReadsTheClockMakesBatchesOfOne)
{
    EXPECT_TRUE(IsBatched());
    m_object->TraceConnectWithoutContext("Idle", IdleSink());
    m_object->TraceConnect("Sent", "a", SentSinkWithContext());
    EXPECT_FALSE(IsBatched());
    m_object->TraceDisconnectWithoutContext("Idle", IdleSink());
    EXPECT_FALSE(IsBatched());
    m_object->TraceDisconnect("Sent", "a", SentSinkWithContext());
    EXPECT_TRUE(IsBatched());
}

TEST_F(HotTracedCallbackTest, ATickSinkLeavesTheBatchAlone)
{
    m_object->idle.ConnectTickSink(IdleSink());
    EXPECT_TRUE(IsBatched());
    m_object->idle.DisconnectWithoutContext(IdleSink());
    EXPECT_TRUE(IsBatched());
}

TEST_F(HotTracedCallbackTest, DisconnectingAStrangerChangesNothing)
{
    m_object->TraceConnectWithoutContext("Idle", IdleSink());
    m_object->idle.DisconnectWithoutContext(IdleTooSink());
    EXPECT_FALSE(m_object->idle.IsEmpty());
    EXPECT_FALSE(IsBatched());
}

TEST_F(HotTracedCallbackTest, ASourceThatDiesWithItsSinkNoLongerHoldsTheBatch)
{
    m_object->TraceConnectWithoutContext("Idle", IdleSink());
    EXPECT_FALSE(IsBatched());
    m_object = nullptr;
    EXPECT_TRUE(IsBatched());
}

TEST_F(HotTracedCallbackTest, DisconnectingAfterDestroyLeavesTheNextSimulationAlone)
{
    m_object->TraceConnectWithoutContext("Idle", IdleSink());
    Simulator::Destroy();
    m_actors.clear();
    UseScheduler(FABRIC_SCHEDULER);
    FabricEngine::Get()->SetBatch(1000);
    m_object->TraceDisconnectWithoutContext("Idle", IdleSink());
    EXPECT_TRUE(IsBatched());
}

} // namespace
