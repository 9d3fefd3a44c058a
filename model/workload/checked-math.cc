/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "checked-math.h"

#include "ns3/user-error.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param what the quantity that does not fit
 * @return the mistake
 */
UserError
TooLarge(const std::string& what)
{
    return UserError(what + " do not fit 64 bits", "", "make the model, batch or corpus smaller");
}

} // namespace

uint64_t
CheckedProduct(std::initializer_list<uint64_t> factors, const std::string& what)
{
    uint64_t product = 1;
    for (uint64_t factor : factors)
    {
        if (__builtin_mul_overflow(product, factor, &product))
        {
            throw TooLarge(what);
        }
    }
    return product;
}

uint64_t
CheckedSum(std::initializer_list<uint64_t> terms, const std::string& what)
{
    uint64_t sum = 0;
    for (uint64_t term : terms)
    {
        if (__builtin_add_overflow(sum, term, &sum))
        {
            throw TooLarge(what);
        }
    }
    return sum;
}

void
CheckPositive(uint64_t value, const std::string& key)
{
    if (value == 0)
    {
        throw UserError("the value is 0", key, "give a number of at least 1");
    }
}

} // namespace llmfabric
} // namespace ns3
