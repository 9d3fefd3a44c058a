/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cc-dcqcn.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/word-choice.h"

namespace ns3
{
namespace llmfabric
{

NS_OBJECT_ENSURE_REGISTERED(Dcqcn);

namespace
{

/** @return the words of attribute CutOrder */
const WordChoice<Dcqcn::CutOrder>&
GetOrders()
{
    static const WordChoice<Dcqcn::CutOrder> words(
        "ns3::llmfabric::Dcqcn::CutOrder",
        {{"cut-first", Dcqcn::CutOrder::CUT_FIRST}, {"alpha-first", Dcqcn::CutOrder::ALPHA_FIRST}});
    return words;
}

/** @return the words of attribute Mode */
const WordChoice<Dcqcn::Mode>&
GetModes()
{
    static const WordChoice<Dcqcn::Mode> words(
        "ns3::llmfabric::Dcqcn::Mode",
        {{"immediate", Dcqcn::Mode::IMMEDIATE}, {"periodic", Dcqcn::Mode::PERIODIC}});
    return words;
}

/** @return the words of attribute IdleBehavior */
const WordChoice<Dcqcn::IdleBehavior>&
GetIdleBehaviors()
{
    static const WordChoice<Dcqcn::IdleBehavior> words(
        "ns3::llmfabric::Dcqcn::IdleBehavior",
        {{"recover", Dcqcn::IdleBehavior::RECOVER},
         {"hold", Dcqcn::IdleBehavior::HOLD},
         {"line-rate", Dcqcn::IdleBehavior::LINE_RATE}});
    return words;
}

} // namespace

TypeId
Dcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llmfabric::Dcqcn")
            .SetParent<CongestionControl>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Dcqcn>()
            .AddAttribute(
                "CutOrder",
                "cut-first: a CNP cuts the rate with the old alpha, then raises alpha (paper); "
                "alpha-first: the other way round (its authors' simulator). For Mode immediate.",
                StringValue("cut-first"),
                MakeStringAccessor(&Dcqcn::SetCutOrder, &Dcqcn::GetCutOrder),
                MakeStringChecker())
            .AddAttribute("Mode",
                          "immediate: a CNP takes effect when it comes (paper); periodic: each "
                          "AlphaTimer updates alpha and each DecreaseInterval cuts the rate if a "
                          "CNP came since (ConnectX: dce_tcp_rtt, rate_reduce_monitor_period).",
                          StringValue("immediate"),
                          MakeStringAccessor(&Dcqcn::SetMode, &Dcqcn::GetMode),
                          MakeStringChecker())
            .AddAttribute("IdleBehavior",
                          "While nothing is to be sent: recover: timers run; hold: timers stop; "
                          "line-rate: timers run, and after IdleTime without a CNP the state is "
                          "that of a new queue pair.",
                          StringValue("recover"),
                          MakeStringAccessor(&Dcqcn::SetIdleBehavior, &Dcqcn::GetIdleBehavior),
                          MakeStringChecker())
            .AddAttribute(
                "IdleTime",
                "Idle time after which IdleBehavior line-rate forgets (no published value).",
                StringValue("1ms"),
                MakeTimeAccessor(&Dcqcn::m_idleTime),
                MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ClampTargetRate",
                          "Every cut sets R_T = R_C (paper; ConnectX: clamp_tgt_rate, there 0). If "
                          "not, R_T stays when no byte stage has passed since the last cut.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Dcqcn::m_clamp),
                          MakeBooleanChecker())
            .AddAttribute("ClampTargetRateAfterTimeIncrease",
                          "Without ClampTargetRate: a timer stage since the last cut, too, makes a "
                          "cut set R_T = R_C (ConnectX: clamp_tgt_rate_after_time_inc, there 1).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Dcqcn::m_clampAfterTime),
                          MakeBooleanChecker())
            .AddAttribute(
                "CutFarTarget",
                "In the first timer and byte stages R_T / 8 instead of an increase while R_T > 10 "
                "R_C (inherited from QCN by the authors' simulator; not in the paper).",
                BooleanValue(false),
                MakeBooleanAccessor(&Dcqcn::m_cutFarTarget),
                MakeBooleanChecker())
            .AddAttribute("Gain",
                          "g, weight of a CNP in alpha (paper: 1/256).",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&Dcqcn::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("InitialAlpha",
                          "alpha of a new queue pair (paper: 1).",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&Dcqcn::m_initialAlpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MinDecreaseFactor",
                          "A cut leaves at least this share of the rate (ConnectX: "
                          "rpg_min_dec_fac, 0.5; the paper has none: 0).",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&Dcqcn::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaTimer",
                          "K, time without a CNP after which alpha falls; with Mode periodic the "
                          "period of alpha (paper: 55 us; ConnectX: dce_tcp_rtt, 1 us).",
                          StringValue("55us"),
                          MakeTimeAccessor(&Dcqcn::m_alphaTimer),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("IncreaseTimer",
                          "Time of a timer stage (paper: 55 us; ConnectX: rpg_time_reset, 300 us).",
                          StringValue("55us"),
                          MakeTimeAccessor(&Dcqcn::m_increaseTimer),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("DecreaseInterval",
                          "With Mode periodic: time from one possible cut to the next (ConnectX: "
                          "rate_reduce_monitor_period, 4 us).",
                          StringValue("4us"),
                          MakeTimeAccessor(&Dcqcn::m_decreaseInterval),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ByteCounter",
                          "B, payload bytes of a byte stage (paper: 10 MB).",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&Dcqcn::m_byteCounter),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("FastRecoveryStages",
                          "F, stages of a kind that only halve the gap to the target (paper: 5; "
                          "ConnectX: rpg_threshold, 1).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Dcqcn::m_fastStages),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "R_AI (paper: 40 Mb/s; ConnectX: rpg_ai_rate, 5 Mb/s).",
                          StringValue("40Mbps"),
                          MakeDataRateAccessor(&Dcqcn::m_additive),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "R_HAI (the paper gives none; 200 Mb/s in its authors' simulator; "
                          "ConnectX: rpg_hai_rate, 50 Mb/s).",
                          StringValue("200Mbps"),
                          MakeDataRateAccessor(&Dcqcn::m_hyper),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Rmin (the paper gives none; 100 Mb/s in its authors' simulator; "
                          "ConnectX: rpg_min_rate, 1 Mb/s).",
                          StringValue("100Mbps"),
                          MakeDataRateAccessor(&Dcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("MaxRate",
                          "Most that R_C and R_T reach, and the rate of a new queue pair; 0: the "
                          "line rate (ConnectX: rpg_max_rate, 0).",
                          StringValue("0bps"),
                          MakeDataRateAccessor(&Dcqcn::m_maxRate),
                          MakeDataRateChecker())
            .AddAttribute("RateOnFirstCnp",
                          "R_C and R_T fall to this before the first CNP counts; 0: they do not "
                          "(ConnectX: rate_to_set_on_first_cnp, 0).",
                          StringValue("0bps"),
                          MakeDataRateAccessor(&Dcqcn::m_firstRate),
                          MakeDataRateChecker());
    return tid;
}

void
Dcqcn::SetCutOrder(std::string word)
{
    m_cutOrder = GetOrders().Find(word);
}

std::string
Dcqcn::GetCutOrder() const
{
    return GetOrders().GetWord(m_cutOrder);
}

void
Dcqcn::SetMode(std::string word)
{
    m_mode = GetModes().Find(word);
}

std::string
Dcqcn::GetMode() const
{
    return GetModes().GetWord(m_mode);
}

void
Dcqcn::SetIdleBehavior(std::string word)
{
    m_idleBehavior = GetIdleBehaviors().Find(word);
}

std::string
Dcqcn::GetIdleBehavior() const
{
    return GetIdleBehaviors().GetWord(m_idleBehavior);
}

} // namespace llmfabric
} // namespace ns3
