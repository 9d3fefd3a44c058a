/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMMAND_FOLDER_H
#define COMMAND_FOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/** An empty folder of the running test, in which commands run; it goes with the object. */
class CommandFolder
{
  public:
    CommandFolder()
    {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        m_path = std::filesystem::path(testing::TempDir()) /
                 (std::to_string(getpid()) + "-" + test->test_suite_name() + "-" + test->name());
        std::filesystem::create_directories(m_path);
    }

    CommandFolder(const CommandFolder&) = delete;
    CommandFolder& operator=(const CommandFolder&) = delete;

    ~CommandFolder()
    {
        std::filesystem::remove_all(m_path);
    }

    /**
     * @param command a shell command
     * @return its exit status; its output is in GetOut() and GetErr()
     */
    int Run(const std::string& command)
    {
        const std::string line =
            "cd '" + m_path.string() + "' && { " + command + "; } >out.txt 2>err.txt";
        const int status = std::system(line.c_str());
        m_out = Read("out.txt");
        m_err = Read("err.txt");
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    /** @return standard output of the last command */
    const std::string& GetOut() const
    {
        return m_out;
    }

    /** @return standard error of the last command */
    const std::string& GetErr() const
    {
        return m_err;
    }

    /** @return the lines of the standard output of the last command */
    std::vector<std::string> GetLines() const
    {
        std::vector<std::string> lines;
        std::istringstream in(m_out);
        for (std::string line; std::getline(in, line);)
        {
            lines.push_back(line);
        }
        return lines;
    }

    /**
     * @param name a file of the folder
     * @return its path
     */
    std::string PathOf(const std::string& name) const
    {
        return (m_path / name).string();
    }

    /**
     * @param name a file of the folder
     * @return its content
     */
    std::string Read(const std::string& name) const
    {
        std::ifstream file(m_path / name, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    /**
     * @param name a file of the folder
     * @param text its content
     */
    void Write(const std::string& name, const std::string& text) const
    {
        std::ofstream(m_path / name, std::ios::binary) << text;
    }

  private:
    std::filesystem::path m_path; //!< the folder
    std::string m_out;            //!< standard output of the last command
    std::string m_err;            //!< standard error of the last command
};

} // namespace llmfabric
} // namespace ns3

#endif /* COMMAND_FOLDER_H */
