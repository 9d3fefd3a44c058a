/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_HELPER_H
#define TRAINING_JOB_HELPER_H

#include "cluster-costs.h"
#include "fabric-helper.h"
#include "random-variable-text.h"

#include "ns3/attribute.h"
#include "ns3/collective-registry.h"
#include "ns3/collective-settings.h"
#include "ns3/collective-tuner.h"
#include "ns3/object-factory.h"
#include "ns3/program-op.h"
#include "ns3/rank-application.h"
#include "ns3/rank-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

class MessageTransport;

/**
 * @ingroup llm-fabric
 * Puts a training job on a cluster: one RankApplication a GPU, and the connections between them.
 *
 *     TrainingJobHelper helper(8);
 *     helper.InstallGpus(fabric);
 *     auto ranks = helper.Install(fabric, std::make_shared<TrainingJob>(spec));
 *
 * Rank i runs on GPU i; GPU numbers run node by node. Each lane of a group, and each channel
 * between two ranks, has connections of its own, even where they join the same GPUs, for the whole
 * job. They, and so the numbers of queue pairs, are made in the order of ranks, and for each rank
 * in the order in which its program first uses them.
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

    /**
     * Choose how collectives are done; by default by a ring, an All-to-All and Send/Recv directly.
     *
     * @param kind what they do
     * @param name algorithm, e.g. "ring", or "auto" for the fastest by formula
     */
    void SetAlgorithm(CollectiveKind kind, const std::string& name);

    /**
     * Choose how collectives are done by their payload.
     *
     * @param kind what they do
     * @param rules the algorithms and up to which payload they are taken, ascending
     */
    void SetRules(CollectiveKind kind, const std::vector<CollectiveRule>& rules);

    /**
     * Add an algorithm that SetAlgorithm() and SetRules() can name, before or after.
     *
     * @param algorithm the algorithm
     * @throws UserError if its op has one of the same name
     */
    void AddAlgorithm(std::shared_ptr<const CollectiveAlgorithm> algorithm);

    /**
     * @param name attribute of CollectiveSettings
     * @param value its value
     */
    void SetCollectiveAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Let ranks compute slower than planned.
     *
     * @param factors by rank: how many times as long each of its computations takes, above 0
     * @param jitter a random variable that is drawn for each computation of each rank and
     *        multiplied with its duration, e.g. "ns3::NormalRandomVariable[Mean=1|Variance=0.01]";
     *        empty for none
     * @throws UserError if a factor or the text is not allowed
     */
    void SetStragglers(const std::map<uint32_t, double>& factors, const std::string& jitter);

    /**
     * Let ranks begin later than at time 0, or never.
     *
     * @param starts by rank: when it begins
     * @param absent ranks that never begin
     */
    void SetStarts(const std::map<uint32_t, Time>& starts, const std::set<uint32_t>& absent);

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
     * @param plan the job, e.g. a TrainingJob
     * @return the applications, by rank; they start at time 0
     * @throws UserError if there are more ranks than GPUs, no such algorithm, or no such straggler
     */
    std::vector<Ptr<RankApplication>> Install(const Fabric& fabric,
                                              std::shared_ptr<const RankPlan> plan) const;

    /**
     * @return the settings of collectives
     * @throws UserError if there is no such protocol
     */
    CollectiveConfig GetCollectiveConfig() const;

    /**
     * @param costs a cluster
     * @return how collectives are done there
     * @throws UserError if there is no such algorithm or protocol
     */
    std::shared_ptr<const CollectiveSetup> MakeSetup(const ClusterCosts& costs) const;

  private:
    /// By rank.
    using Applications = std::vector<Ptr<RankApplication>>;

    /** What the ranks of a job have in common. */
    struct Job
    {
        std::shared_ptr<const RankPlan> plan;               //!< what they do
        std::shared_ptr<const CollectiveSetup> collectives; //!< how collectives are done
        std::map<uint32_t, RankCommunicator::Group> groups; //!< the groups, by id
    };

    /**
     * @param ranks ranks of the job
     * @param gpus GPUs of the cluster
     * @throws UserError if they do not fit, or a straggler is none of them
     */
    void CheckRanks(uint32_t ranks, uint32_t gpus) const;

    /**
     * @param fabric the network
     * @param plan the job
     * @return what its ranks have in common
     * @throws UserError if there is no such algorithm or protocol
     */
    Job MakeJob(const Fabric& fabric, const std::shared_ptr<const RankPlan>& plan) const;

    /**
     * @param job the job
     * @param rank a rank
     * @return what it does
     */
    static RankConfig MakeConfig(const Job& job, uint32_t rank);

    /**
     * @param config what a rank does
     * @return its application, not installed
     */
    Ptr<RankApplication> MakeApplication(const RankConfig& config) const;

    /**
     * Make the connections that a rank sends on.
     *
     * @param transport makes connections
     * @param applications the ranks
     * @param rank the rank
     * @throws UserError if an algorithm can't be done on a group
     */
    static void Connect(MessageTransport& transport,
                        const Applications& applications,
                        uint32_t rank);

    uint32_t m_gpusPerNode;                                            //!< GPUs of a server
    std::map<CollectiveKind, std::vector<CollectiveRule>> m_rules;     //!< how collectives are done
    CollectiveRegistry m_registry;                                     //!< algorithms by name
    ObjectFactory m_settings;                                          //!< makes their settings
    std::map<uint32_t, double> m_factors;                              //!< slower ranks
    std::map<uint32_t, Time> m_starts;                                 //!< of late ranks
    std::set<uint32_t> m_absent;                                       //!< ranks that never begin
    std::optional<RandomVariableText> m_jitter;                        //!< of all computations
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_nvlink; //!< of NvlinkSwitch
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_JOB_HELPER_H */
