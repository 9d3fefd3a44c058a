/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "listed-uses.h"

namespace ns3
{
namespace llmfabric
{

ListedUses::ListedUses(const ListedProgram& program, const std::vector<uint32_t>& order)
    : m_program(program),
      m_first{0},
      m_steps(program.GetSchedule().chunks)
{
    for (const ListedStep& step : program.GetSchedule().steps)
    {
        m_first.push_back(m_first.back() + step.count);
    }
    for (uint32_t id : order)
    {
        const ListedStep& step = program.Get(id);
        for (uint32_t chunk = step.first; chunk < step.first + step.count; ++chunk)
        {
            m_steps[chunk].push_back(id);
        }
    }
}

} // namespace llmfabric
} // namespace ns3
