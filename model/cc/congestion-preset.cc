/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-preset.h"

#include <cmath>
#include <cstdint>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Where TypeIds of the module live.
const std::string ROOM = "ns3::llmfabric::";

/**
 * @param attribute class and name
 * @param value its value
 * @param source where that comes from
 * @return the row of a preset
 */
CongestionPresetValue
Row(const std::string& attribute, const std::string& value, const std::string& source)
{
    return {ROOM + attribute, value, 0, "", source};
}

/**
 * @param attribute class and name
 * @param perGbps the value for each Gb/s of line rate
 * @param unit what follows the number
 * @param source where that comes from
 * @return the row of a preset
 */
CongestionPresetValue
ScaledRow(const std::string& attribute,
          double perGbps,
          const std::string& unit,
          const std::string& source)
{
    return {ROOM + attribute, "", perGbps, unit, source};
}

/** @return DCQCN as published */
CongestionPreset
MakeDcqcnPaper()
{
    const std::string paper = "Zhu et al., SIGCOMM 2015, parameters of sections 3 to 5";
    const std::string simulator = "the paper gives none; sample of its authors' simulator";
    return {"dcqcn-paper",
            ROOM + "Dcqcn",
            {Row("Dcqcn::Mode", "immediate", paper),
             Row("Dcqcn::CutOrder", "cut-first", paper),
             Row("Dcqcn::ClampTargetRate", "true", paper),
             Row("Dcqcn::Gain", "0.00390625", paper + ": 1/256"),
             Row("Dcqcn::InitialAlpha", "1", paper),
             Row("Dcqcn::MinDecreaseFactor", "0", paper + ": none"),
             Row("Dcqcn::AlphaTimer", "55us", paper),
             Row("Dcqcn::IncreaseTimer", "55us", paper),
             Row("Dcqcn::ByteCounter", "10000000", paper + ": 10 MB"),
             Row("Dcqcn::FastRecoveryStages", "5", paper),
             Row("Dcqcn::AdditiveIncrease", "40Mbps", paper),
             Row("Dcqcn::HyperIncrease", "200Mbps", simulator),
             Row("Dcqcn::MinRate", "100Mbps", simulator),
             Row("RoceNic::CnpInterval", "50us", paper),
             Row("RedMarkPolicy::Kmin", "5000", paper + ", at 40 Gb/s"),
             Row("RedMarkPolicy::Kmax", "200000", paper + ", at 40 Gb/s"),
             Row("RedMarkPolicy::Pmax", "0.01", paper + ", at 40 Gb/s")}};
}

/** @return DCQCN as ConnectX-4 to 7 do it with their defaults; rpg_gd 11 makes the cut alpha/2 */
CongestionPreset
MakeDcqcnConnectx()
{
    const std::string firmware = "ConnectX-4 to 7 defaults (mlxconfig, DOCA DCQCN parameters): ";
    return {
        "dcqcn-connectx",
        ROOM + "Dcqcn",
        {Row("Dcqcn::Mode", "periodic", firmware + "alpha and cut have periods"),
         Row("Dcqcn::ClampTargetRate", "false", firmware + "clamp_tgt_rate 0"),
         Row("Dcqcn::ClampTargetRateAfterTimeIncrease",
             "true",
             firmware + "clamp_tgt_rate_after_time_inc 1"),
         Row("Dcqcn::Gain", "0.0048828125", firmware + "dce_tcp_g 1019, so 1 - 1019/1024"),
         Row("Dcqcn::InitialAlpha",
             "0.9990234375",
             firmware + "initial_alpha_value 1023, so 1023/1024"),
         Row("Dcqcn::AlphaTimer", "1us", firmware + "dce_tcp_rtt 1"),
         Row("Dcqcn::IncreaseTimer", "300us", firmware + "rpg_time_reset 300"),
         Row("Dcqcn::DecreaseInterval", "4us", firmware + "rate_reduce_monitor_period 4"),
         Row("Dcqcn::ByteCounter",
             "2097088",
             firmware + "rpg_byte_reset 32767, taken in units of 64 bytes (the 2 MB of testers; "
                        "some help texts say bytes)"),
         Row("Dcqcn::FastRecoveryStages", "1", firmware + "rpg_threshold 1"),
         Row("Dcqcn::AdditiveIncrease", "5Mbps", firmware + "rpg_ai_rate 5"),
         Row("Dcqcn::HyperIncrease", "50Mbps", firmware + "rpg_hai_rate 50"),
         Row("Dcqcn::MinDecreaseFactor", "0.5", firmware + "rpg_min_dec_fac 50"),
         Row("Dcqcn::MinRate", "1Mbps", firmware + "rpg_min_rate 1"),
         Row("Dcqcn::MaxRate", "0bps", firmware + "rpg_max_rate 0, the line rate"),
         Row("Dcqcn::RateOnFirstCnp", "0bps", firmware + "rate_to_set_on_first_cnp 0, off"),
         Row("RoceNic::CnpInterval", "4us", firmware + "min_time_between_cnps 4")}};
}

/** @return HPCC */
CongestionPreset
MakeHpcc()
{
    const std::string paper = "Li et al., SIGCOMM 2019, section 5.1";
    return {"hpcc",
            ROOM + "Hpcc",
            {Row("Hpcc::TargetUtilization", "0.95", paper),
             Row("Hpcc::MaxStage", "5", paper),
             Row("Hpcc::WindowIncrease", "0", "by Flows and the line rate, section 3.3"),
             Row("Hpcc::Flows", "100", paper + ": 80 bytes at 100 Gb/s and 13 us"),
             Row("RoceNic::AckInterval", "1", "algorithm 1: the window changes with each ACK")}};
}

/**
 * @param name its name
 * @param patched the patched rule
 * @return TIMELY
 */
CongestionPreset
MakeTimely(const std::string& name, bool patched)
{
    const std::string paper = "Mittal et al., SIGCOMM 2015, sections 4 and 6";
    const std::string analysis = "Zhu et al., CoNEXT 2016, section 4";
    return {name,
            ROOM + "Timely",
            {Row("Timely::Patched", patched ? "true" : "false", patched ? analysis : paper),
             Row("Timely::Alpha", "0.875", analysis),
             patched ? Row("Timely::Beta", "0.008", analysis + ".3")
                     : Row("Timely::Beta", "0.8", paper),
             Row("Timely::TLow", "50us", paper),
             Row("Timely::THigh", "500us", paper),
             Row("Timely::MinRtt", "20us", paper),
             ScaledRow("Timely::Delta",
                       1000000,
                       "bps",
                       paper + ": 10 Mb/s at 10 Gb/s; with the line rate as in HPCC's comparison"),
             patched ? Row("Timely::SegmentSize", "16000", analysis + ": 16 KB")
                     : Row("Timely::SegmentSize", "64000", paper + ": 64 KB"),
             Row("RoceNic::AckInterval", "1", "round-trip times of each packet")}};
}

/** @return DCTCP as HPCC's authors compare with it */
CongestionPreset
MakeDctcp()
{
    const std::string comparison = "HPCC's comparison (its authors' simulator): ";
    return {"dctcp",
            ROOM + "Dctcp",
            {Row("Dctcp::Gain", "0.0625", "Alizadeh et al., SIGCOMM 2010, section 4: 1/16"),
             Row("Dctcp::AdditiveIncrease", "0bps", "one MTU a round trip, as TCP"),
             ScaledRow("RedMarkPolicy::Kmin", 3000, "", comparison + "30 KB at 10 Gb/s"),
             ScaledRow("RedMarkPolicy::Kmax", 3000, "", comparison + "Kmin: a step"),
             Row("RedMarkPolicy::Pmax", "1", comparison + "every packet above K"),
             Row("RoceNic::AckInterval", "1", "marks of each packet")}};
}

/** @return Swift */
CongestionPreset
MakeSwift()
{
    const std::string htsim = "the paper gives none; htsim's default, which it calls a guess";
    const std::string paper = "Kumar et al., SIGCOMM 2020, as in htsim";
    return {"swift",
            ROOM + "Swift",
            {Row("Swift::BaseTarget", "20us", htsim),
             Row("Swift::HopScale", "3053ns", htsim + ": BaseTarget / 6.55"),
             Row("Swift::FsRange", "100us", htsim + ": 5 BaseTarget"),
             Row("Swift::FsMinCwnd", "0.1", paper),
             Row("Swift::FsMaxCwnd", "100", paper),
             Row("Swift::AdditiveIncrease", "1", paper),
             Row("Swift::Beta", "0.8", paper),
             Row("Swift::MaxDecrease", "0.5", paper),
             Row("Swift::ResetThreshold", "5", htsim),
             Row("RoceNic::AckInterval", "1", "round-trip times of each packet")}};
}

} // namespace

std::string
CongestionPresetValue::GetValue(double lineRate) const
{
    if (perGbps == 0)
    {
        return value;
    }
    return std::to_string(std::llround(perGbps * lineRate / 1e9)) + unit;
}

const std::vector<CongestionPreset>&
GetCongestionPresets()
{
    static const std::vector<CongestionPreset> presets{
        MakeDcqcnPaper(),
        MakeDcqcnConnectx(),
        MakeHpcc(),
        MakeTimely("timely", false),
        MakeTimely("timely-patched", true),
        MakeDctcp(),
        MakeSwift(),
        {"fixed", ROOM + "FixedRate", {Row("FixedRate::Rate", "0bps", "the line rate")}}};
    return presets;
}

const CongestionPreset*
FindCongestionPreset(const std::string& name)
{
    for (const CongestionPreset& preset : GetCongestionPresets())
    {
        if (preset.name == name)
        {
            return &preset;
        }
    }
    return nullptr;
}

} // namespace llmfabric
} // namespace ns3
