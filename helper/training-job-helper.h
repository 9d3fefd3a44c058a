/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_HELPER_H
#define TRAINING_JOB_HELPER_H

#include "fabric-helper.h"

#include "ns3/attribute.h"
#include "ns3/object-factory.h"
#include "ns3/rank-application.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Puts a training job on a cluster: one RankApplication a GPU, and the connections between them.
 *
 * Rank i runs on GPU i; GPU numbers run node by node. Connections, and so the numbers of queue
 * pairs, are made in the order of ranks.
 */
class TrainingJobHelper
{
  public:
    /** @param gpusPerNode GPUs of a server, a multiple of its NICs */
    explicit TrainingJobHelper(uint32_t gpusPerNode);

    /**
     * @param name attribute of NvlinkSwitch
     * @param value its value
     */
    void SetNvlinkAttribute(const std::string& name, const AttributeValue& value);

    /** @param name algorithm of AllReduce, e.g. "ring" */
    void SetAllReduce(const std::string& name);

    /**
     * Turn the servers into GPU servers. Attributes of GpuNode and NvlinkSwitch may be set by
     * Config path from then on.
     *
     * @param fabric the network
     */
    void InstallGpus(const Fabric& fabric) const;

    /**
     * Install a job on a network that has GPUs.
     *
     * @param fabric the network
     * @param job the job
     * @return the applications, by rank; they start at time 0
     * @throws UserError if there are more ranks than GPUs, or no such algorithm
     */
    std::vector<Ptr<RankApplication>> Install(const Fabric& fabric, const TrainingJob& job) const;

  private:
    uint32_t m_gpusPerNode;                                            //!< GPUs of a server
    std::string m_allReduce{"ring"};                                   //!< algorithm of AllReduce
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_nvlink; //!< of NvlinkSwitch
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_JOB_HELPER_H */
