/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Plans a training job, walks the program of one of its ranks, and runs the job on a network.

#include "ns3/fabric-helper.h"
#include "ns3/simulator.h"
#include "ns3/topology-builder.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-job.h"

#include <iostream>
#include <memory>

using namespace ns3;
using namespace ns3::llmfabric;

namespace
{

/** @return GPT-2 small on 4 data-parallel ranks, each a pipeline of 2 stages */
TrainingSpec
MakeSpec()
{
    TrainingSpec spec;
    spec.corpus = Corpus::FromWords(100000);
    spec.model = Transformer(Transformer::GetPreset("gpt2-small"));
    spec.batch.localSequences = 4;
    spec.batch.microSequences = 1;
    spec.parallel.data = 4;
    spec.parallel.pipeline = 2;
    spec.parallel.schedule = "1f1b";
    spec.compute.forward = MilliSeconds(12);
    spec.compute.backward = MilliSeconds(24);
    return spec;
}

/** Print the ops of a rank. */
void
PrintProgram(const RankPlan& plan, uint32_t rank)
{
    const RankProgram program = plan.GetProgram(rank);
    for (uint64_t i = 0; i < program.GetOpCount(); ++i)
    {
        const ProgramOp op = program.GetOp(i);
        std::cout << i << " " << GetStreamName(op.stream) << ": ";
        if (const auto* compute = std::get_if<ComputeOp>(&op.what))
        {
            std::cout << GetName(compute->phase) << " of micro-batch " << compute->microBatch
                      << ", " << compute->duration.As(Time::MS);
        }
        else if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
        {
            std::cout << GetName(collective->kind) << " of " << collective->payload << " B over "
                      << plan.GetGroup(collective->group).GetSize() << " ranks";
        }
        else if (const auto* send = std::get_if<SendOp>(&op.what))
        {
            std::cout << send->bytes << " B to rank " << send->peer;
        }
        else if (const auto* receive = std::get_if<ReceiveOp>(&op.what))
        {
            std::cout << receive->bytes << " B from rank " << receive->peer;
        }
        for (uint64_t before : program.GetAfter(i))
        {
            std::cout << ", after " << before;
        }
        std::cout << "\n";
    }
}

} // namespace

int
main()
{
    Time::SetResolution(Time::PS); // first of all: links are exact in picoseconds
    const auto job = std::make_shared<const TrainingJob>(MakeSpec());
    PrintProgram(*job, 4); // rank = data + 4 pipeline: the second stage

    TopologySpec topology;
    topology.nodes = 4;
    topology.rate = DataRate("100Gbps");
    const Fabric fabric =
        FabricHelper().Create(TopologyBuilder::Create("single-switch")->Build(topology));
    TrainingJobHelper helper(2); // GPUs of a node
    helper.InstallGpus(fabric);
    const auto ranks = helper.Install(fabric, job);
    Simulator::Run();
    std::cout << "step: " << Simulator::Now().As(Time::MS) << ", rank 4 sent "
              << ranks[4]->GetSentBytes() << " B\n";
    Simulator::Destroy();
    return 0;
}
