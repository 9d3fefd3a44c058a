/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-set.h"

#include "ns3/node.h"
#include "ns3/roce-protocol.h"
#include "ns3/simulator.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{
namespace llmfabric
{

void
FlowSet::Install(const Fabric& fabric, const std::vector<FlowSpec>& flows)
{
    std::vector<std::size_t> order(flows.size());
    std::iota(order.begin(), order.end(), 0);
    auto key = [&flows](std::size_t i) {
        return std::tie(flows[i].start, flows[i].bytes, flows[i].from, flows[i].to);
    };
    std::stable_sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) {
        return key(a) < key(b);
    });
    const std::size_t first = m_results.size();
    for (const FlowSpec& flow : flows)
    {
        m_results.push_back({flow, -1, false, ""});
    }
    m_receivers.resize(m_results.size());
    for (std::size_t flow : order)
    {
        InstallOne(fabric, first + flow);
    }
}

void
FlowSet::InstallOne(const Fabric& fabric, std::size_t flow)
{
    const FlowSpec& spec = m_results[flow].spec;
    const Ptr<RoceNic> from = fabric.nics.at(spec.from);
    const Ptr<RoceNic> to = fabric.nics.at(spec.to);
    const uint32_t index = RoceNic::NextIndex(from, to);
    if (index > MAX_QUEUE_PAIR_INDEX)
    {
        throw UserError("more than 65536 flows between host " + std::to_string(spec.from) +
                            " and host " + std::to_string(spec.to),
                        "flows",
                        "merge some of them");
    }
    auto [sender, receiver] = RoceNic::Connect(from, to, index);
    receiver->GetResponder().SetReceiveCallback(MakeCallback(&FlowSet::OnReceive, this).Bind(flow));
    m_receivers[flow] = receiver;
    sender->GetRequester().SetCompletionCallback(
        MakeCallback(&FlowSet::OnComplete, this).Bind(flow));
    const uint32_t context = fabric.nics[spec.from]->GetPort()->GetNode()->GetId();
    Simulator::ScheduleWithContext(
        context,
        spec.start - Simulator::Now(),
        MakeEvent(&QueuePair::PostWrite, PeekPointer(sender), spec.bytes));
}

void
FlowSet::OnReceive(std::size_t flow, uint64_t /* bytes */)
{
    m_results[flow].received = Simulator::Now().GetTimeStep();
}

void
FlowSet::OnComplete(std::size_t flow, const TransferResult& result)
{
    m_results[flow].completed = !result.failed;
    m_results[flow].error = result.reason;
    ++m_ended;
    if (IsFinished() && !m_finished.IsNull())
    {
        m_finished();
    }
}

uint64_t
FlowSet::GetReceivedBytes() const
{
    uint64_t sum = 0;
    for (const Ptr<QueuePair>& receiver : m_receivers)
    {
        sum += receiver->GetResponder().GetReceivedBytes();
    }
    return sum;
}

std::vector<std::string>
FlowSet::GetWaits() const
{
    std::vector<std::string> waits;
    for (std::size_t flow = 0; flow < m_results.size(); ++flow)
    {
        const FlowResult& result = m_results[flow];
        if (!result.completed)
        {
            const uint64_t received = m_receivers[flow]->GetResponder().GetReceivedBytes();
            waits.push_back(
                "flow " + std::to_string(flow) + ", host " + std::to_string(result.spec.from) +
                " to host " + std::to_string(result.spec.to) + ": " + std::to_string(received) +
                " of " + std::to_string(result.spec.bytes) + " B received; " +
                (result.error.empty() ? "waits for its last acknowledgment" : result.error));
        }
    }
    return waits;
}

} // namespace llmfabric
} // namespace ns3
