/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-completion.h"

#include "ns3/roce-protocol.h"
#include "ns3/tick-rate.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/** A link that packets cross one after the other. */
struct BusyLink
{
    TickRate rate;   //!< line rate
    int64_t delay;   //!< of link and switch, ticks
    int64_t free{0}; //!< when the packet before has left, ticks
};

/**
 * @param links the way
 * @param wireBytes of the next packet
 * @return when its last bit is at the end, ticks
 */
int64_t
Cross(std::vector<BusyLink>& links, uint64_t wireBytes)
{
    int64_t now = 0;
    for (BusyLink& link : links)
    {
        link.free = std::max(now, link.free) + link.rate.Take(wireBytes);
        now = link.free + link.delay;
    }
    return now;
}

} // namespace

IdealCompletion::IdealCompletion(const Fabric& fabric)
    : m_nics(GetNicTimes(fabric)),
      m_ways(fabric, GetLargestPacket(m_nics))
{
}

std::vector<IdealCompletion::NicTimes>
IdealCompletion::GetNicTimes(const Fabric& fabric)
{
    std::vector<NicTimes> nics;
    for (const Ptr<RoceNic>& nic : fabric.nics)
    {
        UintegerValue mtu;
        TimeValue transmit;
        TimeValue receive;
        nic->GetAttribute("Mtu", mtu);
        nic->GetAttribute("TransmitLatency", transmit);
        nic->GetAttribute("ReceiveLatency", receive);
        nics.push_back({mtu.Get(), transmit.Get().GetTimeStep(), receive.Get().GetTimeStep()});
    }
    return nics;
}

uint64_t
IdealCompletion::GetLargestPacket(const std::vector<NicTimes>& nics)
{
    uint64_t largest = 0;
    for (const NicTimes& nic : nics)
    {
        largest = std::max(largest, nic.mtu);
    }
    return largest + DATA_OVERHEAD_BYTES + RETH_BYTES;
}

int64_t
IdealCompletion::GetTicks(uint32_t from, uint32_t to, uint64_t bytes)
{
    const std::vector<WayLink> links = m_ways.Find(from, to);
    if (links.empty())
    {
        return -1;
    }
    const NicTimes& sender = m_nics.at(from);
    return sender.transmit + GetTicksOver(links, bytes, sender.mtu) + m_nics.at(to).receive;
}

int64_t
IdealCompletion::GetRtt(uint32_t from, uint32_t to)
{
    const std::vector<WayLink> links = m_ways.Find(from, to);
    if (from == to || links.empty())
    {
        return 0;
    }
    std::vector<BusyLink> busy;
    int64_t back = 0;
    for (const WayLink& link : links)
    {
        busy.push_back({TickRate(), link.delay});
        busy.back().rate.Set(link.rate);
        back += link.delay + busy.back().rate.TimeOf(ACK_WIRE_BYTES);
    }
    const uint64_t packet = m_nics[from].mtu + DATA_OVERHEAD_BYTES + RETH_BYTES;
    return Cross(busy, packet) + m_nics[to].receive + back + m_nics[from].receive;
}

int64_t
IdealCompletion::GetBaseRtt()
{
    uint32_t from = 0;
    int64_t longest = 0;
    for (int sweep = 0; sweep < 2; ++sweep)
    {
        uint32_t farthest = from;
        for (uint32_t to = 0; to < m_nics.size(); ++to)
        {
            const int64_t rtt = GetRtt(from, to);
            if (rtt > longest)
            {
                longest = rtt;
                farthest = to;
            }
        }
        from = farthest;
    }
    return longest;
}

int64_t
IdealCompletion::GetTicksOver(const std::vector<WayLink>& links, uint64_t bytes, uint64_t mtu)
{
    std::vector<BusyLink> busy;
    for (const WayLink& link : links)
    {
        busy.push_back({TickRate(), link.delay});
        busy.back().rate.Set(link.rate);
    }
    int64_t end = 0;
    uint64_t inMessage = 0; // payload of this message before the packet
    for (uint64_t left = bytes; left > 0;)
    {
        const uint64_t payload = std::min({left, mtu, MAX_MESSAGE_BYTES - inMessage});
        const uint64_t padded = (payload + 3) / 4 * 4;
        end = Cross(busy, padded + DATA_OVERHEAD_BYTES + (inMessage == 0 ? RETH_BYTES : 0));
        left -= payload;
        inMessage = (inMessage + payload) % MAX_MESSAGE_BYTES;
    }
    return end;
}

} // namespace llmfabric
} // namespace ns3
