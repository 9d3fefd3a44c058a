/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_SPEC_H
#define SCENARIO_SPEC_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
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
 * initializer is the default of its key. ScenarioReader fills a Scenario. A scenario describes
 * either a training job (corpus, model, precision, batch, parallel, compute, collective) or plain
 * traffic (flows), never both.
 *
 * Defaults that are times are made when the Scenario is, so the program sets the time resolution
 * first.
 */
struct Scenario
{
    /// Section `corpus`: how much text there is. Exactly one member holds a value.
    struct Corpus
    {
        std::optional<uint64_t> words;  //!< `words`: size in words
        std::optional<uint64_t> tokens; //!< `tokens`: size in tokens
        std::optional<uint64_t> bytes;  //!< `bytes`: size in bytes of text
    };

    /// Section `model`: the transformer.
    struct Model
    {
        std::string preset;                 //!< `preset`: name of a known model; required
        std::optional<uint64_t> parameters; //!< `parameters`: count that replaces the derived one
    };

    /// Section `precision`: bytes per value, each 1, 2, 4 or 8.
    struct Precision
    {
        uint32_t activation{2}; //!< `activation`: bytes per activation; default 2
        uint32_t gradient{2};   //!< `gradient`: bytes per gradient; default 2
        uint32_t parameter{2};  //!< `parameter`: bytes per parameter; default 2
    };

    /// Section `batch`.
    struct Batch
    {
        /// `global_tokens`: tokens per step over all ranks; absent: data x local_sequences x the
        /// sequence length of the model
        std::optional<uint64_t> globalTokens;
        uint64_t localSequences{
            0}; //!< `local_sequences`: sequences per mini-batch and rank; required
    };

    /// Section `parallel`. The other degrees are refused by the reader until they are built.
    struct Parallel
    {
        uint32_t data{0}; //!< `data`: ranks that share the batch; required
    };

    /// Section `compute`: how long a GPU is busy.
    struct Compute
    {
        Time forward;   //!< `forward`: time of a forward pass per local mini-batch; required
        Time backward;  //!< `backward`: time of a backward pass per local mini-batch; required
        Time update{0}; //!< `update`: time of the optimizer per step; default 0
    };

    /// Section `collective`: the algorithm of each kind of collective, by name.
    struct Collective
    {
        std::string allreduce{"ring"}; //!< `allreduce`: algorithm of AllReduce; default ring
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
    };

    /// Section `nic`.
    struct Nic
    {
        uint32_t mtu{4096}; //!< `mtu`: payload bytes of a full packet; default 4096

        /// `congestion_control`: class name, `ns3::llmfabric::` when it holds no `::`; default
        /// Dcqcn
        std::string congestionControl{"Dcqcn"};
        uint32_t ackInterval{16}; //!< `ack_interval`: data packets per requested ACK; default 16
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

    Corpus corpus;                     //!< section `corpus`; required without flows
    Model model;                       //!< section `model`; required without flows
    Precision precision;               //!< section `precision`
    Batch batch;                       //!< section `batch`; required without flows
    Parallel parallel;                 //!< section `parallel`; required without flows
    Compute compute;                   //!< section `compute`; required without flows
    Collective collective;             //!< section `collective`
    Cluster cluster;                   //!< section `cluster`; required
    Nic nic;                           //!< section `nic`
    Switch sw;                         //!< section `switch`
    Run run;                           //!< section `run`
    Trace trace;                       //!< section `trace`; absent: no trace
    std::vector<Attribute> attributes; //!< section `attributes`, in the order of the file
    std::vector<Flow> flows;           //!< section `flows`; empty: a training job

    /// Where each given value stands ("a.yaml:3:5" or "--set"), by key path.
    std::map<std::string, std::string> positions;

    /// @return whether plain flows are simulated, not a training job
    bool HasFlows() const
    {
        return !flows.empty();
    }

    /// @return the number of hosts: one per NIC
    uint64_t GetHostCount() const
    {
        return uint64_t{cluster.nodes} * cluster.nicsPerNode;
    }

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
