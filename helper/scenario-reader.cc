/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-reader.h"

#include "scenario-builder.h"
#include "scenario-finder.h"
#include "scenario-node.h"
#include "scenario-override.h"
#include "scenario-validator.h"

#include "ns3/user-error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param path the path of a file
 * @return all that it holds
 * @throws UserError when it can't be read
 */
std::string
ReadFile(const std::string& path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
    {
        throw UserError("this is a folder", path, "name a scenario file");
    }
    errno = 0;
    const std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file && file.rdbuf()->sgetc() != std::ifstream::traits_type::eof())
    {
        text << file.rdbuf();
    }
    if (!file || errno != 0)
    {
        throw UserError(std::string("the scenario file can't be read (") + std::strerror(errno) +
                            ")",
                        path,
                        "name a file that exists and that you may read");
    }
    return text.str();
}

} // namespace

Scenario
ScenarioReader::Read(const std::string& nameOrPath, const std::vector<std::string>& overrides)
{
    const std::string path = ScenarioFinder::Find(nameOrPath);
    // A preset is called by its file name, a path as the user wrote it.
    const std::string source =
        path == nameOrPath ? path : std::filesystem::path(path).filename().string();
    Scenario scenario = ReadText(ReadFile(path), source, overrides);
    scenario.file = path;
    return scenario;
}

Scenario
ScenarioReader::ReadText(const std::string& text,
                         const std::string& source,
                         const std::vector<std::string>& overrides)
{
    ScenarioNode root = ScenarioNode::Parse(text, source, true);
    if (root.kind == ScenarioNode::NONE)
    {
        throw UserError("the scenario is empty", source, "write sections, e.g. cluster");
    }
    if (root.kind != ScenarioNode::MAP)
    {
        throw UserError("the scenario is not a map", root.position, "write sections, e.g. cluster");
    }
    for (const auto& pathAndValue : overrides)
    {
        ScenarioOverride(pathAndValue).Apply(root);
    }
    // What the scenario as a whole lacks has no line.
    root.position = source;
    Scenario scenario = ScenarioBuilder::Build(root);
    scenario.name = std::filesystem::path(source).stem().string();
    ScenarioValidator::Check(scenario);
    return scenario;
}

} // namespace llmfabric
} // namespace ns3
