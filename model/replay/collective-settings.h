/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SETTINGS_H
#define COLLECTIVE_SETTINGS_H

#include "ns3/collective-config.h"
#include "ns3/data-rate.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A CollectiveConfig as attributes, which Config::SetDefault() and scenarios can set. All ranks of
 * a job share one, read when the job is installed.
 */
class CollectiveSettings : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    CollectiveSettings();
    ~CollectiveSettings() override;

    /**
     * @return the settings
     * @throws UserError if Protocol is none of those that there are
     */
    CollectiveConfig GetConfig() const;

  private:
    uint32_t m_channels{0};     //!< attribute Channels
    uint64_t m_chunk{0};        //!< attribute ChunkSize
    uint64_t m_slice{0};        //!< attribute SliceSize
    uint32_t m_slots{4};        //!< attribute Slots
    uint32_t m_queuePairs{1};   //!< attribute QueuePairs
    std::string m_protocol;     //!< attribute Protocol
    Time m_stepLatency;         //!< attribute StepLatency
    DataRate m_reductionRate;   //!< attribute ReductionRate
    DataRate m_memoryBandwidth; //!< attribute MemoryBandwidth
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_SETTINGS_H */
