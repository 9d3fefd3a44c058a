/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-bench-scenario.h"

#include "scenario-words.h"

#include "ns3/fabric-frame.h"
#include "ns3/listed-plan.h"
#include "ns3/op-list.h"
#include "ns3/user-error.h"

#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/** 16 hosts to one. */
class IncastScenario : public CongestionBenchScenario
{
  public:
    std::string GetTitle() const override
    {
        return "16-to-1 incast of 10 MB each, 100 Gb/s, one switch";
    }

    std::string GetText() const override
    {
        std::string text = "cluster: {nodes: 17}\nflows:\n";
        for (int host = 0; host < 16; ++host)
        {
            text += "  - {from: " + std::to_string(host) + ", to: 16, bytes: 10MB, start: 0us}\n";
        }
        return text;
    }
};

/** One flow comes and goes beside another. */
class JoinLeaveScenario : public CongestionBenchScenario
{
  public:
    std::string GetTitle() const override
    {
        return "two to one: 125 MB join 500 MB after 10 ms, and leave; 100 Gb/s, one switch";
    }

    std::string GetText() const override
    {
        return "cluster: {nodes: 3}\n"
               "flows:\n"
               "  - {from: 0, to: 2, bytes: 500MB, start: 0us}\n"
               "  - {from: 1, to: 2, bytes: 125MB, start: 10ms}\n";
    }
};

/** Rings that do AllReduces at once. */
class BurstScenario : public CongestionBenchScenario
{
  public:
    std::string GetTitle() const override
    {
        return "3 synchronized AllReduces of 16 MB in 8 rings over 4 leaves of 8 hosts, 2:1";
    }

    std::string GetText() const override
    {
        std::ostringstream text;
        text << "cluster: {nodes: " << LEAVES * RINGS
             << ", gpus_per_node: 1, topology: leaf-spine, leaves: " << LEAVES
             << ", spines: " << SPINES << ", hosts_per_leaf: " << RINGS << "}\n"
             << "schedule: {file: none}\n"; // MakePlan() stands for it
        return text.str();
    }

    std::shared_ptr<const RankPlan> MakePlan() const override
    {
        auto plan = std::make_shared<ListedPlan>(LEAVES * RINGS, 1);
        plan->AddGroup(RankGroup(RINGS, 0, 1, LEAVES * RINGS), "all");
        for (uint32_t ring = 0; ring < RINGS; ++ring)
        {
            plan->AddGroup(RankGroup(ring, ring, RINGS, LEAVES), "ring");
        }
        for (uint32_t rank = 0; rank < LEAVES * RINGS; ++rank)
        {
            plan->SetProgram(rank, MakeOps(rank % RINGS));
        }
        return plan;
    }

    Time GetIdealCollective() const override
    {
        const double bytes = 2.0 * (LEAVES - 1) / LEAVES * PAYLOAD;
        const double wire = bytes * (MTU + DATA_OVERHEAD_BYTES) / MTU;
        return Seconds(wire * 8 / RATE * RINGS / SPINES);
    }

  private:
    static constexpr uint32_t LEAVES = 4;         //!< hosts of a ring, each below another
    static constexpr uint32_t RINGS = 8;          //!< rings, and hosts below a leaf
    static constexpr uint32_t SPINES = 4;         //!< uplinks of a leaf
    static constexpr uint32_t BURSTS = 3;         //!< AllReduces of a ring
    static constexpr uint64_t PAYLOAD = 16000000; //!< of an AllReduce, bytes
    static constexpr double RATE = 100e9;         //!< of links, bit/s
    static constexpr double MTU = 4096;           //!< payload bytes of a packet

    /**
     * @param ring a ring
     * @return what its members do
     */
    static std::shared_ptr<const OpList> MakeOps(uint32_t ring)
    {
        auto ops = std::make_shared<OpList>();
        ops->BeginBlock(1);
        std::vector<uint32_t> last;
        for (uint32_t burst = 0; burst < BURSTS; ++burst)
        {
            ComputeOp compute;
            compute.miniBatch = burst;
            compute.duration = MilliSeconds(5);
            last = {ops->Add({COMPUTE_STREAM, compute}, last)};
            CollectiveOp barrier;
            barrier.kind = CollectiveKind::BARRIER;
            barrier.group = RINGS;
            last = {ops->Add({GetStream(GroupKind::TENSOR), barrier}, last)};
            CollectiveOp reduce;
            reduce.group = ring;
            reduce.payload = PAYLOAD;
            last = {ops->Add({GetStream(GroupKind::DATA), reduce}, last)};
        }
        return ops;
    }
};

/** Flows at random. */
class WebSearchScenario : public CongestionBenchScenario
{
  public:
    std::string GetTitle() const override
    {
        return "web-search flows at 60 % load for 10 ms, fat-tree of 16 hosts";
    }

    std::string GetText() const override
    {
        return "cluster: {nodes: 16, topology: fat-tree, k: 4}\n"
               "load: {distribution: web-search, percent: 60, duration: 10ms}\n";
    }
};

} // namespace

std::vector<std::string>
CongestionBenchScenario::GetNames()
{
    return {"incast", "join-leave", "bursts", "web-search"};
}

std::unique_ptr<CongestionBenchScenario>
CongestionBenchScenario::Create(const std::string& name)
{
    if (name == "incast")
    {
        return std::make_unique<IncastScenario>();
    }
    if (name == "join-leave")
    {
        return std::make_unique<JoinLeaveScenario>();
    }
    if (name == "bursts")
    {
        return std::make_unique<BurstScenario>();
    }
    if (name == "web-search")
    {
        return std::make_unique<WebSearchScenario>();
    }
    throw UserError("there is no scenario '" + name + "'",
                    "command line (--scenarios)",
                    "known: " + JoinWords(GetNames()));
}

std::shared_ptr<const RankPlan>
CongestionBenchScenario::MakePlan() const
{
    return nullptr;
}

Time
CongestionBenchScenario::GetIdealCollective() const
{
    return Time(0);
}

} // namespace llmfabric
} // namespace ns3
