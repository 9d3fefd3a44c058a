/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-finder.h"

#include "scenario-words.h"

#include "ns3/user-error.h"

#include <cstdlib>
#include <filesystem>
#include <set>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param text a text
 * @param ending an ending
 * @return whether the text ends so
 */
bool
EndsIn(const std::string& text, const std::string& ending)
{
    return text.size() >= ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

} // namespace

std::string
ScenarioFinder::Find(const std::string& nameOrPath)
{
    if (nameOrPath.find('/') != std::string::npos || EndsIn(nameOrPath, ".yaml") ||
        EndsIn(nameOrPath, ".json"))
    {
        return nameOrPath;
    }
    const auto folders = GetFolders();
    for (const auto& folder : folders)
    {
        const auto path = std::filesystem::path(folder) / (nameOrPath + ".yaml");
        std::error_code error;
        if (!nameOrPath.empty() && std::filesystem::is_regular_file(path, error))
        {
            return path.string();
        }
    }
    const auto presets = GetPresets();
    const std::string action = presets.empty()
                                   ? "no preset was found in " + JoinWords(folders)
                                   : "presets found: " + JoinWords(presets) +
                                         " (a path holds '/' or ends in .yaml or .json)";
    throw UserError("unknown preset '" + nameOrPath + "'" + SuggestWord(nameOrPath, presets),
                    "",
                    action);
}

std::vector<std::string>
ScenarioFinder::GetFolders()
{
    std::vector<std::string> folders;
    if (const char* folder = std::getenv("LLM_FABRIC_SCENARIOS"))
    {
        folders.emplace_back(folder);
    }
#ifdef LLM_FABRIC_SOURCE_DIR
    folders.emplace_back(LLM_FABRIC_SOURCE_DIR "/examples/scenarios");
#endif
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error)
    {
        const auto beside = program.parent_path();
        folders.push_back((beside / "share/llm-fabric/scenarios").string());
        folders.push_back((beside.parent_path() / "share/llm-fabric/scenarios").string());
    }
    return folders;
}

std::vector<std::string>
ScenarioFinder::GetPresets()
{
    std::set<std::string> names;
    for (const auto& folder : GetFolders())
    {
        std::error_code error;
        for (const auto& file : std::filesystem::directory_iterator(folder, error))
        {
            if (file.path().extension() == ".yaml")
            {
                names.insert(file.path().stem().string());
            }
        }
    }
    return {names.begin(), names.end()};
}

} // namespace llmfabric
} // namespace ns3
