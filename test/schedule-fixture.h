/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCHEDULE_FIXTURE_H
#define SCHEDULE_FIXTURE_H

#include "simulation-fixture.h"

#include "ns3/schedule-reader.h"
#include "ns3/schedule-writer.h"
#include "ns3/user-error.h"

#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>

namespace ns3
{
namespace llmfabric
{

/// Two ranks that compute, sum up, and pass a message on; and a rank that does nothing.
inline const std::string SMALL =
    R"({"llm_fabric_schedule":1,"ranks":3,"steps":2}
{"group":5,"name":"data","ranks":[1,0],"shares":[0.25,0.0001]}
{"rank":0,"op":0,"stream":"compute","compute":"forward","mini_batch":0,"micro_batch":0,"part":0,"duration_ps":20000000000}
{"rank":0,"op":1,"stream":"data","collective":"allreduce","group":5,"payload":4096,"after":[0]}
{"rank":0,"op":2,"stream":"copy","send":1,"channel":7,"bytes":18446744073709551615,"after":[0,1]}
{"rank":0,"op":3,"stream":"data","collective":"alltoall","group":5,"payload":100000,"shares":"by-source"}
{"rank":1,"op":0,"stream":7,"compute":"backward-weight","mini_batch":1,"micro_batch":2,"part":3,"duration_ps":0}
{"rank":1,"op":1,"stream":"data","collective":"allreduce","group":5,"payload":4096}
{"rank":1,"op":2,"stream":"forward-receive","receive":0,"channel":7,"bytes":18446744073709551615}
{"rank":1,"op":3,"stream":"data","collective":"alltoall","group":5,"payload":100000,"shares":"by-source"}
)";

/**
 * @param plan a plan
 * @return its file
 */
inline std::string
ToText(const RankPlan& plan)
{
    std::ostringstream out;
    ScheduleWriter::Write(plan, out);
    return out.str();
}

/**
 * @param text a file
 * @return the plan
 */
inline std::shared_ptr<ListedPlan>
FromText(const std::string& text)
{
    std::istringstream in(text);
    return ScheduleReader::Read(in, "a.jsonl");
}

/**
 * @param text a file
 * @return the message with which it is refused
 */
inline std::string
ScheduleErrorOf(const std::string& text)
{
    try
    {
        FromText(text);
    }
    catch (const UserError& error)
    {
        return error.what();
    }
    return "no error";
}

/**
 * @param text a text
 * @param from what stands in it
 * @param to what shall stand there
 * @return the changed text
 */
inline std::string
Replace(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
}

} // namespace llmfabric
} // namespace ns3

#endif /* SCHEDULE_FIXTURE_H */
