/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-options.h"

#include "collective-chart.h"
#include "program-frame.h"
#include "scenario-value.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <getopt.h>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// What may be written.
const char* const USAGE =
    "llm-fabric-collective --op=OP [--ranks=N] [--sizes=MIN:MAX[:FACTOR]] [--algorithm=NAME,...]\n"
    "\n"
    "  --op=OP                 allreduce (default), reducescatter, allgather, alltoall, "
    "alltoallv,\n"
    "                          broadcast, reduce, sendrecv or barrier; all_reduce etc. too\n"
    "  --ranks=N               GPUs that take part; default 8, with --scenario all\n"
    "  --sizes=MIN:MAX[:FACTOR]  sizes, e.g. 8K:1G (powers of 1024); default 8K:64M\n"
    "  --algorithm=NAME[,NAME...]  what to compare; auto is the fastest by the cost model\n"
    "\n"
    "as in nccl-tests:\n"
    "  -b, --minbytes=SIZE     -e, --maxbytes=SIZE\n"
    "  -f, --stepfactor=N      from a size to the next; default 2\n"
    "  -i, --stepbytes=SIZE    or add this to it\n"
    "  -n, --iters=N           ops timed together; default 1, a simulation has no noise\n"
    "  -w, --warmup_iters=N    ops before those; default 0\n"
    "  -d, --datatype=TYPE     default float\n"
    "  -r, --root=RANK         default 0\n"
    "  -g, --ngpus=N           GPUs per node; default 1\n"
    "  -a, -c, -C, -G, -m, -p, -R, -t, -T, -z and -o with a value are taken and do nothing\n"
    "\n"
    "of the simulation:\n"
    "  --scenario=NAME|FILE    its cluster, NICs, switches and collectives; default: nodes on one\n"
    "                          switch, 100 Gb/s\n"
    "  --set=PATH=VALUE        override a key of a scenario, e.g. --set=collective.slots=0\n"
    "  --late=RANK:TIME        a rank that begins late, e.g. --late=2:10ms; as often as wanted\n"
    "  --zipf=S                of alltoallv: rank j gets a share of 1 / (j + 1)^S; default 1\n"
    "  --explain               what each algorithm would take by the cost model; no simulation\n"
    "  --json=FILE             the rows for machines\n"
    "  --load=LIBRARY          load classes of one's own, e.g. a congestion control\n"
    "  --no-chart              the table alone\n"
    "  --ns3::CLASS::ATTRIBUTE=VALUE, --GLOBAL=VALUE\n"
    "                          defaults of ns-3 attributes and global values\n";

/// What getopt_long() gives for options without a letter.
enum LongOption
{
    OP = 256,
    RANKS,
    SIZES,
    ALGORITHM,
    SCENARIO,
    SET,
    LATE,
    ZIPF,
    EXPLAIN,
    JSON,
    NO_CHART
};

/// The options with a name.
const option LONG_OPTIONS[] = {{"minbytes", required_argument, nullptr, 'b'},
                               {"maxbytes", required_argument, nullptr, 'e'},
                               {"stepfactor", required_argument, nullptr, 'f'},
                               {"stepbytes", required_argument, nullptr, 'i'},
                               {"iters", required_argument, nullptr, 'n'},
                               {"warmup_iters", required_argument, nullptr, 'w'},
                               {"datatype", required_argument, nullptr, 'd'},
                               {"root", required_argument, nullptr, 'r'},
                               {"ngpus", required_argument, nullptr, 'g'},
                               {"op", required_argument, nullptr, OP},
                               {"ranks", required_argument, nullptr, RANKS},
                               {"sizes", required_argument, nullptr, SIZES},
                               {"algorithm", required_argument, nullptr, ALGORITHM},
                               {"scenario", required_argument, nullptr, SCENARIO},
                               {"set", required_argument, nullptr, SET},
                               {"late", required_argument, nullptr, LATE},
                               {"zipf", required_argument, nullptr, ZIPF},
                               {"explain", no_argument, nullptr, EXPLAIN},
                               {"json", required_argument, nullptr, JSON},
                               {"no-chart", no_argument, nullptr, NO_CHART},
                               {"help", no_argument, nullptr, 'h'},
                               {nullptr, 0, nullptr, 0}};

/**
 * @param text a whole number
 * @param smallest smallest one allowed
 * @return the number
 */
uint32_t
ParseCount(const std::string& text, uint64_t smallest)
{
    return static_cast<uint32_t>(ScenarioValue::ParseCount(text, smallest, 1000000000));
}

/**
 * @param text NAME,NAME...
 * @return the names
 */
std::vector<std::string>
ParseNames(const std::string& text)
{
    std::vector<std::string> names = ScenarioValue::ParseNames(text);
    if (names.size() > CollectiveChart::MAX_SERIES)
    {
        throw UserError("there are more than 26 algorithms", "", "name fewer");
    }
    return names;
}

/**
 * Set the ns-3 defaults, --ns3::Class::Attribute=value or --Global=value.
 *
 * @param argc words
 * @param argv the words
 * @return the other words, and a null
 */
std::vector<char*>
TakeNs3Defaults(int argc, char* argv[])
{
    std::vector<char*> left;
    const std::vector<char*> words = ProgramFrame::LoadLibraries(argc, argv);
    for (std::size_t i = 0; words[i]; ++i)
    {
        if (!ProgramFrame::IsDefault(words[i]))
        {
            left.push_back(words[i]);
            continue;
        }
        ProgramFrame::SetDefault(words[i]);
    }
    left.push_back(nullptr);
    return left;
}

} // namespace

std::string
CollectiveOptions::GetUsage()
{
    return USAGE;
}

CollectiveOptions::CollectiveOptions(int argc, char* argv[])
{
    std::vector<char*> arguments = TakeNs3Defaults(argc, argv);
    const int count = static_cast<int>(arguments.size()) - 1;
    const std::string letters = "b:e:f:i:n:w:d:r:g:a:c:C:G:m:p:R:t:T:z:o:";
    opterr = 0;
    optind = 0; // glibc: begin anew
    while (true)
    {
        const int at = std::max(optind, 1);
        const int name =
            getopt_long(count, arguments.data(), ("+:h" + letters).c_str(), LONG_OPTIONS, nullptr);
        if (name == -1)
        {
            break;
        }
        const std::string argument = arguments[std::min(at, count - 1)];
        const std::string where = "command line (" + argument + ")";
        if (name == '?' || name == ':')
        {
            throw UserError((name == '?' ? "unknown option '" : "there is no value for '") +
                                argument + "'",
                            "command line",
                            "see --help");
        }
        try
        {
            const std::string value = optarg ? optarg : "";
            const bool isNccl = name < OP && name != 'h';
            isNccl ? SetNcclOption(name, value) : SetOption(name, value);
        }
        catch (const UserError& error)
        {
            throw error.At(where);
        }
    }
    if (optind < count)
    {
        throw UserError("'" + std::string(arguments[optind]) + "' is no option",
                        "command line",
                        "see --help");
    }
    if (m_explain && !m_json.empty())
    {
        throw UserError("--explain has no rows for --json", "command line", "leave one out");
    }
}

void
CollectiveOptions::SetNcclOption(int name, const std::string& value)
{
    switch (name)
    {
    case 'b':
        m_smallest = CollectiveSizes::Parse(value);
        break;
    case 'e':
        m_largest = CollectiveSizes::Parse(value);
        break;
    case 'f':
        m_factor = ParseCount(value, 1);
        break;
    case 'i':
        m_step = CollectiveSizes::Parse(value);
        break;
    case 'n':
        m_spec.iterations = ParseCount(value, 1);
        break;
    case 'w':
        m_spec.warmups = ParseCount(value, 0);
        break;
    case 'd':
        CollectiveBenchOp::GetElementBytes(value);
        m_spec.datatype = value;
        break;
    case 'r':
        m_spec.root = ParseCount(value, 0);
        break;
    case 'g':
        m_spec.gpusPerNode = ParseCount(value, 1);
        break;
    default: // of threads, checks and the like, which a network does not see
        break;
    }
}

void
CollectiveOptions::SetRange(const std::string& value)
{
    const CollectiveSizes sizes = CollectiveSizes::ParseRange(value);
    m_smallest = sizes.smallest;
    m_largest = sizes.largest;
    if (std::count(value.begin(), value.end(), ':') > 1)
    {
        m_factor = sizes.factor;
    }
}

void
CollectiveOptions::SetLate(const std::string& value)
{
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos)
    {
        throw UserError("'" + value + "' has no ':'", "", "write RANK:TIME, e.g. 2:10ms");
    }
    m_spec.late[ParseCount(value.substr(0, colon), 0)] =
        ScenarioValue::ParseTime(value.substr(colon + 1));
}

void
CollectiveOptions::SetOption(int name, const std::string& value)
{
    switch (name)
    {
    case OP:
        m_spec.op = CollectiveBenchOp(value);
        break;
    case RANKS:
        m_spec.ranks = ParseCount(value, 1);
        break;
    case SIZES:
        SetRange(value);
        break;
    case ALGORITHM:
        m_spec.algorithms = ParseNames(value);
        break;
    case SCENARIO:
        m_spec.scenario = value;
        break;
    case SET:
        m_spec.overrides.push_back(value);
        break;
    case LATE:
        SetLate(value);
        break;
    case ZIPF:
        m_spec.zipf = ScenarioValue::ParseNumber(value, {0, false, 100});
        break;
    case EXPLAIN:
        m_explain = true;
        break;
    case JSON:
        m_json = value;
        break;
    case NO_CHART:
        m_chart = false;
        break;
    default: // 'h'
        m_help = true;
    }
}

CollectiveSizes
CollectiveOptions::GetSizes() const
{
    CollectiveSizes sizes;
    const bool isBarrier = m_spec.op.GetKind() == CollectiveKind::BARRIER;
    if (isBarrier && (m_smallest || m_largest))
    {
        throw UserError("a barrier has no payload", "command line", "leave the sizes out");
    }
    // If only one is given, the other one's default gives way.
    sizes.smallest = m_smallest.value_or(std::min(sizes.smallest, m_largest.value_or(UINT64_MAX)));
    sizes.largest = m_largest.value_or(std::max(sizes.largest, sizes.smallest));
    sizes.step = m_step.value_or(sizes.step);
    sizes.factor = m_factor.value_or(m_step ? 1 : sizes.factor);
    if (isBarrier)
    {
        sizes.smallest = 0;
        sizes.largest = 0;
    }
    try
    {
        sizes.List();
    }
    catch (const UserError& error)
    {
        throw error.At("command line (-b, -e, -f, -i, --sizes)");
    }
    return sizes;
}

} // namespace llmfabric
} // namespace ns3
