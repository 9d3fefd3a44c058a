/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SINGLE_STEP_LANE_H
#define SINGLE_STEP_LANE_H

#include "collective-lane.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A lane of one step, which is given: for algorithms whose bytes cross a rank once per lane, as
 * those of trees, chains and direct messages.
 */
class SingleStepLane : public CollectiveLane
{
  public:
    /// Where a lane belongs.
    struct Place
    {
        uint32_t channel{0};    //!< the channel
        bool channelNic{false}; //!< messages use the channel's NIC, else that of the GPU
        uint32_t origin{0};     //!< DataPiece::origin of what is sent
    };

    /**
     * @param place where the lane belongs
     * @param step the step; one without peers is none
     */
    SingleStepLane(const Place& place, const LaneStep& step);

    uint32_t GetChannel() const override;
    bool UsesChannelNic() const override;
    uint64_t GetStepCount() const override;
    LaneStep GetStep(uint64_t index) const override;
    std::vector<DataPiece> GetPieces(uint64_t index) const override;

  private:
    Place m_place;   //!< where the lane belongs
    LaneStep m_step; //!< the step
};

} // namespace llmfabric
} // namespace ns3

#endif /* SINGLE_STEP_LANE_H */
