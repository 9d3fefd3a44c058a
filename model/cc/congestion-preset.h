/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_PRESET_H
#define CONGESTION_PRESET_H

#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** An attribute that a preset of congestion control sets. */
struct CongestionPresetValue
{
    std::string attribute; //!< full name, e.g. "ns3::llmfabric::Dcqcn::Gain"
    std::string value;     //!< its value; empty: it depends on the line rate
    double perGbps;        //!< if so, the value for each Gb/s of line rate, a whole number in all
    std::string unit;      //!< if so, what follows the number, e.g. "bps"
    std::string source;    //!< where the value comes from

    /**
     * @param lineRate rate of the hosts' lines, bit/s
     * @return the value to set
     */
    std::string GetValue(double lineRate) const;
};

/**
 * @ingroup llm-fabric
 * A named choice of congestion control: its class and the values of attributes of the class, the
 * NIC and the switches, each with its source.
 *
 * Attributes that a preset does not name keep what they have.
 */
struct CongestionPreset
{
    std::string name;                          //!< e.g. "dcqcn-paper"
    std::string control;                       //!< TypeId name for RoceNic::CongestionControl
    std::vector<CongestionPresetValue> values; //!< in no special order
};

/** @return all presets, in the order of the documentation */
const std::vector<CongestionPreset>& GetCongestionPresets();

/**
 * @param name name of a preset
 * @return the preset, or null if there is none of that name
 */
const CongestionPreset* FindCongestionPreset(const std::string& name);

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_PRESET_H */
