/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-split.h"

#include "checked-math.h"

#include "ns3/abort.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// No cut at all.
constexpr double NEVER = std::numeric_limits<double>::infinity();

/**
 * @param layers layers of the model
 * @param parts parts that need one each
 * @throws UserError if there are too few
 */
void
CheckEnoughLayers(uint64_t layers, uint32_t parts)
{
    NS_ABORT_MSG_IF(parts == 0, "LayerSplit: no parts");
    if (layers < parts)
    {
        throw UserError("a model of " + std::to_string(layers) + " layers can't be cut into " +
                            std::to_string(parts) + " parts",
                        "parallel.pipeline",
                        "take fewer stages or chunks, or give the layers of each part");
    }
}

/**
 * Finds the best cuts part by part, from the last one to the first: what is best for the parts
 * that follow depends only on where they begin.
 */
class CutSearch
{
  public:
    /**
     * @param costs cost of each layer
     * @param embedding cost that the first part has besides
     * @param output cost that the last part has besides
     * @param parts parts of the model
     */
    CutSearch(const std::vector<double>& costs, double embedding, double output, uint32_t parts)
        : m_embedding(embedding),
          m_output(output),
          m_parts(parts),
          m_sums{0}
    {
        for (double cost : costs)
        {
            m_sums.push_back(m_sums.back() + cost);
        }
    }

    /**
     * @return the least cost that the most expensive part can have
     */
    double FindBound()
    {
        return Fill([](double cost, double rest) { return std::max(cost, rest); }, 0);
    }

    /**
     * Of all cuts that keep the bound, take the one with the least sum of squares, so that the
     * cheaper parts are even, too; of equal ones that with the fewest layers in the first parts,
     * which hold the most activations.
     *
     * @param bound cost that no part may exceed, positive
     * @return layers of each part
     */
    std::vector<uint64_t> FindEvenest(double bound)
    {
        const auto combine = [bound](double cost, double rest) {
            const double share = cost / bound; // so that no square overflows
            return cost > bound ? NEVER : share * share + rest;
        };
        Fill(combine, TOLERANCE);
        std::vector<uint64_t> counts;
        std::size_t first = 0;
        for (uint32_t part = 0; part < m_parts; ++part)
        {
            counts.push_back(m_choices[part][first] - first);
            first = m_choices[part][first];
        }
        return counts;
    }

  private:
    /// Relative differences of this size are rounding.
    static constexpr double TOLERANCE = 1e-9;

    /**
     * @param part a part
     * @param first its first layer
     * @param end the layer after its last one
     * @return its cost
     */
    double GetCost(uint32_t part, std::size_t first, std::size_t end) const
    {
        return m_sums[end] - m_sums[first] + (part == 0 ? m_embedding : 0) +
               (part + 1 == m_parts ? m_output : 0);
    }

    /**
     * Find for each part and first layer the end that is best for it and all parts after it.
     *
     * @tparam Combine takes the cost of a part and the value of those after it
     * @param combine gives the value of all of them; the less, the better
     * @param tolerance by which part of it a value must be less to be better
     * @return the value of the whole model
     */
    template <typename Combine>
    double Fill(Combine combine, double tolerance)
    {
        const std::size_t layers = m_sums.size() - 1;
        std::vector<double> rest(layers + 1, NEVER); // by first layer, of the parts that follow
        rest[layers] = 0;
        m_choices.assign(m_parts, std::vector<std::size_t>(layers + 1, layers));
        for (uint32_t part = m_parts; part-- > 0;)
        {
            std::vector<double> values(layers + 1, NEVER);
            for (std::size_t first = part; first < layers; ++first)
            {
                for (std::size_t end = first + 1; end <= layers; ++end)
                {
                    const double value = combine(GetCost(part, first, end), rest[end]);
                    if (value < values[first] * (1 - tolerance))
                    {
                        values[first] = value;
                        m_choices[part][first] = end;
                    }
                }
            }
            rest = std::move(values);
        }
        return rest[0];
    }

    double m_embedding;                              //!< cost of the first part besides
    double m_output;                                 //!< cost of the last part besides
    uint32_t m_parts;                                //!< parts
    std::vector<double> m_sums;                      //!< cost of the layers before each, and of all
    std::vector<std::vector<std::size_t>> m_choices; //!< by part and first layer: best end
};

} // namespace

LayerSplit::LayerSplit(const std::vector<uint64_t>& counts)
    : m_firsts{0}
{
    for (uint64_t count : counts)
    {
        m_firsts.push_back(m_firsts.back() + count);
    }
}

LayerSplit
LayerSplit::Even(uint64_t layers, uint32_t parts)
{
    CheckEnoughLayers(layers, parts);
    // floor(i L / parts), without the product
    const auto begin = [layers, parts](uint64_t i) {
        return i * (layers / parts) + i * (layers % parts) / parts;
    };
    std::vector<uint64_t> counts;
    for (uint32_t i = 0; i < parts; ++i)
    {
        counts.push_back(begin(uint64_t{i} + 1) - begin(i));
    }
    return LayerSplit(counts);
}

LayerSplit
LayerSplit::Given(const std::vector<uint64_t>& given, uint64_t layers, uint32_t parts)
{
    if (given.size() != parts)
    {
        throw UserError(std::to_string(given.size()) + " numbers are given for " +
                            std::to_string(parts) + " parts of the model",
                        "parallel.layer_split",
                        "give the layers of each part, stages times chunks numbers");
    }
    uint64_t sum = 0;
    for (uint64_t count : given)
    {
        sum = __builtin_add_overflow(sum, count, &sum) ? std::numeric_limits<uint64_t>::max() : sum;
    }
    if (sum != layers)
    {
        throw UserError("the parts have " + std::to_string(sum) + " layers, the model has " +
                            std::to_string(layers),
                        "parallel.layer_split",
                        "give numbers that add up to model.layers");
    }
    return LayerSplit(given);
}

LayerSplit
LayerSplit::Balanced(const std::vector<double>& costs,
                     double embedding,
                     double output,
                     uint32_t parts)
{
    CheckEnoughLayers(costs.size(), parts);
    double sum = embedding + output;
    bool valid = embedding >= 0 && output >= 0;
    for (double cost : costs)
    {
        valid = valid && cost >= 0;
        sum += cost;
    }
    NS_ABORT_MSG_UNLESS(valid && std::isfinite(sum), "LayerSplit: a cost is negative or too large");
    if (sum == 0)
    {
        return Even(costs.size(), parts);
    }
    CutSearch search(costs, embedding, output, parts);
    return LayerSplit(search.FindEvenest(search.FindBound()));
}

uint64_t
LayerSplit::GetLayers(uint32_t part) const
{
    NS_ABORT_MSG_IF(part >= GetParts(), "LayerSplit: part " << part << " of " << GetParts());
    return m_firsts[part + 1] - m_firsts[part];
}

uint64_t
LayerSplit::GetFirst(uint32_t part) const
{
    NS_ABORT_MSG_IF(part > GetParts(), "LayerSplit: part " << part << " of " << GetParts());
    return m_firsts[part];
}

uint32_t
LayerSplit::GetParts() const
{
    return static_cast<uint32_t>(m_firsts.size() - 1);
}

} // namespace llmfabric
} // namespace ns3
