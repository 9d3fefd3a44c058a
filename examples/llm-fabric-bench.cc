/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a packet costs: fixed cases, one JSON line a run, each in a process of its own.
//
//   llm-fabric-bench [--case=W1|W2|W3|W4] [--ack-interval=K] [--idle=N]
//
// Without --case W1 to W3, without --ack-interval with one ACK per packet and with one per 16.
// --idle=N makes N more queue pairs that never send, between the hosts of the first flow.
//
// W1  incast:      16 hosts to 1 on one switch, 10 MB each
// W2  permutation: 4 leaves x 8 hosts, 4 spines, host i to (i + 8) mod 32, 20 MB each
// W3  fat-tree:    k = 8, 128 hosts, host i to (i + 64) mod 128, 5 MB each
// W4  one flow:    2 hosts on one switch, 400 MB
// All: 100 Gb/s, 1 us, payload 1000 B, DCQCN, PFC, ECN, no trace.

#include "ns3/command-line.h"
#include "ns3/fabric-engine.h"
#include "ns3/fabric-helper.h"
#include "ns3/flow-set.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{
thread_local uint64_t t_allocations = 0; //!< heap allocations of this thread

/** A case of the benchmark. */
struct Case
{
    std::string topology;
    TopologySpec spec;
    std::vector<FlowSpec> flows;
};

Case
MakeCase(const std::string& name)
{
    Case made;
    if (name == "W1")
    {
        made.topology = "single-switch";
        made.spec.nodes = 17;
        for (uint32_t i = 0; i < 16; ++i)
        {
            made.flows.push_back({i, 16, 10000000, Time(0)});
        }
        return made;
    }
    if (name == "W4")
    {
        made.topology = "single-switch";
        made.spec.nodes = 2;
        made.flows.push_back({0, 1, 400000000, Time(0)});
        return made;
    }
    const bool w2 = name == "W2";
    if (!w2 && name != "W3")
    {
        std::cerr << "llm-fabric-bench: unknown --case=" << name << "; known: W1, W2, W3, W4\n";
        std::exit(2);
    }
    made.topology = w2 ? "leaf-spine" : "fat-tree";
    made.spec.nodes = w2 ? 32 : 128;
    made.spec.leaves = 4;
    made.spec.spines = 4;
    made.spec.hostsPerLeaf = 8;
    made.spec.k = 8;
    const uint32_t shift = w2 ? 8 : 64;
    for (uint32_t i = 0; i < made.spec.nodes; ++i)
    {
        const uint64_t bytes = w2 ? 20000000 : 5000000;
        made.flows.push_back({i, (i + shift) % made.spec.nodes, bytes, Time(0)});
    }
    return made;
}

/** Samples the anonymous memory of the process until it goes out of scope. */
class MemoryWatch
{
  public:
    MemoryWatch()
        : m_thread([this]() {
              while (!m_stop)
              {
                  m_peakKb = std::max(m_peakKb, ReadKb());
                  std::this_thread::sleep_for(std::chrono::milliseconds(10));
              }
          })
    {
    }

    /** @return the peak, MB of 10^6 bytes */
    double Stop()
    {
        m_stop = true;
        m_thread.join();
        return static_cast<double>(std::max(m_peakKb, ReadKb())) * 1024 / 1e6;
    }

  private:
    static uint64_t ReadKb()
    {
        std::ifstream status("/proc/self/status");
        std::string word;
        uint64_t kb = 0;
        while (status >> word)
        {
            if (word == "RssAnon:")
            {
                status >> kb;
                break;
            }
        }
        return kb;
    }

    uint64_t m_peakKb{0};
    std::atomic<bool> m_stop{false};
    std::thread m_thread;
};

double
CpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

nlohmann::ordered_json
FlowTimes(const FlowSet& flows)
{
    double least = 1e300;
    double most = 0;
    double sum = 0;
    for (const FlowResult& result : flows.GetResults())
    {
        const double ns = static_cast<double>(result.received) / 1e3;
        least = std::min(least, ns);
        most = std::max(most, ns);
        sum += ns;
    }
    const double mean = sum / static_cast<double>(flows.GetResults().size());
    return {{"min", least}, {"mean", mean}, {"max", most}};
}

/** What to run. */
struct Options
{
    std::string name;                       //!< of the case
    uint32_t ackInterval{16};               //!< packets for which one ACK is asked
    uint32_t idle{0};                       //!< queue pairs that never send
    std::string congestionControl{"Dcqcn"}; //!< class
    uint64_t batch{1};                      //!< fabric events in one ns-3 event, at most
};

/** What ports have sent. */
struct Sent
{
    uint64_t dataPackets{0};
    uint64_t dataHops{0};
    uint64_t frameHops{0};
};

Sent
CountSent(const Fabric& fabric)
{
    Sent sum;
    for (const Ptr<FabricPort>& port : fabric.GetPorts())
    {
        const auto& sent = port->GetCounters().framesSent;
        const uint64_t data = sent[static_cast<std::size_t>(FrameKind::DATA)];
        sum.dataHops += data;
        sum.dataPackets += port->IsSwitchPort() ? 0 : data;
        sum.frameHops += std::accumulate(sent.begin(), sent.end(), uint64_t{0});
    }
    return sum;
}

Fabric
MakeFabric(const Options& options, const Case& made)
{
    FabricHelper helper;
    helper.SetNicAttribute("Mtu", UintegerValue(1000));
    helper.SetNicAttribute("AckInterval", UintegerValue(options.ackInterval));
    helper.SetNicAttribute("CongestionControl",
                           StringValue("ns3::llmfabric::" + options.congestionControl));
    return helper.Create(TopologyBuilder::Create(made.topology)->Build(made.spec));
}

/** Run one case and print its line. @return true if all flows ended */
bool
RunCase(const Options& options)
{
    const Case made = MakeCase(options.name);
    const Fabric fabric = MakeFabric(options, made);
    FlowSet flows;
    flows.Install(fabric, made.flows);
    for (uint32_t i = 0; i < options.idle; ++i)
    {
        const Ptr<RoceNic> from = fabric.nics[made.flows[0].from];
        const Ptr<RoceNic> to = fabric.nics[made.flows[0].to];
        RoceNic::Connect(from, to, RoceNic::NextIndex(from, to));
    }
    FabricEngine::Get()->SetBatch(options.batch);

    // Allocations count from the steady state on: pools and vectors have grown by then.
    MemoryWatch memory;
    const double cpuBefore = CpuSeconds();
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    const uint64_t allocationsBefore = t_allocations;
    const uint64_t packetsBefore = CountSent(fabric).dataPackets;
    const uint64_t allocationsOfCounting = t_allocations - allocationsBefore;
    Simulator::Run();
    const double cpu = CpuSeconds() - cpuBefore;
    const uint64_t allocations = t_allocations - allocationsBefore - allocationsOfCounting;

    const Sent sent = CountSent(fabric);
    const uint64_t events = FabricEngine::Get()->GetEventCount();
    const nlohmann::ordered_json line = {
        {"case", options.name},
        {"ack_interval", options.ackInterval},
        {"idle_queue_pairs", options.idle},
        {"data_packets", sent.dataPackets},
        {"data_packet_hops", sent.dataHops},
        {"events", events},
        {"cpu_s", cpu},
        {"ns_per_hop", cpu * 1e9 / static_cast<double>(sent.dataHops)},
        {"events_per_frame_hop", static_cast<double>(events) / static_cast<double>(sent.frameHops)},
        {"allocations_per_packet",
         static_cast<double>(allocations) / static_cast<double>(sent.dataPackets - packetsBefore)},
        {"rss_anon_mb", memory.Stop()},
        {"fct_ns", FlowTimes(flows)}};
    std::cout << line.dump() << std::endl;
    Simulator::Destroy();
    return flows.IsFinished();
}

/** Run one case in a process of its own, so that its memory is its own. @return true if it ended */
bool
RunInChild(const Options& options)
{
    const pid_t child = fork();
    if (child == 0)
    {
        std::exit(RunCase(options) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

// Not inlined, or the compiler takes malloc and free for a mismatched pair.
[[gnu::noinline]] void*
operator new(std::size_t size)
{
    ++t_allocations;
    if (void* memory = std::malloc(size))
    {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void*
operator new(std::size_t size, std::align_val_t alignment) // frames are aligned to cache lines
{
    ++t_allocations;
    const auto align = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align))
    {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void
operator delete(void* memory, std::align_val_t /* alignment */) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t /* size */, std::align_val_t /* alignment */) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t /* size */) noexcept
{
    std::free(memory);
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::llmfabric::FabricScheduler"));
    Options options;
    uint32_t ackInterval = 0;
    CommandLine command;
    command.AddValue("case", "W1, W2, W3 or W4; default: W1 to W3", options.name);
    command.AddValue("ack-interval",
                     "packets for which one ACK is asked; default: 1 and 16",
                     ackInterval);
    command.AddValue("idle", "queue pairs beside that never send", options.idle);
    command.AddValue("congestion-control", "Dcqcn or FixedRate", options.congestionControl);
    command.AddValue("batch", "fabric events in one ns-3 event, at most", options.batch);
    command.Parse(argc, argv);

    std::vector<std::string> names{"W1", "W2", "W3"};
    if (!options.name.empty())
    {
        names = {options.name};
    }
    std::vector<uint32_t> intervals{1, 16};
    if (ackInterval > 0)
    {
        intervals = {ackInterval};
    }
    bool ended = true;
    for (const std::string& name : names)
    {
        MakeCase(name); // tells a mistake before anything runs
        for (uint32_t interval : intervals)
        {
            options.name = name;
            options.ackInterval = interval;
            ended = RunInChild(options) && ended;
        }
    }
    return ended ? 0 : 1;
}
