/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "fabric-port.h"
#include "frame-pipeline.h"
#include "ingress-account.h"
#include "route-table.h"

#include "ns3/object.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

class BufferPolicy;
class MarkPolicy;
class PathSelector;

/**
 * @ingroup llm-fabric
 * A store-and-forward switch with output queues in one shared buffer; aggregated to a Node, it
 * takes all FabricPorts of the node.
 *
 * @verbatim
     port -> [latency] -> route -> admission ------> egress queue -> marking -> port
                                   |  ^                                |
                                   v  |  per (ingress port, lossless priority)
                              PAUSE / RESUME <---- bytes leave --------+
   @endverbatim
 *
 * A lossless frame is never dropped at egress: it counts against its (ingress port, priority), the
 * sender of which is paused above the limit of the BufferPolicy; headroom takes what is under way
 * by then. A lossy frame is dropped when its egress queue is over its share or the buffer is full.
 * Bytes leave the buffer when the frame starts on the wire.
 *
 * Headroom per (ingress port, lossless priority) = 2 * delay * rate + 2 * (MTU + 82) + 84 +
 * PauseResponse + latency * rate.
 */
class FabricSwitch : public Object, private FrameReceiver, private DequeueObserver
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    FabricSwitch();
    ~FabricSwitch() override;

    /** Take the ports of the node; called when the simulation starts, or earlier. */
    void Prepare();

    /**
     * Divide the buffer into headroom and shared buffer; called when the simulation starts, or
     * earlier, once all attributes are set, to see a mistake in time.
     *
     * @throws UserError if the headroom of all ports does not fit the buffer
     */
    void DivideBuffer();

    /**
     * @param routes ports of this switch by destination address (host order)
     */
    void SetRoutes(const std::map<uint32_t, std::vector<Ptr<FabricPort>>>& routes);

    /** @return the ports, by index */
    const std::vector<Ptr<FabricPort>>& GetPorts() const
    {
        return m_ports;
    }

    /**
     * @param bytes largest packet payload that NICs send; counts where RoceMtu is 0
     */
    void SetNicMtu(uint32_t bytes)
    {
        m_nicMtu = bytes;
    }

    /** @return headroom of all ports together, bytes */
    uint64_t GetTotalHeadroom() const
    {
        return m_totalHeadroom;
    }

    /** @return frames marked with Congestion Experienced */
    uint64_t GetMarked() const
    {
        return m_marked;
    }

    /** @return pause frames sent, renewals included */
    uint64_t GetPausesSent() const;

    /** @return resume frames sent */
    uint64_t GetResumesSent() const;

    /** @return bytes of the shared buffer in use */
    uint64_t GetSharedUsed() const
    {
        return m_used;
    }

    /**
     * The response time of a port to PAUSE by its rate (IEEE 802.3 clause 31B.3.7, as quoted by
     * SONiC's headroom calculation), in bytes that it still sends.
     *
     * @param bitsPerSecond line rate, bit/s
     * @return bytes; of the next listed rate above
     */
    static uint64_t StandardPauseResponse(uint64_t bitsPerSecond);

    /**
     * What may still come in by a port after it was decided to pause the far end: see the class.
     *
     * @param port the ingress port
     * @param latency from the last bit in to where the decision is made
     * @param mtu largest RoCE payload, bytes
     * @param pauseResponse what the far end still sends, bytes; 0: StandardPauseResponse()
     * @return bytes
     */
    static uint64_t HeadroomOf(const FabricPort& port,
                               Time latency,
                               uint32_t mtu,
                               uint64_t pauseResponse);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void ReceiveFrame(Frame* frame, FabricPort& port) override;
    void OnDequeue(Frame& frame, uint64_t queueBytes) override;

    /** @param frame a frame to route and queue */
    void Forward(Frame* frame);
    /**
     * @param frame a frame that wants to enter the buffer
     * @param egress where it would leave
     * @return NONE if it was let in and counted, else why not
     */
    DropReason Admit(const Frame& frame, const FabricPort& egress);

    /**
     * @param port an ingress port
     * @return headroom of one lossless priority of that port, bytes
     */
    uint64_t HeadroomOf(const FabricPort& port) const
    {
        return HeadroomOf(port, m_latency, GetRoceMtu(), m_pauseResponse);
    }

    /**
     * @param frame a frame in the switch
     * @return the account it counts against; null if it is lossy
     */
    IngressAccount* AccountOf(const Frame& frame) const
    {
        return m_accounts[frame.ingress * PRIORITIES + frame.priority].get();
    }

    /** @return largest RoCE payload, bytes */
    uint32_t GetRoceMtu() const
    {
        return m_mtu > 0 ? m_mtu : m_nicMtu;
    }

    /** Make the accounts of all lossless priorities. */
    void StartAccounts();
    /** @return the ports of the node, in the order of their index */
    std::vector<Ptr<FabricPort>> CollectPorts();

    std::vector<Ptr<FabricPort>> m_ports;                           //!< by slot
    std::vector<std::unique_ptr<IngressAccount>> m_accounts;        //!< by slot and priority
    RouteTable m_routes;                                            //!< where destinations lie
    Ptr<PathSelector> m_selector;                                   //!< chooses among equal paths
    Ptr<BufferPolicy> m_bufferPolicy;                               //!< shares the buffer
    Ptr<MarkPolicy> m_markPolicy;                                   //!< marks frames; null: none
    Ptr<FabricEngine> m_engine;                                     //!< the engine
    FramePipeline<FabricSwitch, &FabricSwitch::Forward> m_pipeline; //!< forwarding latency
    uint64_t m_capacity{0};                                         //!< shared buffer, bytes
    uint64_t m_used{0};                                             //!< in use of it, bytes
    uint64_t m_marked{0};                                           //!< frames marked
    uint64_t m_buffer{0};                                           //!< attribute Buffer
    uint64_t m_totalHeadroom{0};                                    //!< headroom of all ports
    uint64_t m_pauseResponse{0};                                    //!< attribute PauseResponse
    TypeId m_selectorType;                                          //!< attribute PathSelector
    TypeId m_bufferPolicyType;                                      //!< attribute BufferPolicy
    TypeId m_markPolicyType;                                        //!< attribute MarkPolicy
    Time m_latency;                                                 //!< attribute Latency
    uint32_t m_mtu{0};                                              //!< attribute RoceMtu
    uint32_t m_nicMtu{4096};                                        //!< see SetNicMtu
    uint16_t m_pauseQuanta{0};                                      //!< attribute PauseQuanta
    uint8_t m_losslessMask{0}; //!< attribute LosslessPriorities
    bool m_pfc{true};          //!< attribute Pfc
    bool m_ecn{true};          //!< attribute Ecn
    bool m_prepared{false};    //!< Prepare() was called
};

} // namespace llmfabric
} // namespace ns3

#endif /* FABRIC_SWITCH_H */
