/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_NETWORK_H
#define SCENARIO_NETWORK_H

#include "fabric-helper.h"
#include "planned-load.h"
#include "scenario-spec.h"
#include "topology-builder.h"

#include "ns3/user-error.h"

#include <map>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * From a scenario to the objects it speaks of. Mistakes that the reader could not see are thrown as
 * UserError with their place in the file.
 */
class ScenarioNetwork
{
  public:
    /** @param scenario the scenario; it has to live as long as this object */
    explicit ScenarioNetwork(const Scenario& scenario);

    /** Put back the defaults that ApplyDefaults() changed. */
    ~ScenarioNetwork();

    ScenarioNetwork(const ScenarioNetwork&) = delete;
    ScenarioNetwork& operator=(const ScenarioNetwork&) = delete;

    /** Set the seed, the run number and the defaults of attributes named "ns3::Class::Name". */
    void ApplyDefaults();

    /** @return the network, with GPUs if there are ranks */
    Fabric Create() const;

    /** @return sizes and rates of the topology */
    TopologySpec MakeTopologySpec() const;

    /** Set the attributes named by path. */
    void ApplyPaths() const;

    /**
     * Check the buffers of all switches and NICs.
     *
     * @param fabric the network
     */
    void CheckBuffers(const Fabric& fabric) const;

    /**
     * Refuse a run that is longer than simulated time.
     *
     * @param load all that must be done in a step, as if it were done by one rank
     * @param steps how many steps are run
     */
    void CheckDuration(const PlannedLoad& load, uint64_t steps) const;

    /**
     * @param scenario a scenario, whose defaults have been applied
     * @return when switches mark: what its keys say, and else the defaults, which a preset of
     *         congestion control or attributes may have changed
     */
    static Scenario::Ecn GetMarking(const Scenario& scenario);

    /**
     * @param name name of a class, with or without "ns3::"
     * @return the name with its namespace: ns3::llmfabric:: if it has none
     */
    static std::string ResolveName(const std::string& name);

    /**
     * Run something; if it throws a UserError that names a key of the scenario, say where that
     * stands.
     *
     * @tparam F a function
     * @param scenario the scenario
     * @param run what to run
     * @return what it returns
     */
    template <typename F>
    static auto WithPlaces(const Scenario& scenario, F run)
    {
        try
        {
            return run();
        }
        catch (const UserError& error)
        {
            // What stands in a file that the scenario names has its place already.
            const std::string where = error.GetWhere();
            const std::string section = where.substr(0, where.find_first_of(".["));
            throw Scenario::IsSection(section) ? error.At(scenario.Where(where)) : error;
        }
    }

  private:
    /** @return the checked TypeId name of the congestion control */
    std::string GetCongestionControl() const;
    /**
     * Make the values of a named choice of congestion control defaults, but those that the user has
     * set (on the command line, say).
     */
    void SetPresetDefaults();
    /**
     * @param key a key path
     * @return true if the scenario gives it: only then it overrides the default of an attribute
     */
    bool IsGiven(const std::string& key) const;
    /** @param name "ns3::Class::Attribute", whose default is to be put back */
    void KeepDefault(const std::string& name);
    /**
     * @param attribute attribute of RedMarkPolicy
     * @param key the key of the scenario that sets it
     * @param value the value there
     */
    void SetMarkDefault(const std::string& attribute,
                        const std::string& key,
                        const AttributeValue& value);
    /**
     * @param attribute an attribute of the scenario
     * @param set sets it; its mistakes get the place in the scenario
     */
    static void SetAttribute(const Scenario::Attribute& attribute,
                             void (*set)(const std::string&, const std::string&));

    const Scenario& m_scenario;                            //!< the scenario
    std::map<std::string, Ptr<AttributeValue>> m_defaults; //!< what stood before, by name
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_NETWORK_H */
