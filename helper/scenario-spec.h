/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_SPEC_H
#define SCENARIO_SPEC_H

#include "load-spec.h"

#include "ns3/collective-tuner.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/training-spec.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What one run simulates: a scenario file, read, checked and typed.
 *
 * One nested struct stands for one section of the file, one member for one key; a member's
 * initializer is the default of its key. ScenarioReader fills a Scenario. A scenario describes one
 * of three things: a training job (corpus, model, precision, batch, parallel, compute,
 * collective), a file of ops (schedule) or plain traffic (flows, load).
 *
 * Defaults that are times are made when the Scenario is, so the program sets the time resolution
 * first.
 */
struct Scenario
{
    /// Section `corpus`: how much text there is. Exactly one of words, tokens, bytes, file is
    /// given.
    struct Corpus
    {
        /// What of a file is turned into tokens.
        enum class Unit
        {
            WORDS, //!< `words`: tokens_per_word for each
            BYTES  //!< `bytes`: one for each bytes_per_token
        };

        std::optional<uint64_t> words;   //!< `words`: size in words
        std::optional<uint64_t> tokens;  //!< `tokens`: size in tokens
        std::optional<uint64_t> bytes;   //!< `bytes`: size in bytes of text
        std::optional<std::string> file; //!< `file`: UTF-8 text to count, from the working folder
        Unit unit{Unit::WORDS};          //!< `unit`: words or bytes; of a file; default words

        /// `tokens_per_word`: tokens of a word, above 0; with words; default 1.25
        double tokensPerWord{llmfabric::Corpus::TOKENS_PER_WORD};
        /// `bytes_per_token`: bytes of a token, above 0; with bytes; default 4
        double bytesPerToken{llmfabric::Corpus::BYTES_PER_TOKEN};
        /// `last_sequence`: drop, pad or pack what does not fill a sequence; default drop
        LastSequence lastSequence{LastSequence::DROP};
    };

    /// Map `model.latent`: latent attention. An absent key is as in the preset; without preset
    /// kv_rank, head_size and value_size are required.
    struct Latent
    {
        std::optional<uint64_t> queryRank;    //!< `query_rank`: of compressed queries; default 0
        std::optional<uint64_t> keyValueRank; //!< `kv_rank`: of compressed keys and values
        std::optional<uint64_t> headSize;     //!< `head_size`: values of a head but rotary ones
        std::optional<uint64_t> rotarySize;   //!< `rotary_size`: rotary values; default 0
        std::optional<uint64_t> valueSize;    //!< `value_size`: values of a head's value
    };

    /// Section `model`: the transformer. An absent key is as in the preset; without preset layers,
    /// hidden, heads, vocabulary and sequence are required, and the others have their default.
    struct Model
    {
        std::string preset;                 //!< `preset`: name of a known model; default none
        std::optional<uint64_t> layers;     //!< `layers`: L
        std::optional<uint64_t> hidden;     //!< `hidden`: d, values per token
        std::optional<uint64_t> heads;      //!< `heads`: query heads of a layer
        std::optional<uint64_t> kvHeads;    //!< `kv_heads`: key-value heads; default heads
        std::optional<uint64_t> ffn;        //!< `ffn`: inner values of feed-forward; default 4 d
        std::optional<uint64_t> vocabulary; //!< `vocabulary`: V, tokens
        std::optional<uint64_t> sequence;   //!< `sequence`: T, tokens of a sequence

        /// `tied_embeddings`: the output layer is the input embedding; default true
        std::optional<bool> tiedEmbeddings;
        /// `learned_positions`: each position has a trained embedding; default true
        std::optional<bool> learnedPositions;
        std::optional<bool> biases;      //!< `biases`: of linear layers and norms; default true
        std::optional<bool> gatedFfn;    //!< `gated_ffn`: three matrices, not two; default false
        std::optional<bool> dropout;     //!< `dropout`: its masks are kept; default true
        std::optional<uint64_t> experts; //!< `experts`: E, routed experts; default 0: dense
        std::optional<uint64_t> topK;    //!< `top_k`: experts that see a token; default 1

        /// `shared_experts`: experts that see every token; default 0
        std::optional<uint64_t> sharedExperts;
        std::optional<uint64_t> expertFfn;   //!< `expert_ffn`: `ffn` of an expert; default ffn
        std::optional<uint64_t> denseLayers; //!< `dense_layers`: first dense ones; default 0

        /// `moe_frequency`: of the layers after those each n-th has experts; default 1
        std::optional<uint64_t> moeFrequency;
        std::optional<bool> routerBias;     //!< `router_bias`: one per expert; default false
        std::optional<Latent> latent;       //!< `latent`: latent attention; default none
        std::optional<uint64_t> parameters; //!< `parameters`: count that replaces the derived one
    };

    /// Section `precision`: bytes per value, each 1, 2, 4 or 8.
    struct Precision
    {
        uint32_t activation{2}; //!< `activation`: bytes per activation; default 2
        uint32_t gradient{2};   //!< `gradient`: bytes per gradient; default 2
        uint32_t parameter{2};  //!< `parameter`: bytes per parameter; default 2

        /// `optimizer`: bytes of optimizer state per parameter, 0 to 64; absent: Adam's, 12 with
        /// parameters below 4 bytes, else 8
        std::optional<uint64_t> optimizer;
    };

    /// Section `batch`.
    struct Batch
    {
        /// `global_tokens`: tokens per step over all ranks; absent: data x local_sequences x the
        /// sequence length of the model
        std::optional<uint64_t> globalTokens;
        /// `local_sequences`: sequences per mini-batch and data-parallel rank; required
        uint64_t localSequences{0};
        /// `micro_sequences`: sequences of a micro-batch; absent: as local_sequences
        std::optional<uint64_t> microSequences;
    };

    /// Section `parallel`: how the work is divided over data x tensor x pipeline x context ranks.
    struct Parallel
    {
        uint32_t data{1};     //!< `data`: ranks that share the batch; default 1
        uint32_t tensor{1};   //!< `tensor`: ranks that share each layer's matrices; default 1
        uint32_t pipeline{1}; //!< `pipeline`: stages of the pipeline; default 1
        uint32_t expert{1};   //!< `expert`: of the data ranks, those that share experts; default 1
        uint32_t context{1};  //!< `context`: ranks that share each sequence; default 1
        uint32_t zero{0};     //!< `zero`: stage of ZeRO, 0 to 3; default 0

        /// `sequence_parallel`: tensor ranks share activations between matrices; default false
        bool sequenceParallel{false};
        /// `context_method`: ring (default) or ulysses
        ContextMethod contextMethod{ContextMethod::RING};
        std::string schedule{"1f1b"}; //!< `schedule`: of the pipeline, by name; default 1f1b
        uint32_t chunks{1};           //!< `chunks`: parts of the model on each stage; default 1

        /// `layer_split`: even (default), balanced, or the layers of each part as a list
        LayerSplitMethod layerSplit{LayerSplitMethod::EVEN};
        std::vector<uint64_t> layersPerPart; //!< the list of `layer_split`, in model order

        /// `pipeline_scatter`: tensor ranks pass on a part of an activation each; default true
        bool pipelineScatter{true};
        /// `order`: axes as rank numbers run, each once; default [tensor, context, expert, data,
        /// pipeline]
        std::array<GridAxis, GRID_AXES> order{ParallelPlan().order};
        Recompute recompute{Recompute::NONE}; //!< `recompute`: none (default), selective or full

        /// `buckets`: gradients travel in buckets during the last backward pass; default false
        bool buckets{false};
        uint64_t firstBucket{1 << 20}; //!< `first_bucket`: cap in bytes; default 1 MiB
        uint64_t bucketSize{25 << 20}; //!< `bucket_size`: cap of the others; default 25 MiB
        uint32_t prefetch{1};          //!< `prefetch`: units ZeRO-3 gathers ahead; default 1

        /// `no_sync`: ZeRO-3 shares gradients at the last micro-batch only; default false
        bool noSync{false};
        /// `capacity_factor`: an expert takes at most this times the even share of tokens; 0
        /// (default): all
        double capacityFactor{0};
        /// `imbalance`: load of the experts: uniform (default), {zipf: exponent}, or a list of
        /// weights
        double zipfExponent{0};
        std::vector<double> expertWeights; //!< the list of `imbalance`, one per expert
    };

    /// Section `compute`: how long a GPU is busy. One of forward and backward, forward_per_layer
    /// and backward_per_layer, or gpu is required; given times go before those of the gpu.
    struct Compute
    {
        std::optional<Time> forward;         //!< `forward`: pass of all layers per mini-batch
        std::optional<Time> backward;        //!< `backward`: pass of all layers per mini-batch
        std::optional<Time> forwardPerLayer; //!< `forward_per_layer`: of one layer per mini-batch

        /// `backward_per_layer`: of one layer per mini-batch
        std::optional<Time> backwardPerLayer;
        Time update{0}; //!< `update`: time of the optimizer per step; default 0

        /// `weight_share`: part of a backward pass that makes the weights' gradients; default 0.5
        double weightShare{0.5};
        std::string gpu; //!< `gpu`: name of a known GPU; gives times by FLOPs, and its memory

        /// `efficiency`: part of the peak that is reached, up to 1; needs gpu; absent: the gpu's
        std::optional<double> efficiency;
        /// `causal_attention`: FLOPs of attention count the lower triangle only; default true
        bool causalAttention{true};
    };

    /// Section `collective`: how collectives are done. What is absent is as in CollectiveSettings.
    struct Collective
    {
        /// `allreduce`, `reducescatter`, `allgather`, `alltoall`, `broadcast`, `reduce`,
        /// `sendrecv`, `barrier`: an algorithm, auto, or a list of {up_to: bytes, algorithm: name};
        /// default ring, of alltoall and sendrecv direct
        std::map<std::string, std::vector<CollectiveRule>> rules;
        std::vector<std::string> algorithms; //!< `algorithms`: files with algorithms of one's own

        std::optional<uint64_t> channels;   //!< `channels`: of a group; default 2 per NIC
        std::optional<uint64_t> chunk;      //!< `chunk`: bytes of a loop; default the protocol's
        std::optional<uint64_t> slice;      //!< `slice`: bytes of a message; default the protocol's
        std::optional<uint64_t> slots;      //!< `slots`: slices granted ahead; 0: all; default 4
        std::optional<uint64_t> queuePairs; //!< `queue_pairs`: of a connection; default 1

        std::optional<std::string>
            protocol;                    //!< `protocol`: none (default), simple, ll, ll128, auto
        std::optional<Time> stepLatency; //!< `step_latency`: of a slice; default the protocol's
        std::optional<DataRate> reductionRate; //!< `reduction_rate`: of a channel; default no limit
        std::optional<DataRate> memoryBandwidth; //!< `memory_bandwidth`: of a GPU's additions; same
    };

    /// Section `cluster.nvlink`: the links between the GPUs of a node.
    struct Nvlink
    {
        DataRate rate{3600000000000ULL}; //!< `rate`: of one GPU, one way; default 3.6 Tb/s
        Time delay{NanoSeconds(500)};    //!< `delay`: GPU to GPU; default 500 ns
    };

    /// Section `cluster`: nodes, NICs and the topology between them.
    struct Cluster
    {
        uint32_t nodes{0};       //!< `nodes`: number of nodes; required
        uint32_t gpusPerNode{0}; //!< `gpus_per_node`: required, with flows default nics_per_node
        uint32_t nicsPerNode{1}; //!< `nics_per_node`: NICs of a node, one host each; default 1
        Nvlink nvlink;           //!< `nvlink`: links inside the node

        /// `topology`: single-switch (default), leaf-spine or fat-tree
        std::string topology{"single-switch"};
        DataRate rate{100000000000ULL}; //!< `rate`: of every network link; default 100 Gb/s
        Time delay{MicroSeconds(1)};    //!< `delay`: of every network link, above 0; default 1 us
        std::optional<uint32_t>
            leaves; //!< `leaves`: leaf switches; leaf-spine only, required there
        std::optional<uint32_t>
            spines; //!< `spines`: spine switches; leaf-spine only, required there

        /// `hosts_per_leaf`: hosts under one leaf; leaf-spine only, required there
        std::optional<uint32_t> hostsPerLeaf;
        std::optional<uint32_t> k; //!< `k`: ports of a switch, even; fat-tree only, required there

        /// `gpu_memory`: bytes of a GPU; absent: those of compute.gpu, or no limit
        std::optional<uint64_t> gpuMemory;
    };

    /// Section `nic`.
    struct Nic
    {
        uint32_t mtu{4096}; //!< `mtu`: payload bytes of a full packet; default 4096

        /// `congestion_control`: a preset, or a class, of ns3::llmfabric without `::`; default
        /// Dcqcn
        std::string congestionControl{"Dcqcn"};
        /// `ack_interval`: packets per ACK; absent: as the congestion control wants, else 16
        std::optional<uint32_t> ackInterval;
        std::optional<DataRate> drainRate;     //!< `drain_rate`: of a host; default line rate
        std::optional<uint64_t> receiveBuffer; //!< `receive_buffer`: of a priority; default 262016
    };

    /// Section `switch.ecn`: marking by the length of an output queue.
    struct Ecn
    {
        uint64_t kmin{400000};  //!< `kmin`: bytes below which nothing is marked; default 400 KB
        uint64_t kmax{1600000}; //!< `kmax`: bytes above which all is marked; default 1600 KB
        double pmax{0.2};       //!< `pmax`: probability of a mark at kmax, 0 to 1; default 0.2
    };

    /// Section `switch`.
    struct Switch
    {
        uint64_t buffer{32000000}; //!< `buffer`: shared bytes of a switch; default 32 MB
        bool pfc{true};            //!< `pfc`: whether switches send PFC pauses; default true
        Ecn ecn;                   //!< `ecn`: when packets are marked
    };

    /// Section `run`.
    struct Run
    {
        uint64_t steps{1};     //!< `steps`: training steps; default 1
        uint32_t seed{1};      //!< `seed`: of all random streams and hashes; default 1
        uint64_t runNumber{1}; //!< `run_number`: substream of the random streams; default 1

        /// `ignore_memory`: run what does not fit the GPUs' memory all the same; default false
        bool ignoreMemory{false};
    };

    /// Section `stragglers`: what makes ranks slower; not with flows.
    struct Stragglers
    {
        std::map<uint32_t, double> factors; //!< `factors`: rank: factor on its times, above 0

        /// `jitter`: random variable, a factor on each time, as ns-3 writes it:
        /// "ns3::NormalRandomVariable[Mean=1.0|Variance=0.0001|Bound=0.1]"; empty: none
        std::string jitter;
        std::map<uint32_t, Time> start; //!< `start`: rank: when it begins; default 0
        std::set<uint32_t> absent;      //!< `absent`: ranks that never begin
    };

    /// Section `schedule`: the ops of all ranks.
    struct Schedule
    {
        std::string file; //!< `file`: its path from the working folder; required
    };

    /// Section `trace`.
    struct Trace
    {
        std::optional<std::string> file; //!< `file`: HDF5 file to write; absent or null: no trace

        /// `compression`: none or deflate (default)
        std::string compression{"deflate"};
    };

    /// One entry of section `attributes`.
    struct Attribute
    {
        std::string path;  //!< full path (`/NodeList/...`) or full name (`ns3::Class::Attribute`)
        std::string value; //!< the value as text, as ns3::Config takes it
        std::string where; //!< where it stands, for messages
    };

    /// One entry of section `flows`.
    struct Flow
    {
        uint32_t from{0};  //!< `from`: sending host, node x nics_per_node + nic; required
        uint32_t to{0};    //!< `to`: receiving host; required
        uint64_t bytes{0}; //!< `bytes`: size in bytes; required
        Time start{0};     //!< `start`: when the sender begins; default 0
    };

    std::string name; //!< base name of the file, without folder and ending
    std::string file; //!< the file, or empty if it was no file
    std::string text; //!< the scenario that is run: the file after all overrides, as YAML

    Corpus corpus;                     //!< section `corpus`; required of a training job
    Model model;                       //!< section `model`; required of a training job
    Precision precision;               //!< section `precision`
    Batch batch;                       //!< section `batch`; required of a training job
    Parallel parallel;                 //!< section `parallel`
    Compute compute;                   //!< section `compute`; required of a training job
    Collective collective;             //!< section `collective`
    Cluster cluster;                   //!< section `cluster`; required
    Nic nic;                           //!< section `nic`
    Switch sw;                         //!< section `switch`
    Run run;                           //!< section `run`
    Trace trace;                       //!< section `trace`; absent: no trace
    std::vector<Attribute> attributes; //!< section `attributes`, in the order of the file
    Stragglers stragglers;             //!< section `stragglers`; absent: none
    Schedule schedule;                 //!< section `schedule`; absent: no file of ops
    std::vector<Flow> flows;           //!< section `flows`; empty: none are listed
    std::optional<LoadSpec> load;      //!< section `load`; absent: no flows at random

    /// Where each given value stands ("a.yaml:3:5" or "--set"), by key path.
    std::map<std::string, std::string> positions;

    /// @return whether plain traffic is simulated: flows that are listed, or a load
    bool HasFlows() const;

    /// @return whether a file of ops is simulated
    bool HasSchedule() const;

    /// @return whether a training job is simulated
    bool HasTraining() const;

    /// @return the number of hosts: one per NIC
    uint64_t GetHostCount() const;

    /**
     * @param name a name
     * @return whether a section of a scenario is called so
     */
    static bool IsSection(const std::string& name);

    /**
     * Say where a value stands, for a message.
     *
     * @param keyPath e.g. `cluster.nodes`, `flows[2].bytes`, `attributes./NodeList/0/...`
     * @return "a.yaml:12:5 (cluster.nodes)", "--set (cluster.nodes)" or "cluster.nodes (default)"
     */
    std::string Where(const std::string& keyPath) const;
};

} // namespace llmfabric
} // namespace ns3

#endif /* SCENARIO_SPEC_H */
