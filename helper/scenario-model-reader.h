/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_MODEL_READER_H
#define SCENARIO_MODEL_READER_H

#include "scenario-section.h"
#include "scenario-spec.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Reads what a training job learns from and what learns: the sections corpus, model, precision and
 * batch.
 */
class ScenarioModelReader
{
  public:
    /**
     * @param root the whole scenario
     * @param [in,out] scenario gets the values; must outlive this
     */
    ScenarioModelReader(const ScenarioSection& root, Scenario& scenario);

    /**
     * Read the sections.
     *
     * @throws UserError for an unknown or absent key or a bad value
     */
    void Read();

  private:
    /// Reads the section corpus.
    void ReadCorpus();

    /**
     * Refuse a key of the corpus that changes nothing.
     *
     * @param section the section
     * @param key a key
     * @param applies whether the corpus is of the kind that the key belongs to
     * @param kind that kind
     * @param size the key that makes the corpus so
     */
    void CheckApplies(const ScenarioSection& section,
                      const std::string& key,
                      bool applies,
                      const std::string& kind,
                      const std::string& size) const;

    /// Reads the section model.
    void ReadModel();

    /// @param section the section model: reads the numbers that shape every model
    void ReadShape(const ScenarioSection& section);

    /// @param section the section model: reads the experts
    void ReadExperts(const ScenarioSection& section);

    /// @param section the section model: reads the latent attention
    void ReadLatent(const ScenarioSection& section);

    /// Reads the section precision.
    void ReadPrecision();

    /// Reads the section batch.
    void ReadBatch();

    const ScenarioSection& m_root; //!< the whole scenario
    Scenario& m_scenario;          //!< gets the values
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_MODEL_READER_H */
