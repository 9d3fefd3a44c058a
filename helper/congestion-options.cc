/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-options.h"

#include "dcqcn-theory-report.h"
#include "program-frame.h"
#include "scenario-value.h"

#include "ns3/user-error.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// What may be written.
const char* const USAGE =
    "llm-fabric-congestion [--study=table] [--controls=NAME,...] [--scenarios=NAME,...]\n"
    "llm-fabric-congestion --study=dcqcn-theory [--cases=GBPS:FLOWS,...] [--seeds=N]\n"
    "llm-fabric-congestion --study=join [--cases=GBPS:2,...] [--seeds=N]\n"
    "\n"
    "  --study=table           each congestion control in the same scenarios (default)\n"
    "  --study=dcqcn-theory    mean queue, marks and alpha of DCQCN beside its fluid model\n"
    "  --study=join            how long two flows of DCQCN need to share a link\n"
    "\n"
    "of the table:\n"
    "  --controls=NAME,...     what to compare; default all\n"
    "  --scenarios=NAME,...    of incast, join-leave, bursts, web-search; default all\n"
    "\n"
    "of the studies of DCQCN:\n"
    "  --cases=GBPS:FLOWS,...  default 40:2,40:4,40:8,100:2,100:8; of a join 40:2,100:2\n"
    "  --seeds=N               runs of each case, with other coins of the switch; default 1\n"
    "  --delay=TIME            from a mark to the cut of the sender; default 4us\n"
    "  --warmup=TIME           before anything is measured; default 500ms\n"
    "  --measure=TIME          how long is measured; default 1500ms\n"
    "  --csv=FILE              queue, rates and alphas of the first run, each 0.5 ms\n"
    "\n"
    "  --set=PATH=VALUE        override a key of all scenarios, e.g. --set=switch.pfc=false\n"
    "  --load=LIBRARY          with congestion controls of one's own, for --controls\n"
    "  --json=FILE             the rows for machines\n"
    "  --ns3::CLASS::ATTRIBUTE=VALUE, --GLOBAL=VALUE\n"
    "                          defaults of ns-3 attributes and global values\n";
} // namespace

std::string
CongestionOptions::GetUsage()
{
    return USAGE;
}

CongestionOptions::CongestionOptions(int argc, char* argv[])
{
    const std::vector<char*> words = ProgramFrame::LoadLibraries(argc, argv);
    for (std::size_t i = 1; i + 1 < words.size(); ++i) // a null stands at the end
    {
        const std::string argument = words[i];
        const std::size_t equals = argument.find('=');
        if (argument == "--help" || argument == "-h")
        {
            m_help = true;
            return;
        }
        if (argument.rfind("--", 0) != 0 || equals == std::string::npos)
        {
            throw UserError("'" + argument + "' is no option with a value",
                            "command line",
                            "see --help");
        }
        if (ProgramFrame::IsDefault(argument))
        {
            ProgramFrame::SetDefault(argument);
            continue;
        }
        bool known = true;
        try
        {
            known = SetOption(argument.substr(2, equals - 2), argument.substr(equals + 1));
        }
        catch (const UserError& error)
        {
            throw error.At("command line (" + argument + ")");
        }
        if (!known)
        {
            throw UserError("unknown option '" + argument + "'", "command line", "see --help");
        }
    }
    CheckUse();
}

bool
CongestionOptions::SetOption(const std::string& name, const std::string& value)
{
    if (name == "study")
    {
        SetStudy(value);
    }
    else if (name == "controls" || name == "scenarios")
    {
        (name == "controls" ? m_controls : m_scenarios) = ScenarioValue::ParseNames(value);
    }
    else if (name == "cases")
    {
        SetCases(value);
    }
    else if (name == "seeds")
    {
        m_seeds = ScenarioValue::ParseCount(value, 1, 1000);
    }
    else if (name == "delay" || name == "warmup" || name == "measure")
    {
        const Time time = ScenarioValue::ParseTime(value);
        (name == "delay" ? m_delay : name == "warmup" ? m_warmup : m_measured) = time;
    }
    else if (name == "set")
    {
        m_overrides.push_back(value);
    }
    else if (name == "json" || name == "csv")
    {
        (name == "json" ? m_json : m_csv) = value;
    }
    else
    {
        return false;
    }
    return true;
}

void
CongestionOptions::SetStudy(const std::string& value)
{
    if (value != "table" && value != "dcqcn-theory" && value != "join")
    {
        throw UserError("there is no study '" + value + "'",
                        "",
                        "known: table, dcqcn-theory and join");
    }
    m_study = value == "table" ? Study::TABLE : value == "join" ? Study::JOIN : Study::DCQCN_THEORY;
}

void
CongestionOptions::SetCases(const std::string& value)
{
    for (const std::string& name : ScenarioValue::ParseNames(value))
    {
        const std::size_t colon = name.find(':');
        if (colon == std::string::npos)
        {
            throw UserError("'" + name + "' has no ':'", "", "write GBPS:FLOWS, e.g. 40:8");
        }
        DcqcnTheoryCase one;
        one.gbps = ScenarioValue::ParseNumber(name.substr(0, colon), {1, false, 3200});
        one.flows =
            static_cast<uint32_t>(ScenarioValue::ParseCount(name.substr(colon + 1), 2, 1000));
        m_cases.push_back(one);
    }
}

void
CongestionOptions::CheckUse() const
{
    const bool isTable = m_study == Study::TABLE;
    const bool hasTable = !m_controls.empty() || !m_scenarios.empty();
    const bool hasCases =
        !m_cases.empty() || m_delay || m_warmup || m_measured || !m_csv.empty() || m_seeds > 1;
    if (isTable ? hasCases : hasTable)
    {
        throw UserError(isTable ? "--cases, --seeds, --delay, --warmup, --measure and --csv belong "
                                  "to the studies of DCQCN"
                                : "--controls and --scenarios belong to the table",
                        "command line",
                        "leave them out, or name the --study");
    }
    if (m_study != Study::TABLE && m_measured && *m_measured < DcqcnTheoryStudy::GetWindow())
    {
        throw UserError("less than a window of 10 ms is measured",
                        "command line (--measure)",
                        "lengthen it");
    }
}

std::vector<DcqcnTheoryCase>
CongestionOptions::GetCases() const
{
    std::vector<DcqcnTheoryCase> cases = m_cases;
    if (cases.empty())
    {
        cases = DcqcnTheoryReport::GetKnownCases();
        const bool isJoin = m_study == Study::JOIN;
        cases.erase(std::remove_if(cases.begin(),
                                   cases.end(),
                                   [isJoin](const auto& one) { return isJoin && one.flows != 2; }),
                    cases.end());
    }
    for (DcqcnTheoryCase& one : cases)
    {
        one.delay = m_delay.value_or(one.delay);
        one.warmup = m_warmup.value_or(one.warmup);
        one.measured = m_measured.value_or(one.measured);
        one.sample = m_csv.empty() ? Time(0) : MicroSeconds(500);
    }
    return cases;
}

} // namespace llmfabric
} // namespace ns3
