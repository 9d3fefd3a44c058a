/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANDOM_VARIABLE_TEXT_H
#define RANDOM_VARIABLE_TEXT_H

#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Makes random variables from ns-3's text for them, such as
 * "ns3::NormalRandomVariable[Mean=1|Variance=0.01]"; "ns3::" may be left out.
 *
 * ns-3 aborts on text that does not read as such; here that is a UserError.
 */
class RandomVariableText
{
  public:
    /**
     * @param text a class of random variables and its parameters, which are numbers or true or
     * false
     * @throws UserError if there is no such class or parameter, or it can't have that value
     */
    explicit RandomVariableText(const std::string& text);

    /**
     * @param stream number of its random stream
     * @return a new random variable
     */
    Ptr<RandomVariableStream> Create(int64_t stream) const;

  private:
    /**
     * Set the class.
     *
     * @param name its name
     * @throws UserError if there is no such class
     */
    void SetClass(const std::string& name);

    /**
     * Set a parameter.
     *
     * @param text "name=value"
     * @throws UserError if there is no such parameter, or it can't have that value
     */
    void SetParameter(const std::string& text);

    ObjectFactory m_factory; //!< makes them
};

} // namespace llmfabric
} // namespace ns3

#endif /* RANDOM_VARIABLE_TEXT_H */
