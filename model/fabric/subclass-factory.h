/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBCLASS_FACTORY_H
#define SUBCLASS_FACTORY_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"
#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

/**
 * Create the object that an attribute of type TypeId names.
 *
 * @tparam T the base class
 * @param type the class
 * @return the object
 * @throws UserError if the class can't be created or is no subclass of T
 */
template <typename T>
Ptr<T>
CreateSubclass(TypeId type)
{
    const std::string base = T::GetTypeId().GetName();
    if (!type.HasConstructor() || !type.IsChildOf(T::GetTypeId()))
    {
        throw UserError("the class " + type.GetName() + " is not one that does the work of " + base,
                        "attribute with a subclass of " + base,
                        "name a subclass of " + base);
    }
    return ObjectFactory(type.GetName()).Create<T>();
}

} // namespace llmfabric
} // namespace ns3

#endif /* SUBCLASS_FACTORY_H */
