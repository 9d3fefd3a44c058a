/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef USER_ERROR_H
#define USER_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A mistake in what the user asked for, found at set-up, before any simulated time passes.
 *
 * The programs print what() and return 2. It is the one header of the module that every room may
 * include.
 */
class UserError : public std::runtime_error
{
  public:
    /**
     * @param what what is wrong, e.g. "unknown key 'nodse'"
     * @param where where it stands, e.g. "a.yaml:3:5 (cluster.nodse)"; may be empty
     * @param action what to do about it, e.g. "allowed: nodes, rate"; may be empty
     */
    UserError(const std::string& what, const std::string& where, const std::string& action)
        : std::runtime_error((where.empty() ? "" : where + ": ") + what +
                             (action.empty() ? "" : "; " + action)),
          m_what(what),
          m_where(where),
          m_action(action)
    {
    }

    /** @return where the mistake stands, as it was given */
    const std::string& GetWhere() const
    {
        return m_where;
    }

    /**
     * @param where where the mistake stands
     * @return the same mistake, said to stand there
     */
    UserError At(const std::string& where) const
    {
        return UserError(m_what, where, m_action);
    }

  private:
    std::string m_what;   //!< what is wrong
    std::string m_where;  //!< where it stands
    std::string m_action; //!< what to do
};

} // namespace llmfabric
} // namespace ns3

#endif /* USER_ERROR_H */
