/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvlink-switch.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tick-rate.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(NvlinkSwitch);

namespace
{

/** A connection through an NvlinkSwitch. */
class NvlinkConnection : public GpuConnection
{
  public:
    NvlinkConnection(Ptr<NvlinkSwitch> nvlink, uint32_t from, uint32_t to)
        : m_nvlink(nvlink),
          m_from(from),
          m_to(to)
    {
    }

    void Send(uint64_t bytes) override
    {
        m_sentBytes += bytes;
        const Time delay = m_nvlink->Transfer(m_from, m_to, bytes);
        Simulator::Schedule(delay, &NvlinkConnection::Deliver, Ptr<NvlinkConnection>(this), bytes);
    }

    uint64_t GetSentBytes() const override
    {
        return m_sentBytes;
    }

  private:
    void Deliver(uint64_t bytes)
    {
        if (!m_receive.IsNull())
        {
            m_receive(bytes);
        }
    }

    Ptr<NvlinkSwitch> m_nvlink;
    uint32_t m_from;
    uint32_t m_to;
    uint64_t m_sentBytes{0};
};

} // namespace

TypeId
NvlinkSwitch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llmfabric::NvlinkSwitch")
                            .SetParent<Object>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<NvlinkSwitch>()
                            .AddAttribute("Rate",
                                          "Rate of the link of one GPU, each way (H100: 450 GB/s).",
                                          StringValue("3600Gbps"),
                                          MakeDataRateAccessor(&NvlinkSwitch::m_rate),
                                          MakeDataRateChecker())
                            .AddAttribute("Delay",
                                          "From GPU to GPU.",
                                          StringValue("500ns"),
                                          MakeTimeAccessor(&NvlinkSwitch::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
NvlinkSwitch::SetGpus(uint32_t gpus)
{
    m_egressFree.assign(gpus, Time(0));
    m_ingressFree.assign(gpus, Time(0));
}

Ptr<GpuConnection>
NvlinkSwitch::Connect(uint32_t from, uint32_t to)
{
    NS_ABORT_MSG_IF(from == to || std::max(from, to) >= m_egressFree.size(),
                    "an NVLink connection joins two different GPUs of the node");
    return Create<NvlinkConnection>(this, from, to);
}

Time
NvlinkSwitch::Transfer(uint32_t from, uint32_t to, uint64_t bytes)
{
    const Time now = Simulator::Now();
    const Time start = std::max({now, m_egressFree[from], m_ingressFree[to]});
    NS_ABORT_MSG_IF(m_rate.GetBitRate() == 0, "the Rate of an NvlinkSwitch has to be above 0");
    TickRate rate;
    rate.Set(m_rate.GetBitRate());
    const Time end = start + TimeStep(rate.TimeOf(bytes));
    NS_ABORT_MSG_IF(end < start, "an NVLink transfer ends after the end of simulated time");
    m_egressFree[from] = end;
    m_ingressFree[to] = end;
    return end + m_delay - now;
}

} // namespace llmfabric
} // namespace ns3
