/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_ATTRIBUTES_H
#define RUN_ATTRIBUTES_H

#include "fabric-helper.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What has to be known to repeat a run: attribute values and versions, as text.
 */
class RunAttributes
{
  public:
    /**
     * List the attributes of the module: the default of each class, as it is now, and after them
     * each object whose value differs from it, by Config path.
     *
     * @param fabric the network
     * @return lines "name = value"
     */
    static std::string Describe(const Fabric& fabric);

    /** @return version of this module */
    static std::string GetModuleVersion();

    /** @return version of ns-3, e.g. "3.37" */
    static std::string GetNs3Version();
};

} // namespace llmfabric
} // namespace ns3

#endif /* RUN_ATTRIBUTES_H */
