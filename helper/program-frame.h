/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_FRAME_H
#define PROGRAM_FRAME_H

#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * What the programs of this module have in common.
 */
class ProgramFrame
{
  public:
    /**
     * Run a program: with picoseconds and the module's scheduler. Errors are told on cerr, in one
     * sentence.
     *
     * @param name name of the program
     * @param main what it does; returns its exit status
     * @return the exit status: 1 if the run failed, 2 after a mistake of the user
     */
    static int Run(const std::string& name, const std::function<int()>& main);

    /**
     * @param argument a word of the command line
     * @return whether it is --ns3::Class::Attribute=value or --Global=value, as SetDefault() takes
     */
    static bool IsDefault(const std::string& argument);

    /**
     * Set a default of ns-3.
     *
     * @param argument --ns3::Class::Attribute=value or --Global=value
     * @throws UserError if there is no such thing or it can't have this value
     */
    static void SetDefault(const std::string& argument);

    /**
     * Load the libraries with classes of the user's own that --load=LIBRARY names, wherever it
     * stands; their TypeIds are known from then on. Without '/' a name is also looked for in the
     * current folder.
     *
     * @param argc words
     * @param argv the words
     * @return the other words, and a null
     * @throws UserError if one can't be loaded
     */
    static std::vector<char*> LoadLibraries(int argc, char* argv[]);

    /**
     * @param a a path, or empty
     * @param b a path, or empty
     * @return whether both name one file
     */
    static bool IsSameFile(const std::string& a, const std::string& b);
};

} // namespace llmfabric
} // namespace ns3

#endif /* PROGRAM_FRAME_H */
