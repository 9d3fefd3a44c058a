/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include "flow-set.h"
#include "load-spec.h"
#include "slowdown-table.h"

#include "ns3/drop-reason.h"
#include "ns3/nstime.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** A step of the training run over all ranks. */
struct StepResult
{
    uint64_t step{0};          //!< number, from 0
    Time start;                //!< the first rank began
    Time end;                  //!< the last rank ended
    Time compute;              //!< largest compute time of a rank
    double tokensPerSecond{0}; //!< of all GPUs

    /** @return duration - compute: communication that is not hidden, and waiting for other stages
     */
    Time GetExposedCommunication() const
    {
        return end - start - compute;
    }
};

/** A collective over all its ranks. */
struct CollectiveResult
{
    uint32_t group{0};                      //!< id of the group
    std::string groupName;                  //!< e.g. "data"
    uint32_t firstRank{0};                  //!< first member of the group
    std::string op;                         //!< e.g. "allreduce"
    std::string algorithm;                  //!< e.g. "ring"
    uint32_t ranks{0};                      //!< members of the group
    uint64_t payload{0};                    //!< M, bytes
    std::vector<uint64_t> sentBytesPerRank; //!< handed to NICs and NVLink, by index in the group
    Time start;                             //!< the first rank reached it
    Time end;                               //!< the last rank ended it
};

/** Messages of all queue pairs. */
struct MessageCounts
{
    uint64_t count{0};     //!< posted
    uint64_t completed{0}; //!< acknowledged to the end
    uint64_t failed{0};    //!< given up
};

/** Sums over all ports, switches and NICs. */
struct RunCounters
{
    DropCounters drops{};             //!< lost frames by reason
    uint64_t ecnMarked{0};            //!< frames marked by switches
    uint64_t cnpSent{0};              //!< congestion notifications sent
    uint64_t pauseSent{0};            //!< PFC pause frames sent by switches, renewals included
    uint64_t resumeSent{0};           //!< PFC resume frames sent by switches
    uint64_t nicPauseSent{0};         //!< PFC pause frames sent by NICs, renewals included
    uint64_t nicResumeSent{0};        //!< PFC resume frames sent by NICs
    uint64_t timeouts{0};             //!< retransmission timeouts
    uint64_t retransmittedPackets{0}; //!< data packets sent again
    uint64_t dataPackets{0};          //!< data packets sent by NICs, retransmissions included
    uint64_t dataPacketHops{0};       //!< data packets sent by all ports
};

/** All that a run gives. */
struct RunResults
{
    std::string scenario;                      //!< its name
    std::optional<StageReport> stages;         //!< of a training job
    std::vector<StepResult> steps;             //!< finished steps
    std::vector<CollectiveResult> collectives; //!< ended collectives
    std::vector<FlowResult> flows;             //!< plain flows: those listed, then the load's
    std::vector<int64_t> idealTicks;           //!< of each flow: its time alone; -1: none
    std::optional<LoadSummary> load;           //!< flows at random, if there are any
    std::optional<SlowdownTable> slowdowns;    //!< of the load, after the run
    MessageCounts messages;                    //!< of all queue pairs
    RunCounters counters;                      //!< sums
    std::vector<std::string> unfinished;       //!< what has not ended, and on whom it waits
    std::string error;                         //!< why nothing or not all was simulated, or empty
    Time simulated;                            //!< time of the last event
    double wallSeconds{0};                     //!< of the simulation
    double cpuSeconds{0};                      //!< of the simulation
    uint64_t events{0};                        //!< fabric events
    uint64_t traceRows{0};                     //!< rows of the trace
    std::string traceFile;                     //!< where the trace is, or empty

    /**
     * @param flow index of a flow
     * @return from its start to its last byte at the receiver, over the time that it takes alone;
     *         nothing if the last byte has not come
     */
    std::optional<double> GetSlowdown(std::size_t flow) const
    {
        const FlowResult& result = flows[flow];
        if (result.received < 0 || flow >= idealTicks.size() || idealTicks[flow] <= 0)
        {
            return std::nullopt;
        }
        return static_cast<double>(result.received - result.spec.start.GetTimeStep()) /
               static_cast<double>(idealTicks[flow]);
    }
};

} // namespace llmfabric
} // namespace ns3

#endif /* RUN_RESULTS_H */
