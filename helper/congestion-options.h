/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_OPTIONS_H
#define CONGESTION_OPTIONS_H

#include "dcqcn-theory-study.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The command line of llm-fabric-congestion.
 */
class CongestionOptions
{
  public:
    /** What is studied. */
    enum class Study : uint8_t
    {
        TABLE,        //!< each congestion control in the same scenarios
        DCQCN_THEORY, //!< the steady state of DCQCN beside its fluid model
        JOIN          //!< how long two flows of DCQCN need to share a link
    };

    /**
     * Read a command line, and set the defaults of attributes and global values of ns-3 that it
     * names.
     *
     * @param argc words
     * @param argv the words, that of the program first
     * @throws UserError for any mistake of the user in it
     */
    CongestionOptions(int argc, char* argv[]);

    /// @return what may be written, for people
    static std::string GetUsage();

    /// @return what is studied
    Study GetStudy() const
    {
        return m_study;
    }

    /// @return congestion controls to compare; empty: all
    const std::vector<std::string>& GetControls() const
    {
        return m_controls;
    }

    /// @return scenarios to run; empty: all
    const std::vector<std::string>& GetScenarios() const
    {
        return m_scenarios;
    }

    /// @return links and flows, with delay and times
    std::vector<DcqcnTheoryCase> GetCases() const;

    /// @return runs of each case
    uint64_t GetSeeds() const
    {
        return m_seeds;
    }

    /// @return path=value each, see ScenarioOverride
    const std::vector<std::string>& GetOverrides() const
    {
        return m_overrides;
    }

    /// @return where the rows for machines go, or empty
    const std::string& GetJson() const
    {
        return m_json;
    }

    /// @return where the series of a run goes, or empty
    const std::string& GetCsv() const
    {
        return m_csv;
    }

    /// @return whether only help is wanted
    bool IsHelp() const
    {
        return m_help;
    }

  private:
    /**
     * @param name name of an option, without dashes
     * @param value its value
     * @return false if there is no such option
     */
    bool SetOption(const std::string& name, const std::string& value);
    /** @param value a name of a study */
    void SetStudy(const std::string& value);
    /** @param value GBPS:FLOWS,GBPS:FLOWS... */
    void SetCases(const std::string& value);
    /** Refuse options that the study has no use for. */
    void CheckUse() const;

    Study m_study{Study::TABLE};          //!< what is studied
    std::vector<std::string> m_controls;  //!< congestion controls
    std::vector<std::string> m_scenarios; //!< scenarios
    std::vector<DcqcnTheoryCase> m_cases; //!< links and flows
    std::optional<Time> m_delay;          //!< of a CNP
    std::optional<Time> m_warmup;         //!< before anything is measured
    std::optional<Time> m_measured;       //!< how long is measured
    uint64_t m_seeds{1};                  //!< runs of each case
    std::vector<std::string> m_overrides; //!< path=value each
    std::string m_json;                   //!< where the rows for machines go
    std::string m_csv;                    //!< where the series goes
    bool m_help{false};                   //!< only help is wanted
};

} // namespace llmfabric
} // namespace ns3

#endif /* CONGESTION_OPTIONS_H */
