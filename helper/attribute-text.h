/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ATTRIBUTE_TEXT_H
#define ATTRIBUTE_TEXT_H

#include "ns3/type-id.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Sets ns-3 attributes from text. ns-3 aborts on text that does not read as the attribute's type;
 * here that is a UserError.
 */
class AttributeText
{
  public:
    /**
     * @param name "ns3::Class::Attribute"
     * @param text the new default
     * @throws UserError if there is no such attribute or it can't have that value
     */
    static void SetDefault(const std::string& name, const std::string& text);

    /**
     * @param path Config path of an attribute, e.g. "/NodeList/0/$ns3::llmfabric::FabricSwitch/Pfc"
     * @param text the value
     * @throws UserError if no object with such an attribute is there, or it can't have that value
     */
    static void SetByPath(const std::string& path, const std::string& text);

    /**
     * @param name name of a GlobalValue, e.g. "RngRun"
     * @param text the value
     * @throws UserError if there is none, or it can't have that value
     */
    static void SetGlobal(const std::string& name, const std::string& text);

    /**
     * @param name "ns3::Class::Attribute"
     * @param [out] found what ns-3 knows of it
     * @return false if there is no such attribute
     */
    static bool LookUp(const std::string& name, TypeId::AttributeInformation& found);

  private:
    /**
     * @param name name of the attribute alone
     * @param checker its checker
     * @param text a text
     * @param mayBeZero a rate of 0 is allowed
     * @throws UserError if it does not read as a value of that type
     */
    static void Check(const std::string& name,
                      Ptr<const AttributeChecker> checker,
                      const std::string& text,
                      bool mayBeZero);
};

} // namespace llmfabric
} // namespace ns3

#endif /* ATTRIBUTE_TEXT_H */
