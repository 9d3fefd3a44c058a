/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MARK_POLICY_H
#define MARK_POLICY_H

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Decides which frames get Congestion Experienced; one instance a switch, chosen by
 * FabricSwitch::MarkPolicy.
 */
class MarkPolicy : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    /**
     * An ECN-capable frame leaves its queue.
     *
     * @param queueBytes bytes in the queue just before, with the frame
     * @return true to mark it
     */
    virtual bool ShouldMark(uint64_t queueBytes) = 0;

    /**
     * @param stream first random stream to use
     * @return how many streams were taken
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;
};

/**
 * @ingroup llm-fabric
 * Marking on the instantaneous queue, as DCQCN's congestion point (Zhu et al., SIGCOMM 2015,
 * figure 5): probability 0 up to Kmin, rising linearly to Pmax at Kmax, 1 above.
 */
class RedMarkPolicy : public MarkPolicy
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    RedMarkPolicy();
    ~RedMarkPolicy() override;

    bool ShouldMark(uint64_t queueBytes) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    uint64_t m_kmin{0};                   //!< lower threshold, bytes
    uint64_t m_kmax{0};                   //!< upper threshold, bytes
    double m_pmax{0};                     //!< probability at Kmax
    Ptr<UniformRandomVariable> m_uniform; //!< the coin
};

} // namespace llmfabric
} // namespace ns3

#endif /* MARK_POLICY_H */
