/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SOURCE_H
#define ROCE_SOURCE_H

#include "roce-connection.h"

#include "ns3/application.h"
#include "ns3/ipv4-address.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ns3
{
namespace llmfabric
{

class RoceNic;
class RoceSink;

/**
 * @ingroup llm-fabric
 * Sends messages to a RoceSink as fast as its NIC lets it, as BulkSendApplication does over TCP:
 * MaxBytes in all, or until StopTime.
 *
 * @code
 *   Time::SetResolution(Time::PS);
 *   TopologySpec spec;
 *   spec.nodes = 2;
 *   FabricHelper fabricHelper;
 *   Fabric fabric = fabricHelper.Create(TopologyBuilder::Create("single-switch")->Build(spec));
 *
 *   RoceSinkHelper sinkHelper;
 *   ApplicationContainer sinks = sinkHelper.Install(fabric.nodes.Get(1));
 *
 *   RoceSourceHelper sourceHelper(FabricHelper::AddressOf(1));
 *   sourceHelper.SetAttribute("MaxBytes", UintegerValue(10000000));
 *   sourceHelper.SetAttribute("Verb", StringValue("send"));
 *   ApplicationContainer sources = sourceHelper.Install(fabric.nodes.Get(0));
 *   sources.Start(MicroSeconds(10));
 *
 *   Simulator::Run();
 *   std::cout << DynamicCast<RoceSink>(sinks.Get(0))->GetTotalRx() << " B\n";
 *   Simulator::Destroy();
 * @endcode
 *
 * It connects when it starts. That somebody listens at Remote then is checked for all sources when
 * the simulation starts, before any traffic. InFlight messages are posted at a time; those that are
 * posted when it stops are still sent, as a NIC takes none back. After a failed message it stops.
 */
class RoceSource : public Application
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    RoceSource();
    ~RoceSource() override;

    /**
     * Signature of the trace source Tx.
     *
     * @param number number of the message, from 0
     * @param bytes its size
     */
    typedef void (*TxTracedCallback)(uint64_t number, uint64_t bytes);
    /**
     * Signature of the trace source Complete.
     *
     * @param result what became of a message
     */
    typedef void (*CompleteTracedCallback)(const TransferResult& result);

    /** @return bytes of the messages that are posted */
    uint64_t GetTotalTx() const
    {
        return m_totalTx;
    }

    /** @return bytes of the messages that are acknowledged */
    uint64_t GetCompleted() const
    {
        return m_completed;
    }

    /** @return why a message has failed, or empty */
    const std::string& GetError() const
    {
        return m_error;
    }

    /** @return its connection; null before it has started */
    Ptr<RoceConnection> GetConnection() const
    {
        return m_connection;
    }

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /** What it connects: the NICs at both ends, and who listens. */
    struct Ends
    {
        Ptr<RoceNic> from;  //!< its own
        Ptr<RoceNic> to;    //!< the other
        Ptr<RoceSink> sink; //!< who listens there
    };

    /**
     * @return the ends of its connection
     * @throws UserError if there is no such NIC, or nobody listens when it starts
     */
    Ends FindEnds() const;
    /** @return the NIC of its node to send from */
    Ptr<RoceNic> FindLocalNic() const;
    /** @return where it stands, for errors */
    std::string GetPlace() const;
    /** Post what may be under way. */
    void PostMessages();
    /** @param result what became of a message */
    void OnComplete(const TransferResult& result);

    Ptr<RoceConnection> m_connection;                      //!< to the sink
    TracedCallback<uint64_t, uint64_t> m_tx;               //!< trace source Tx
    TracedCallback<const TransferResult&> m_completeTrace; //!< trace source Complete
    Ipv4Address m_remote;                                  //!< attribute Remote
    Ipv4Address m_localAddress;                            //!< attribute LocalAddress
    std::string m_verb;                                    //!< attribute Verb
    std::string m_spread;                                  //!< attribute Spread
    std::string m_error;                                   //!< why a message has failed
    WorkRequest m_request;                                 //!< its next message, but for the size
    uint64_t m_maxBytes{0};                                //!< attribute MaxBytes
    uint64_t m_messageSize{0};                             //!< attribute MessageSize
    uint64_t m_inFlight{0};                                //!< attribute InFlight
    uint64_t m_totalTx{0};                                 //!< bytes posted
    uint64_t m_completed{0};                               //!< bytes acknowledged
    uint32_t m_queuePairs{0};                              //!< attribute QueuePairs
    bool m_running{false};                                 //!< it may post
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_SOURCE_H */
