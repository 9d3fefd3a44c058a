/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transformer-tensors.h"

#include "checked-math.h"

#include "ns3/abort.h"

namespace ns3
{
namespace llmfabric
{

namespace
{

/// For the messages of sums and products.
const char* const PARAMETERS = "model.parameters: the parameters";

/// How the ranks of a tensor group share a matrix.
enum class MatrixSplit
{
    NONE,    //!< each holds the whole
    COLUMNS, //!< each makes some of the outputs, and has their biases
    ROWS     //!< each takes some of the inputs; the bias is added to the sum, so all have it
};

/**
 * Collects the tensors of a block.
 */
class TensorCollector
{
  public:
    /**
     * @param dimensions the shape of the model; must outlive this
     */
    explicit TensorCollector(const TransformerDimensions& dimensions)
        : m_dimensions(dimensions)
    {
    }

    /**
     * The tensors that follow are those of routed experts.
     *
     * @param copies E
     */
    void BeginExperts(uint64_t copies)
    {
        m_copies = copies;
        m_expert = true;
    }

    /**
     * The tensors that follow are there once.
     */
    void EndExperts()
    {
        m_copies = 1;
        m_expert = false;
    }

    /**
     * @param name name of the tensor
     * @param rows its rows
     * @param columns its columns
     * @param split whether the ranks of a tensor group hold a part each
     */
    void Add(const std::string& name, uint64_t rows, uint64_t columns, bool split)
    {
        m_tensors.push_back({name, rows, columns, m_copies, split, m_expert});
    }

    /**
     * @param name name of the norm
     * @param size values that it takes
     */
    void AddNorm(const std::string& name, uint64_t size)
    {
        Add(name + ".weight", size, 1, false);
        if (m_dimensions.biases)
        {
            Add(name + ".bias", size, 1, false);
        }
    }

    /**
     * @param name name of the linear layer
     * @param inputs values that it takes
     * @param outputs values that it gives
     * @param split how the ranks of a tensor group share it
     */
    void AddLinear(const std::string& name, uint64_t inputs, uint64_t outputs, MatrixSplit split)
    {
        Add(name + ".weight", inputs, outputs, split != MatrixSplit::NONE);
        if (m_dimensions.biases)
        {
            Add(name + ".bias", outputs, 1, split == MatrixSplit::COLUMNS);
        }
    }

    /**
     * @param name name of the feed-forward block
     * @param inner its inner values
     */
    void AddFeedForward(const std::string& name, uint64_t inner)
    {
        const uint64_t d = m_dimensions.hidden;
        if (m_dimensions.gatedFeedForward)
        {
            AddLinear(name + ".gate", d, inner, MatrixSplit::COLUMNS);
        }
        AddLinear(name + ".up", d, inner, MatrixSplit::COLUMNS);
        AddLinear(name + ".down", inner, d, MatrixSplit::ROWS);
    }

    /**
     * @param tensors tensors that follow
     */
    void AddAll(const std::vector<TensorShape>& tensors)
    {
        m_tensors.insert(m_tensors.end(), tensors.begin(), tensors.end());
    }

    /**
     * @return the tensors
     */
    const std::vector<TensorShape>& Get() const
    {
        return m_tensors;
    }

  private:
    const TransformerDimensions& m_dimensions; //!< the shape of the model
    std::vector<TensorShape> m_tensors;        //!< what was collected
    uint64_t m_copies{1};                      //!< of the tensors that follow
    bool m_expert{false};                      //!< they belong to routed experts
};

/**
 * @param dimensions the shape of a model with latent attention
 * @param tensors takes the tensors of its attention
 */
void
AddLatentAttention(const TransformerDimensions& dimensions, TensorCollector& tensors)
{
    const LatentAttention& latent = dimensions.latent;
    const uint64_t d = dimensions.hidden;
    const uint64_t head = CheckedSum({latent.headSize, latent.rotarySize}, PARAMETERS);
    const uint64_t query = CheckedProduct({dimensions.heads, head}, PARAMETERS);
    if (latent.queryRank == 0)
    {
        tensors.AddLinear("attention.query", d, query, MatrixSplit::COLUMNS);
    }
    else
    {
        tensors.AddLinear("attention.query_down", d, latent.queryRank, MatrixSplit::NONE);
        tensors.AddNorm("attention.query_norm", latent.queryRank);
        tensors.AddLinear("attention.query_up", latent.queryRank, query, MatrixSplit::COLUMNS);
    }
    const uint64_t compressed = CheckedSum({latent.keyValueRank, latent.rotarySize}, PARAMETERS);
    const uint64_t pair = CheckedSum({latent.headSize, latent.valueSize}, PARAMETERS);
    const uint64_t keyValue = CheckedProduct({dimensions.heads, pair}, PARAMETERS);
    const uint64_t value = CheckedProduct({dimensions.heads, latent.valueSize}, PARAMETERS);
    tensors.AddLinear("attention.kv_down", d, compressed, MatrixSplit::NONE);
    tensors.AddNorm("attention.kv_norm", latent.keyValueRank);
    tensors.AddLinear("attention.kv_up", latent.keyValueRank, keyValue, MatrixSplit::COLUMNS);
    tensors.AddLinear("attention.output", value, d, MatrixSplit::ROWS);
}

} // namespace

uint64_t
TensorShape::GetParameters() const
{
    return CheckedProduct({rows, columns, copies}, PARAMETERS);
}

uint64_t
TensorShape::GetCopyPerRank(uint32_t tensorRanks) const
{
    NS_ABORT_MSG_IF(tensorRanks == 0, "a group has a rank at least");
    return CeilDivide(CheckedProduct({rows, columns}, PARAMETERS), tensorSplit ? tensorRanks : 1);
}

uint64_t
TensorShape::GetCopiesPerRank(uint32_t expertRanks) const
{
    NS_ABORT_MSG_IF(expertRanks == 0, "a group has a rank at least");
    NS_ABORT_MSG_IF(expert && copies % expertRanks != 0,
                    copies << " experts can't be shared by " << expertRanks << " ranks");
    return expert ? copies / expertRanks : copies;
}

uint64_t
TensorShape::GetParametersPerRank(uint32_t tensorRanks, uint32_t expertRanks) const
{
    return CheckedProduct({GetCopyPerRank(tensorRanks), GetCopiesPerRank(expertRanks)}, PARAMETERS);
}

TransformerTensors::TransformerTensors(const TransformerDimensions& dimensions)
    : m_dimensions(dimensions)
{
}

std::vector<TensorShape>
TransformerTensors::GetEmbedding() const
{
    TensorCollector tensors(m_dimensions);
    tensors.Add("token_embedding.weight", m_dimensions.vocabulary, m_dimensions.hidden, true);
    if (m_dimensions.learnedPositions)
    {
        tensors.Add("position_embedding.weight", m_dimensions.sequence, m_dimensions.hidden, false);
    }
    return tensors.Get();
}

std::vector<TensorShape>
TransformerTensors::GetAttention() const
{
    TensorCollector tensors(m_dimensions);
    if (m_dimensions.latent.keyValueRank > 0)
    {
        AddLatentAttention(m_dimensions, tensors);
        return tensors.Get();
    }
    const uint64_t d = m_dimensions.hidden;
    const uint64_t k = d / m_dimensions.heads * m_dimensions.keyValueHeads;
    const uint64_t outputs = CheckedSum({d, k, k}, PARAMETERS);
    tensors.AddLinear("attention.qkv", d, outputs, MatrixSplit::COLUMNS);
    tensors.AddLinear("attention.output", d, d, MatrixSplit::ROWS);
    return tensors.Get();
}

std::vector<TensorShape>
TransformerTensors::GetFeedForward(bool experts) const
{
    TensorCollector tensors(m_dimensions);
    if (!experts)
    {
        tensors.AddFeedForward("mlp", m_dimensions.feedForward);
        return tensors.Get();
    }
    const ExpertDimensions& mixture = m_dimensions.experts;
    tensors.Add("router.weight", m_dimensions.hidden, mixture.experts, false);
    if (mixture.routerBias)
    {
        tensors.Add("router.bias", mixture.experts, 1, false);
    }
    tensors.BeginExperts(mixture.experts);
    tensors.AddFeedForward("experts", mixture.feedForward);
    tensors.EndExperts();
    if (mixture.shared > 0)
    {
        const uint64_t inner = CheckedProduct({mixture.shared, mixture.feedForward}, PARAMETERS);
        tensors.AddFeedForward("shared_experts", inner);
    }
    return tensors.Get();
}

std::vector<TensorShape>
TransformerTensors::GetLayer(bool experts) const
{
    TensorCollector tensors(m_dimensions);
    tensors.AddNorm("norm1", m_dimensions.hidden);
    tensors.AddAll(GetAttention());
    tensors.AddNorm("norm2", m_dimensions.hidden);
    tensors.AddAll(GetFeedForward(experts));
    return tensors.Get();
}

std::vector<TensorShape>
TransformerTensors::GetOutput() const
{
    TensorCollector tensors(m_dimensions);
    tensors.AddNorm("final_norm", m_dimensions.hidden);
    if (!m_dimensions.tiedEmbeddings)
    {
        tensors.Add("output.weight", m_dimensions.hidden, m_dimensions.vocabulary, true);
    }
    return tensors.Get();
}

} // namespace llmfabric
} // namespace ns3
