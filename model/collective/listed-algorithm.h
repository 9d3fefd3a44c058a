/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_ALGORITHM_H
#define LISTED_ALGORITHM_H

#include "collective-algorithm.h"
#include "listed-program.h"
#include "listed-schedule.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A collective algorithm that is listed step by step, as tools that synthesize schedules do.
 *
 * What one rank sends another leaves in the order of its steps, and is taken in the order of the
 * other's. Everything else may happen at the same time, but for what a step is said to be after. A
 * step that is after one of the same chunks follows it slice by slice.
 *
 * A list is checked when the algorithm is made; one that is accepted does what its op promises for
 * any payload, cut in any slices, with any number of slots. Its cut goes by its own chunks;
 * channels are of no concern, and each message uses the NIC of its GPU. Of an op with a root, rank
 * 0 of the list is the root, and the others follow in their order.
 */
class ListedAlgorithm : public CollectiveAlgorithm
{
  public:
    /**
     * @param schedule the list
     * @throws UserError if it is not right, which says what is wrong with which step
     */
    explicit ListedAlgorithm(ListedSchedule schedule);

    std::string GetOp() const override;
    std::string GetName() const override;
    std::string GetObstacle(const CollectiveLayout& layout) const override;
    std::vector<std::unique_ptr<CollectiveLane>> CreateLanes(
        const CollectiveTask& task) const override;

  private:
    std::shared_ptr<const ListedProgram> m_program; //!< the list
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_ALGORITHM_H */
