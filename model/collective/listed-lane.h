/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_LANE_H
#define LISTED_LANE_H

#include "collective-lane.h"
#include "collective-task.h"
#include "listed-chunks.h"
#include "listed-program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A lane of a list: step i does what is listed as the i-th send and the i-th receive there, each
 * when its own time has come.
 */
class ListedLane : public CollectiveLane
{
  public:
    /**
     * @param program the list
     * @param task what the rank knows of the op
     * @param lane index of the lane, below p - 1
     */
    ListedLane(std::shared_ptr<const ListedProgram> program,
               const CollectiveTask& task,
               uint32_t lane);

    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

  private:
    /**
     * @param id id of a step
     * @return where its bytes begin, and how many they are
     */
    ByteRange GetRange(uint32_t id) const;
    /**
     * @param id id of a step
     * @return the member that it sends to or receives from
     */
    uint32_t GetPeer(uint32_t id) const;
    /**
     * Empty steps wait for nothing, so a step waits for what the empty ones before it would wait
     * for.
     *
     * @param id id of a step
     * @return what must be over before its slices
     */
    LaneNeeds GetNeeds(uint32_t id) const;

    std::shared_ptr<const ListedProgram> m_program; //!< the list
    CollectiveTask m_task;                          //!< what the rank knows of the op
    ListedChunks m_chunks;                          //!< how the payload is cut
    uint32_t m_shift;                               //!< index of the member that is rank 0 of it
    ListedProgram::Strand m_sends;                  //!< what it sends
    ListedProgram::Strand m_receives;               //!< what it receives
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_LANE_H */
