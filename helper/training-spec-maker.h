/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_SPEC_MAKER_H
#define TRAINING_SPEC_MAKER_H

#include "scenario-spec.h"

#include "ns3/training-spec.h"

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * From the training job that a scenario describes to a TrainingSpec.
 */
class TrainingSpecMaker
{
  public:
    /**
     * Make the spec; this reads the file of the corpus, if it is one.
     *
     * @param scenario a scenario that HasTraining()
     * @param [out] text if not null, and the corpus is a file: its words and bytes
     * @return all that the scenario says about the training
     * @throws UserError for an unknown preset, dimensions that make no model, or a text that can't
     *         be read; where it stands is a key path
     */
    static TrainingSpec Make(const Scenario& scenario, TextSize* text = nullptr);

  private:
    /**
     * @param given section corpus
     * @param [out] text if not null, and the corpus is a file: its words and bytes
     * @return the corpus
     */
    static Corpus MakeCorpus(const Scenario::Corpus& given, TextSize* text);

    /**
     * @param path path of a text
     * @return its words and bytes
     */
    static TextSize CountFile(const std::string& path);

    /**
     * @param given section model
     * @return the model
     */
    static Transformer MakeModel(const Scenario::Model& given);

    /**
     * @param given section model
     * @param [in,out] experts the experts of the preset; gets the values that are given
     */
    static void SetExperts(const Scenario::Model& given, ExpertDimensions& experts);

    /**
     * @param given map model.latent
     * @param [in,out] latent latent attention of the preset; gets the values that are given
     */
    static void SetLatent(const Scenario::Latent& given, LatentAttention& latent);

    /**
     * @param given section parallel
     * @return the plan
     */
    static ParallelPlan MakePlan(const Scenario::Parallel& given);

    /**
     * @param given section compute
     * @return the times
     */
    static ComputeTimes MakeTimes(const Scenario::Compute& given);
};

} // namespace llmfabric
} // namespace ns3

#endif /* TRAINING_SPEC_MAKER_H */
