/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-frame.h"

#include "attribute-text.h"

#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/user-error.h"

#include <cctype>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <iostream>

namespace ns3
{
namespace llmfabric
{

int
ProgramFrame::Run(const std::string& name, const std::function<int()>& main)
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::llmfabric::FabricScheduler"));
    int status = 0;
    try
    {
        status = main();
    }
    catch (const UserError& error)
    {
        std::cerr << name << ": " << error.what() << std::endl;
        status = 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << name << ": the run failed: " << error.what() << std::endl;
        status = 1;
    }
    Simulator::Destroy();
    return status;
}

bool
ProgramFrame::IsDefault(const std::string& argument)
{
    const bool isName = argument.rfind("--ns3::", 0) == 0 ||
                        (argument.rfind("--", 0) == 0 && argument.size() > 2 &&
                         std::isupper(static_cast<unsigned char>(argument[2])));
    return isName && argument.find('=') != std::string::npos;
}

void
ProgramFrame::SetDefault(const std::string& argument)
{
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals - 2);
    const std::string value = argument.substr(equals + 1);
    try
    {
        name.find("::") != std::string::npos ? AttributeText::SetDefault(name, value)
                                             : AttributeText::SetGlobal(name, value);
    }
    catch (const UserError& error)
    {
        throw error.At("command line (" + argument + ")");
    }
}

std::vector<char*>
ProgramFrame::LoadLibraries(int argc, char* argv[])
{
    const std::string option = "--load=";
    std::vector<char*> others;
    for (int i = 0; i < argc; ++i)
    {
        const std::string argument = argv[i];
        if (argument.rfind(option, 0) != 0)
        {
            others.push_back(argv[i]);
            continue;
        }
        const std::string path = argument.substr(option.size());
        const bool here = path.find('/') == std::string::npos && std::filesystem::exists(path);
        const std::string name = here ? "./" + path : path;
        if (!dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) // for as long as the program runs
        {
            throw UserError(dlerror(),
                            "command line (" + argument + ")",
                            "name a shared library that is linked with ns-3 and this module");
        }
    }
    others.push_back(nullptr);
    return others;
}

bool
ProgramFrame::IsSameFile(const std::string& a, const std::string& b)
{
    std::error_code ignored;
    return !a.empty() && !b.empty() &&
           std::filesystem::weakly_canonical(a, ignored) ==
               std::filesystem::weakly_canonical(b, ignored);
}

} // namespace llmfabric
} // namespace ns3
