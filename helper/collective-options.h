/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_OPTIONS_H
#define COLLECTIVE_OPTIONS_H

#include "collective-bench-spec.h"
#include "collective-sizes.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The command line of llm-fabric-collective: the options of nccl-tests, and some of its own.
 */
class CollectiveOptions
{
  public:
    /**
     * Read a command line, and set the defaults of attributes and global values of ns-3 that it
     * names.
     *
     * @param argc words
     * @param argv the words, that of the program first
     * @throws UserError for any mistake of the user in it
     */
    CollectiveOptions(int argc, char* argv[]);

    /// @return what may be written, for people
    static std::string GetUsage();

    /// @return what is run
    const CollectiveBenchSpec& GetSpec() const
    {
        return m_spec;
    }

    /**
     * If only one end of the range is given, the default of the other one gives way. A barrier has
     * one size, 0.
     *
     * @return the sizes, at least one
     * @throws UserError if there is none
     */
    CollectiveSizes GetSizes() const;

    /// @return where the rows for machines go, or empty
    const std::string& GetJson() const
    {
        return m_json;
    }

    /// @return whether it is only explained
    bool IsExplained() const
    {
        return m_explain;
    }

    /// @return whether a chart is drawn
    bool HasChart() const
    {
        return m_chart;
    }

    /// @return whether only help is wanted
    bool IsHelp() const
    {
        return m_help;
    }

  private:
    /**
     * @param name letter of an option that nccl-tests has, too
     * @param value its value
     */
    void SetNcclOption(int name, const std::string& value);
    /**
     * @param name number of an option of the simulation
     * @param value its value
     */
    void SetOption(int name, const std::string& value);
    /** @param value MIN:MAX or MIN:MAX:FACTOR */
    void SetRange(const std::string& value);
    /** @param value RANK:TIME */
    void SetLate(const std::string& value);

    CollectiveBenchSpec m_spec;         //!< what is run
    std::optional<uint64_t> m_smallest; //!< first size, bytes
    std::optional<uint64_t> m_largest;  //!< last size, bytes
    std::optional<uint64_t> m_factor;   //!< from a size to the next
    std::optional<uint64_t> m_step;     //!< added to it, bytes
    std::string m_json;                 //!< where the rows for machines go
    bool m_explain{false};              //!< it is only explained
    bool m_chart{true};                 //!< a chart is drawn
    bool m_help{false};                 //!< only help is wanted
};

} // namespace llmfabric
} // namespace ns3

#endif /* COLLECTIVE_OPTIONS_H */
