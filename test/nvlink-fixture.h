/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLINK_FIXTURE_H
#define NVLINK_FIXTURE_H

#include "simulation-fixture.h"

#include "ns3/nvlink-switch.h"
#include "ns3/string.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// From GPU, to GPU.
using Way = std::pair<uint32_t, uint32_t>;

/// A message that came.
struct Arrival
{
    Way way;        //!< of its connection
    uint64_t bytes; //!< its size
    Time when;      //!< it came
};

/// Eight GPUs with links of 100 GB/s each way and no delay, so that 1 MB takes 10 us.
class NvlinkFixture : public SimulationTest
{
  protected:
    static constexpr uint32_t GPUS = 8;           //!< of the node
    static constexpr uint64_t MEGABYTE = 1000000; //!< 10 us
    static constexpr uint64_t SEGMENT = 131072;   //!< the default

    NvlinkFixture()
    {
        Make();
    }

    /// A new switch without connections.
    void Make()
    {
        m_connections.clear();
        m_arrivals.clear();
        m_switch = CreateObject<NvlinkSwitch>();
        m_switch->SetGpus(GPUS);
        Set("800Gbps", Time(0));
    }

    void TearDown() override
    {
        m_switch->Dispose();
        SimulationTest::TearDown();
    }

    /**
     * @param rate of the links
     * @param delay from GPU to GPU
     */
    void Set(const std::string& rate, Time delay)
    {
        m_switch->SetAttribute("Rate", StringValue(rate));
        m_switch->SetAttribute("Delay", TimeValue(delay));
    }

    /**
     * @param way from GPU, to GPU
     * @return the connection, which is made once
     */
    Ptr<GpuConnection> Of(Way way)
    {
        Ptr<GpuConnection>& one = m_connections[way];
        if (!one)
        {
            one = m_switch->Connect(way.first, way.second);
            one->SetReceiveCallback(MakeCallback(&NvlinkFixture::OnReceive, this).Bind(way));
        }
        return one;
    }

    /**
     * Post a message now.
     *
     * @param way from GPU, to GPU
     * @param bytes its size
     */
    void Send(Way way, uint64_t bytes)
    {
        Of(way)->Send(bytes);
    }

    /**
     * Post a message later.
     *
     * @param delay from now on
     * @param way from GPU, to GPU
     * @param bytes its size
     */
    void SendIn(Time delay, Way way, uint64_t bytes)
    {
        Simulator::Schedule(delay, [=]() { Send(way, bytes); });
    }

    /**
     * Each GPU posts equal messages to all others.
     *
     * @param bytes size of a message
     * @param turned GPU i begins with i + 1 instead of 0
     */
    void SendAllToAll(uint64_t bytes, bool turned)
    {
        for (uint32_t from = 0; from < GPUS; ++from)
        {
            for (uint32_t i = 0; i < GPUS; ++i)
            {
                const uint32_t to = turned ? (from + i) % GPUS : i;
                if (to != from)
                {
                    Send({from, to}, bytes);
                }
            }
        }
    }

    /**
     * @param way from GPU, to GPU
     * @return when the last message came this way
     */
    Time LastOf(Way way) const
    {
        Time last(-1);
        for (const Arrival& one : m_arrivals)
        {
            last = one.way == way ? one.when : last;
        }
        return last;
    }

    /**
     * @param bytes how many
     * @return how long they take
     */
    static Time TimeOf(uint64_t bytes)
    {
        return PicoSeconds(static_cast<int64_t>(10 * bytes));
    }

    Ptr<NvlinkSwitch> m_switch;                      //!< the switch
    std::map<Way, Ptr<GpuConnection>> m_connections; //!< those in use
    std::vector<Arrival> m_arrivals;                 //!< in order

  private:
    /**
     * @param way from GPU, to GPU
     * @param bytes what came
     */
    void OnReceive(Way way, uint64_t bytes)
    {
        m_arrivals.push_back({way, bytes, Simulator::Now()});
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* NVLINK_FIXTURE_H */
