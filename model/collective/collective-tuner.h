/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_TUNER_H
#define COLLECTIVE_TUNER_H

#include "collective-config.h"
#include "collective-cost-model.h"
#include "collective-registry.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// How an op is done.
struct CollectiveChoice
{
    std::shared_ptr<const CollectiveAlgorithm> algorithm;  //!< the algorithm
    CollectiveProtocol protocol{CollectiveProtocol::NONE}; //!< how slices are moved
    CollectiveCut cut{};                                   //!< how the payload is cut
};

/// A way to do an op, and how good it is.
struct CollectiveCandidate
{
    std::string algorithm;                                 //!< name of the algorithm
    CollectiveProtocol protocol{CollectiveProtocol::NONE}; //!< how slices are moved
    std::optional<Time> time;                              //!< by the cost model
    std::string obstacle; //!< why it has no time, as the end of a sentence; else empty
};

/// The user's choice for payloads of some sizes.
struct CollectiveRule
{
    std::optional<uint64_t> upTo; //!< largest payload that it is for, bytes; absent: all larger
    std::string algorithm;        //!< name of an algorithm, or CollectiveTuner::AUTO
};

/**
 * @ingroup llm-fabric
 * Chooses the algorithm, the protocol and the cut of each op. All ranks of a job share one, and as
 * the choice depends on what all members of a group know, they all get the same.
 *
 *     rules of the op  ->  a name           ->  that algorithm, or a UserError
 *                          "auto"           ->  the fastest by the cost model
 *     config.protocol  ->  a protocol       ->  that one
 *                          absent           ->  the fastest of simple, ll and ll128
 *
 * Of equally fast ways the first by name is taken, then the protocol in that order; but the default
 * of the op, if it takes at most 1 % more than the fastest. "auto" where no way has a cost is the
 * default of the op, too.
 */
class CollectiveTuner
{
  public:
    /// Name of the rule that takes the fastest algorithm.
    static constexpr const char* AUTO = "auto";
    /// Largest payload that FindCrossing() looks at, bytes.
    static constexpr uint64_t LARGEST = 1ULL << 40;

    /**
     * @param registry the algorithms to choose from
     * @param model what they cost
     * @param config how ranks do their collectives
     */
    CollectiveTuner(const CollectiveRegistry& registry,
                    const CollectiveCostModel& model,
                    const CollectiveConfig& config);

    /**
     * @param op an op as scenarios call it
     * @return its algorithm without rules: "direct" of alltoall and sendrecv, "ring" of others
     */
    static std::string GetDefault(const std::string& op);

    /**
     * @param op an op as scenarios call it
     * @param rules by ascending payload, of which only the last has no upTo; none: the default
     * @throws UserError if they are in disorder, or the op or an algorithm is unknown
     */
    void SetRules(const std::string& op, const std::vector<CollectiveRule>& rules);

    /**
     * Cheap enough for each op of each rank: what was chosen is kept, but for an All-to-All whose
     * unequal parts have no bytesId. A job's helper makes all choices at set-up, so that none is
     * made when ranks run.
     *
     * @param op an op as scenarios call it
     * @param task the op; its rank and cut are of no concern
     * @return how it is done
     * @throws UserError if the user's algorithm can't be done by this group
     */
    CollectiveChoice Choose(const std::string& op, const CollectiveTask& task) const;

    /**
     * @param choice how an op is done
     * @param task the op; its rank and cut are of no concern
     * @return what it takes by the cost model; none if the algorithm tells no cost
     */
    std::optional<Time> GetTime(const CollectiveChoice& choice, const CollectiveTask& task) const;

    /**
     * @param op an op as scenarios call it
     * @param task the op; its rank and cut are of no concern
     * @return all ways that "auto" has to do it, the fastest first, those without a time last
     */
    std::vector<CollectiveCandidate> GetCandidates(const std::string& op,
                                                   const CollectiveTask& task) const;

    /**
     * Find the payload from which on another algorithm is faster, by doubling and bisection.
     *
     * @param op an op as scenarios call it
     * @param small name of the algorithm that is as fast or faster for small payloads
     * @param large name of the algorithm that is faster for larger ones
     * @param layout where the members of a group are
     * @return payload, bytes, for which `large` is faster, but not for one byte less; none if
     *         `large` is faster for 1 byte, or never up to LARGEST
     * @throws UserError if the op or an algorithm is unknown
     */
    std::optional<uint64_t> FindCrossing(
        const std::string& op,
        const std::string& small,
        const std::string& large,
        const std::shared_ptr<const CollectiveLayout>& layout) const;

  private:
    /// What a choice depends on: op, layout, payload, root and bytesId. The layout is held, so that
    /// no other can come to its address.
    using Key = std::
        tuple<std::string, std::shared_ptr<const CollectiveLayout>, uint64_t, uint32_t, uint32_t>;

    /**
     * @param op an op
     * @param payload M, bytes
     * @return name of its algorithm, or AUTO
     */
    std::string FindRule(const std::string& op, uint64_t payload) const;
    /**
     * @param op an op
     * @param task the op
     * @return how it is done
     */
    CollectiveChoice Decide(const std::string& op, const CollectiveTask& task) const;
    /**
     * @param candidates the ways to do an op, the fastest, which has a time, first
     * @param name the default of the op
     * @return the way to take
     */
    static const CollectiveCandidate& Prefer(const std::vector<CollectiveCandidate>& candidates,
                                             const std::string& name);
    /**
     * @param op an op
     * @param name the algorithm that it has to be
     * @param task the op
     * @return how it is done
     */
    CollectiveChoice Fix(const std::string& op,
                         const std::string& name,
                         const CollectiveTask& task) const;
    /**
     * @param algorithm an algorithm
     * @return the protocols to choose from
     */
    std::vector<CollectiveProtocol> GetProtocols(const CollectiveAlgorithm& algorithm) const;
    /**
     * @param algorithm an algorithm
     * @param task an op
     * @return the ways to do it with this algorithm, by protocol
     */
    std::vector<CollectiveCandidate> Weigh(const CollectiveAlgorithm& algorithm,
                                           const CollectiveTask& task) const;
    /**
     * @param algorithm an algorithm
     * @param task an op
     * @param protocol a protocol
     * @return what the op takes; none if the algorithm has an obstacle or no cost
     */
    std::optional<Time> GetTime(const CollectiveAlgorithm& algorithm,
                                const CollectiveTask& task,
                                CollectiveProtocol protocol) const;

    CollectiveRegistry m_registry;                              //!< the algorithms
    CollectiveCostModel m_model;                                //!< what they cost
    CollectiveConfig m_config;                                  //!< how ranks do collectives
    std::map<std::string, std::vector<CollectiveRule>> m_rules; //!< by op
    mutable std::map<Key, CollectiveChoice> m_choices;          //!< what was chosen
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_TUNER_H */
