/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LISTED_ORDER_H
#define LISTED_ORDER_H

#include "listed-program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Which step of a list waits for which, over all ranks, and whether all of them come to an end.
 *
 * A step waits for the one before it in its strand, for those it is after, and a receive for its
 * send. Where two steps have the same chunks it waits slice by slice, else for the whole step.
 *
 * With slots a send waits also for the receives that free them. Say there is one slot, and steps
 * have many slices: then a slice of a send waits for the slice before it to be taken. A circle of
 * waits that are all slice by slice then does no harm, if it has such a wait, because each leads to
 * an earlier slice. One in which a whole step is waited for never ends. So it is a whole wait
 * between two steps of a strongly connected component that must not be; these are found as Tarjan
 * does (SIAM J. Comput. 1, 1972). More slots, or fewer slices, leave waits away only.
 */
class ListedOrder
{
  public:
    /**
     * @param program a list
     * @return the ids of its steps, each after all that it waits for
     * @throws UserError if steps wait for each other for ever, be it with one slot only
     */
    static std::vector<uint32_t> Sort(const ListedProgram& program);

  private:
    /// A wait of a step.
    struct Wait
    {
        uint32_t id; //!< the step that it waits for
        bool whole;  //!< for all of it, else slice by slice
    };

    /// A step on the way of the search.
    struct Visit
    {
        uint32_t id;    //!< the step
        uint32_t index; //!< wait of it to look at next, in m_waits
    };

    /**
     * @param program a list
     * @param slots whether sends wait for slots
     */
    ListedOrder(const ListedProgram& program, bool slots);

    /**
     * @param id id of the step whose waits are added; one after the other
     * @param slots whether sends wait for slots
     */
    void AddWaits(uint32_t id, bool slots);
    /// Find the components, and the order of their steps.
    void FindComponents();
    /**
     * @param id id of a step that the search comes to
     */
    void Enter(uint32_t id);
    /**
     * @param id id of a step whose waits were all looked at; ends a component if it began it
     */
    void Leave(uint32_t id);
    /**
     * @param onlyWhole whether only whole waits do harm
     * @param what what to say of steps that wait for each other
     * @param action what to do about it
     * @throws UserError if one lies within a component
     */
    void Check(bool onlyWhole, const std::string& what, const std::string& action) const;
    /**
     * @param id id of a step
     * @param before a step of the same component that it waits for
     * @return the steps of a circle of waits, from id over before to one that waits for id
     */
    std::vector<uint32_t> FindCircle(uint32_t id, uint32_t before) const;

    const ListedProgram& m_program;     //!< the list
    std::vector<Wait> m_waits;          //!< waits, step by step
    std::vector<uint32_t> m_begin;      //!< where the waits of a step begin, by id
    std::vector<uint32_t> m_order;      //!< steps, component by component
    std::vector<uint32_t> m_component;  //!< component of a step, by id, or NONE
    std::vector<uint32_t> m_number;     //!< when the search came to a step, by id, or NONE
    std::vector<uint32_t> m_low;        //!< earliest step in reach, as a number, by id
    std::vector<Visit> m_path;          //!< how the search came to where it is
    std::vector<uint32_t> m_unassigned; //!< steps without component that it came to
    uint32_t m_visited{0};              //!< steps that it came to
    uint32_t m_components{0};           //!< components that were found
};

} // namespace llmfabric
} // namespace ns3

#endif /* LISTED_ORDER_H */
