/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SINK_H
#define ROCE_SINK_H

#include "roce-connection.h"

#include "ns3/application.h"
#include "ns3/ipv4-address.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

class RoceNic;

/**
 * @ingroup llm-fabric
 * Listens for RoceSources at the NICs of a node, keeps receives posted for what needs them, and
 * counts what comes, as PacketSink does for sockets.
 *
 * It listens from StartTime to StopTime. The connections of a sink that has stopped stay, but what
 * comes then is not counted. See RoceSource for an example.
 */
class RoceSink : public Application
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    RoceSink();
    ~RoceSink() override;

    /**
     * Signature of the trace source Rx.
     *
     * @param bytes size of a message that has come whole
     * @param from address of its sender
     */
    typedef void (*RxTracedCallback)(uint64_t bytes, Ipv4Address from);

    /** @return bytes of the messages that have come whole while it listened */
    uint64_t GetTotalRx() const
    {
        return m_totalRx;
    }

    /** @return connections that it has accepted */
    std::size_t GetConnections() const
    {
        return m_connections.size();
    }

    // What a RoceSource needs of it.

    /**
     * @param address address of a NIC of its node
     * @return true if it listens there, at some time
     */
    bool Accepts(Ipv4Address address) const;

    /**
     * @param time a time
     * @return true if it listens then
     */
    bool ListensAt(Time time) const;

    /**
     * Take what comes by a connection from now on.
     *
     * @param connection the connection
     * @param messageBytes size of its messages, at most
     * @param receives its messages take receives
     */
    void Accept(Ptr<RoceConnection> connection, uint64_t messageBytes, bool receives);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /**
     * @param place index of a connection
     * @param bytes size of a message that has come
     */
    void OnReceive(std::size_t place, uint64_t bytes);

    /** A connection that it has accepted. */
    struct Accepted
    {
        Ptr<RoceConnection> connection; //!< the connection
        uint64_t room;                  //!< of each receive, bytes
        bool receives;                  //!< its messages take receives
        Ipv4Address from;               //!< address of the source
    };

    std::vector<Accepted> m_connections;        //!< in the order of their start
    TracedCallback<uint64_t, Ipv4Address> m_rx; //!< trace source Rx
    Ipv4Address m_localAddress;                 //!< attribute LocalAddress
    uint64_t m_receives{0};                     //!< attribute Receives
    uint64_t m_receiveSize{0};                  //!< attribute ReceiveSize
    uint64_t m_totalRx{0};                      //!< bytes received
    bool m_listens{false};                      //!< between StartTime and StopTime
};

} // namespace llmfabric
} // namespace ns3

#endif /* ROCE_SINK_H */
