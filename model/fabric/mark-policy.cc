/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mark-policy.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(MarkPolicy);
NS_OBJECT_ENSURE_REGISTERED(RedMarkPolicy);

TypeId
MarkPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::MarkPolicy").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

TypeId
RedMarkPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::RedMarkPolicy")
            .SetParent<MarkPolicy>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RedMarkPolicy>()
            .AddAttribute("Kmin",
                          "No marks up to this queue, bytes (400 KB at 100 Gb/s: the rule 4 KB per "
                          "Gb/s of the HPCC simulator's configurations).",
                          UintegerValue(400000),
                          MakeUintegerAccessor(&RedMarkPolicy::m_kmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Every ECN-capable frame is marked above this queue, bytes (16 KB per "
                          "Gb/s, same source).",
                          UintegerValue(1600000),
                          MakeUintegerAccessor(&RedMarkPolicy::m_kmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Marking probability at Kmax.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RedMarkPolicy::m_pmax),
                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

RedMarkPolicy::RedMarkPolicy()
    : m_uniform(CreateObject<UniformRandomVariable>())
{
}

RedMarkPolicy::~RedMarkPolicy() = default;

bool
RedMarkPolicy::ShouldMark(uint64_t queueBytes)
{
    if (queueBytes <= m_kmin)
    {
        return false;
    }
    if (queueBytes > m_kmax)
    {
        return true;
    }
    const double share =
        static_cast<double>(queueBytes - m_kmin) / static_cast<double>(m_kmax - m_kmin);
    return m_uniform->GetValue() < m_pmax * share;
}

int64_t
RedMarkPolicy::AssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    return 1;
}

} // namespace llmfabric
} // namespace ns3
