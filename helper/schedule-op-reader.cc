/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "schedule-op-reader.h"

#include "scenario-words.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// The largest number of 32 bits.
constexpr uint32_t MAX32 = std::numeric_limits<uint32_t>::max();

/// The largest number of 64 bits.
constexpr uint64_t MAX64 = std::numeric_limits<uint64_t>::max();

/// The longest time.
constexpr auto MAX_TICKS = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

/// The most streams of a rank. Each op costs time by them, so one for each op would take for ever.
constexpr std::size_t MAX_STREAMS = 100;

/// Number of values of AllToAllShares.
constexpr uint32_t ALL_TO_ALL_SHARES = 3;

/// A kind of op: the key that names it, and the keys that it has.
struct OpKeys
{
    std::string kind;                  //!< the key that no other kind has
    std::vector<std::string> required; //!< keys that it must have
    std::vector<std::string> optional; //!< keys that it may have
};

/// The kinds of ops.
const std::vector<OpKeys> OP_KEYS{
    {"compute",
     {"rank", "op", "stream", "compute", "duration_ps"},
     {"mini_batch", "micro_batch", "part", "after"}},
    {"collective",
     {"rank", "op", "stream", "collective", "group", "payload"},
     {"shares", "root", "after"}},
    {"send", {"rank", "op", "stream", "send", "channel", "bytes"}, {"after"}},
    {"receive", {"rank", "op", "stream", "receive", "channel", "bytes"}, {"after"}}};

/**
 * @param kind "compute", "collective", "send" or "receive"
 * @return its keys
 */
const OpKeys&
GetKeys(const std::string& kind)
{
    return *std::find_if(OP_KEYS.begin(), OP_KEYS.end(), [&](const OpKeys& keys) {
        return keys.kind == kind;
    });
}

/**
 * @return the keys of all kinds, each once
 */
std::vector<std::string>
GetAllKeys()
{
    std::vector<std::string> all;
    for (const OpKeys& keys : OP_KEYS)
    {
        for (const auto* some : {&keys.required, &keys.optional})
        {
            for (const std::string& key : *some)
            {
                if (std::find(all.begin(), all.end(), key) == all.end())
                {
                    all.push_back(key);
                }
            }
        }
    }
    return all;
}

/**
 * @tparam Enum an enum whose values count from 0 and have a GetName()
 * @param key a key
 * @param word the text that stands there
 * @param count how many values the enum has
 * @return the value whose name stands there
 * @throws UserError for any other name
 */
template <typename Enum>
Enum
GetNamed(const std::string& key, const std::string& word, uint32_t count)
{
    std::vector<std::string> names;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (GetName(static_cast<Enum>(i)) == word)
        {
            return static_cast<Enum>(i);
        }
        names.push_back(GetName(static_cast<Enum>(i)));
    }
    throw UserError("'" + key + "' can't be '" + word + "'" + SuggestWord(word, names),
                    "",
                    "allowed: " + JoinWords(names));
}

/**
 * @param line a line
 * @param key a key
 * @param most the largest value that is allowed
 * @return its value, 0 if it is absent
 */
uint64_t
GetOptional(const ScheduleLine& line, const std::string& key, uint64_t most)
{
    return line.Has(key) ? line.GetNumber(key, 0, most) : 0;
}

/**
 * @param line an op with "send" or "receive"
 * @return its channel
 */
uint32_t
ReadChannel(const ScheduleLine& line)
{
    if (line.HasNumber("channel"))
    {
        return static_cast<uint32_t>(line.GetNumber("channel", 0, MAX32));
    }
    const std::string name = line.GetLabel("channel");
    return static_cast<uint32_t>(GetNamed<MessageChannel>("channel", name, MESSAGE_CHANNELS));
}

} // namespace

ScheduleOpReader::ScheduleOpReader(ListedPlan& plan)
    : m_plan(plan)
{
}

void
ScheduleOpReader::Take(const ScheduleLine& line)
{
    const std::string kind = FindKind(line);
    const OpKeys& keys = GetKeys(kind);
    line.CheckKeys(keys.required, keys.optional);
    const auto rank = static_cast<uint32_t>(line.GetNumber("rank", 0, m_plan.GetRanks() - 1));
    RankState& state = m_states[rank];
    const uint64_t index = line.GetNumber("op", 0, MAX32 - 1);
    if (index != state.count)
    {
        throw UserError("this is op " + std::to_string(index) + " of rank " + std::to_string(rank) +
                            ", expected is op " + std::to_string(state.count),
                        "",
                        "number the ops of each rank from 0 without gaps, and 'after' alike");
    }
    ProgramOp op;
    op.stream = ReadStream(line, state);
    if (kind == "compute")
    {
        op.what = ReadCompute(line);
    }
    else if (kind == "collective")
    {
        op.what = ReadCollective(line, rank);
    }
    else if (kind == "send")
    {
        op.what = ReadMessage<SendOp>(line, kind, rank);
    }
    else
    {
        op.what = ReadMessage<ReceiveOp>(line, kind, rank);
    }
    CheckLane(op, state);
    state.ops->Add(op, ReadAfter(line, state.count));
    ++state.count;
}

std::set<uint32_t>
ScheduleOpReader::Finish()
{
    std::set<uint32_t> ranks = m_peers;
    for (const auto& [rank, state] : m_states)
    {
        m_plan.SetProgram(rank, state.ops);
        ranks.insert(rank);
    }
    m_states.clear();
    return ranks;
}

std::string
ScheduleOpReader::FindKind(const ScheduleLine& line)
{
    std::vector<std::string> kinds;
    std::vector<std::string> found;
    for (const OpKeys& keys : OP_KEYS)
    {
        kinds.push_back(keys.kind);
        if (line.Has(keys.kind))
        {
            found.push_back(keys.kind);
        }
    }
    if (found.size() > 1)
    {
        throw UserError("an op can't have both '" + found[0] + "' and '" + found[1] + "'",
                        "",
                        "write two ops");
    }
    if (found.empty())
    {
        line.CheckKnown(GetAllKeys()); // guesses a kind that is misspelled
        throw UserError("the line does not say what is done",
                        "",
                        "an op has one of the keys " + JoinWords(kinds));
    }
    return found[0];
}

uint32_t
ScheduleOpReader::ReadStream(const ScheduleLine& line, RankState& state)
{
    const uint32_t stream = m_plan.FindStream(line.GetLabel("stream"));
    state.streams.insert(stream);
    if (state.streams.size() > MAX_STREAMS)
    {
        throw UserError("the rank has more than " + std::to_string(MAX_STREAMS) + " streams",
                        "",
                        "let ops that run one after the other share a stream");
    }
    return stream;
}

ComputeOp
ScheduleOpReader::ReadCompute(const ScheduleLine& line)
{
    ComputeOp op;
    op.phase = GetNamed<ComputePhase>("compute", line.GetWord("compute"), COMPUTE_PHASES);
    op.miniBatch = GetOptional(line, "mini_batch", MAX64);
    op.microBatch = static_cast<uint32_t>(GetOptional(line, "micro_batch", MAX32));
    op.part = static_cast<uint32_t>(GetOptional(line, "part", MAX32));
    const uint64_t most = Time::GetResolution() == Time::FS ? MAX_TICKS / 1000 : MAX_TICKS;
    op.duration = PicoSeconds(line.GetNumber("duration_ps", 0, most));
    const auto ticks = static_cast<uint64_t>(op.duration.GetTimeStep());
    if (ticks > MAX_TICKS - m_ticks)
    {
        throw UserError("all ranks together compute longer than simulated time can say",
                        "",
                        "make durations smaller");
    }
    m_ticks += ticks;
    return op;
}

CollectiveOp
ScheduleOpReader::ReadCollective(const ScheduleLine& line, uint32_t rank) const
{
    CollectiveOp op;
    op.kind = GetNamed<CollectiveKind>("collective", line.GetWord("collective"), COLLECTIVE_KINDS);
    op.group = static_cast<uint32_t>(line.GetNumber("group", 0, MAX32));
    if (!m_plan.HasGroup(op.group))
    {
        throw UserError("group " + std::to_string(op.group) + " is not known",
                        "",
                        "define it in a line before");
    }
    FindMember(op.group, rank);
    op.payload = line.GetNumber("payload", 0, MAX64);
    op.root = ReadRoot(line, op);
    op.shares = line.Has("shares")
                    ? GetNamed<AllToAllShares>("shares", line.GetWord("shares"), ALL_TO_ALL_SHARES)
                    : AllToAllShares::EVEN;
    const bool unequal = op.shares != AllToAllShares::EVEN;
    if (unequal && op.kind != CollectiveKind::ALL_TO_ALL)
    {
        throw UserError("'shares' make sense in an alltoall only", "", "take them out");
    }
    if (unequal && !m_plan.HasShares(op.group))
    {
        throw UserError("group " + std::to_string(op.group) + " has no shares",
                        "",
                        "give 'shares' in the line of the group");
    }
    return op;
}

uint32_t
ScheduleOpReader::FindMember(uint32_t group, uint32_t rank) const
{
    const RankGroup members = m_plan.GetGroup(group);
    if (!members.Contains(rank))
    {
        throw UserError("rank " + std::to_string(rank) + " is not in group " +
                            std::to_string(group),
                        "",
                        "add it to the group or take another group");
    }
    return members.GetIndex(rank);
}

uint32_t
ScheduleOpReader::ReadRoot(const ScheduleLine& line, const CollectiveOp& op) const
{
    const bool rooted = op.kind == CollectiveKind::BROADCAST || op.kind == CollectiveKind::REDUCE;
    if (line.Has("root") != rooted)
    {
        throw rooted ? UserError("'root' is missing", "", "give who has or gets the tensor")
                     : UserError("only a broadcast or reduce has a 'root'", "", "take it out");
    }
    return rooted ? FindMember(op.group, line.GetNumber("root", 0, MAX32)) : 0;
}

template <typename Op>
Op
ScheduleOpReader::ReadMessage(const ScheduleLine& line, const std::string& kind, uint32_t rank)
{
    Op op;
    op.peer = static_cast<uint32_t>(line.GetNumber(kind, 0, m_plan.GetRanks() - 1));
    if (op.peer == rank)
    {
        throw UserError("rank " + std::to_string(rank) + " exchanges a message with itself",
                        "",
                        "name another rank");
    }
    op.channel = ReadChannel(line);
    op.bytes = line.GetNumber("bytes", 1, MAX64);
    m_peers.insert(op.peer);
    return op;
}

std::vector<uint32_t>
ScheduleOpReader::ReadAfter(const ScheduleLine& line, uint32_t index)
{
    if (!line.Has("after"))
    {
        return {};
    }
    const std::vector<uint32_t> after = line.GetNumbers("after", MAX32);
    for (uint32_t before : after)
    {
        if (before >= index)
        {
            throw UserError("op " + std::to_string(index) + " can't be after op " +
                                std::to_string(before),
                            "",
                            "an op can be after ops of its rank with smaller numbers");
        }
    }
    return after;
}

void
ScheduleOpReader::CheckLane(const ProgramOp& op, RankState& state)
{
    Lane lane;
    if (const auto* collective = std::get_if<CollectiveOp>(&op.what))
    {
        lane = {ProgramOpKind::COLLECTIVE, collective->group, 0};
    }
    else if (const auto* send = std::get_if<SendOp>(&op.what))
    {
        lane = {ProgramOpKind::SEND, send->peer, send->channel};
    }
    else if (const auto* receive = std::get_if<ReceiveOp>(&op.what))
    {
        lane = {ProgramOpKind::RECEIVE, receive->peer, receive->channel};
    }
    else
    {
        return;
    }
    const uint32_t stream = state.lanes.emplace(lane, op.stream).first->second;
    if (stream != op.stream)
    {
        const bool group = op.GetKind() == ProgramOpKind::COLLECTIVE;
        throw UserError(
            group ? "the rank uses the group in two streams"
                  : "the rank uses the channel to that rank in two streams",
            "",
            std::string("their order must not depend on time, so use one stream or two ") +
                (group ? "groups" : "channels"));
    }
}

} // namespace llmfabric
} // namespace ns3
