/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A congestion control of one's own, as a library that the programs load: additive increase and
// multiplicative decrease of the rate, once in a round trip, by the ECN marks that ACKs count.
//
//   llm-fabric-run --load=libcustom-congestion-control.so --scenario=incast-16
//                  --set=nic.congestion_control=MarkedAimd --ns3::llmfabric::MarkedAimd::Factor=0.7

#include "ns3/congestion-control.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

class MarkedAimd : public CongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llmfabric::MarkedAimd")
                                .SetParent<CongestionControl>()
                                .AddConstructor<MarkedAimd>()
                                .AddAttribute("Step",
                                              "Added to the rate in a round trip without marks.",
                                              StringValue("500Mbps"),
                                              MakeDataRateAccessor(&MarkedAimd::m_step),
                                              MakeDataRateChecker())
                                .AddAttribute("Factor",
                                              "Multiplies the rate in a round trip with marks.",
                                              DoubleValue(0.8),
                                              MakeDoubleAccessor(&MarkedAimd::m_factor),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    uint8_t GetFeedback() const override
    {
        return AckFeedback::MARKS;
    }

    void OnAck(int64_t now, const AckFeedback& feedback) override
    {
        m_marked += feedback.markedPackets;
        if (feedback.acknowledged < m_roundEnd)
        {
            return;
        }
        m_roundEnd = feedback.next; // the next round trip ends when what is sent by now has come
        const double step = static_cast<double>(m_step.GetBitRate());
        SetRate(now, m_marked > 0 ? std::max(step, PeekRate() * m_factor) : PeekRate() + step);
        m_marked = 0;
    }

  private:
    void DoStart(int64_t /* now */) override
    {
    }

    DataRate m_step;
    double m_factor{0};
    uint64_t m_roundEnd{0};
    uint64_t m_marked{0};
};

NS_OBJECT_ENSURE_REGISTERED(MarkedAimd);

} // namespace llmfabric
} // namespace ns3
