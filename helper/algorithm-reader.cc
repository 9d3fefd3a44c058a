/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "algorithm-reader.h"

#include "algorithm-line.h"
#include "scenario-words.h"

#include "ns3/listed-chunks.h"
#include "ns3/user-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{
namespace llmfabric
{

namespace
{

/// Version of the format.
const std::string VERSION = "1";

/// What the first line must be.
const std::string HEADER = "llm-fabric algorithm " + VERSION;

/// What the other lines before the steps begin with.
const std::vector<std::string> HEAD_WORDS{"name", "op", "ranks", "chunks"};

/// What steps do, in the order of ListedAction.
const std::vector<std::string> ACTIONS{"send", "recv", "reduce"};

/// Reads one file.
class Reading
{
  public:
    /**
     * @param in what to read
     * @param name what to call it in messages
     */
    Reading(std::istream& in, const std::string& name);

    /**
     * @return the list
     */
    ListedSchedule Read();

  private:
    /**
     * @return whether there is another line; m_text has it then
     */
    bool NextLine();
    /**
     * @param line a line with words
     */
    void ReadLine(const AlgorithmLine& line);
    /**
     * @param line the line that says what the file is
     */
    void ReadHeader(const AlgorithmLine& line);
    /**
     * @param line a line before the steps
     */
    void ReadHead(const AlgorithmLine& line);
    /**
     * @param line the line that says the name
     * @return the name
     */
    static std::string ReadName(const AlgorithmLine& line);
    /**
     * @param line a step
     */
    void ReadStep(const AlgorithmLine& line);
    /**
     * @param line a step
     * @param step gets what it is after
     */
    void ReadAfter(const AlgorithmLine& line, ListedStep& step);
    /**
     * @param line a line
     * @param index number of a word
     * @param what what should stand there
     * @param known the words that may
     * @return which of them it is
     */
    static std::size_t Choose(const AlgorithmLine& line,
                              std::size_t index,
                              const std::string& what,
                              const std::vector<std::string>& known);
    /// Refuse a file whose head is not complete.
    void CheckHead() const;

    std::istream& m_in;          //!< what to read
    std::vector<char> m_buffer;  //!< a byte more than a line may have, and the end of the text
    std::string m_text;          //!< the current line
    uint64_t m_number{0};        //!< its number, from 1
    bool m_begun{false};         //!< the header was read
    std::set<std::string> m_has; //!< lines of the head that were read
    std::size_t m_waits{0};      //!< steps that were named to be after
    ListedSchedule m_schedule;   //!< what was read
};

Reading::Reading(std::istream& in, const std::string& name)
    : m_in(in),
      m_buffer(AlgorithmReader::MAX_LINE + 2)
{
    m_schedule.source = name;
}

ListedSchedule
Reading::Read()
{
    const std::string& name = m_schedule.source;
    try
    {
        while (NextLine())
        {
            const AlgorithmLine line(m_text);
            if (line.GetSize() > 0)
            {
                ReadLine(line);
            }
        }
    }
    catch (const UserError& mistake)
    {
        throw mistake.At(name + ":" + std::to_string(m_number) + mistake.GetWhere());
    }
    if (m_in.bad())
    {
        throw UserError("the file can't be read to its end", name, "");
    }
    if (!m_begun)
    {
        throw UserError("the file is empty", name, "begin it with '" + HEADER + "'");
    }
    try
    {
        CheckHead();
    }
    catch (const UserError& mistake)
    {
        throw mistake.At(name);
    }
    if (m_schedule.steps.empty())
    {
        throw UserError("no rank has a step", name, "was the file cut off?");
    }
    return std::move(m_schedule);
}

bool
Reading::NextLine()
{
    m_in.getline(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
    const auto length = static_cast<std::size_t>(m_in.gcount());
    if (length == 0 || m_in.bad())
    {
        return false;
    }
    ++m_number;
    m_text.assign(m_buffer.data());
    if (m_in.fail() || m_text.size() > AlgorithmReader::MAX_LINE)
    {
        throw UserError("the line is too long",
                        "",
                        "allowed: " + std::to_string(AlgorithmReader::MAX_LINE) + " bytes");
    }
    if (m_text.size() + (m_in.eof() ? 0 : 1) != length)
    {
        throw UserError("the line holds a zero byte", "", "write the file as text");
    }
    return true;
}

void
Reading::ReadLine(const AlgorithmLine& line)
{
    const char first = line.GetWord(0, "")[0];
    if (!m_begun)
    {
        ReadHeader(line);
    }
    else if (first >= '0' && first <= '9')
    {
        ReadStep(line);
    }
    else
    {
        ReadHead(line);
    }
}

void
Reading::ReadHeader(const AlgorithmLine& line)
{
    if (line.GetSize() < 2 || line.GetWord(0, "") != "llm-fabric" ||
        line.GetWord(1, "") != "algorithm")
    {
        throw line.MakeError(0, "the header is missing", "begin the file with '" + HEADER + "'");
    }
    const std::string& version = line.GetWord(2, "the version of the format");
    if (version != VERSION)
    {
        throw line.MakeError(2,
                             "version " + AlgorithmLine::Quote(version) +
                                 " of the format is not known",
                             "known is " + VERSION);
    }
    line.CheckEnd(3);
    m_begun = true;
}

void
Reading::ReadHead(const AlgorithmLine& line)
{
    const std::string& word = HEAD_WORDS[Choose(line, 0, "word", HEAD_WORDS)];
    if (!m_has.insert(word).second)
    {
        throw line.MakeError(0, "'" + word + "' stands twice", "say it once");
    }
    if (!m_schedule.steps.empty())
    {
        throw line.MakeError(0, "'" + word + "' stands after steps", "say it before the first");
    }
    if (word == "name")
    {
        m_schedule.name = ReadName(line);
    }
    else if (word == "op")
    {
        const auto& ops = ListedChunks::GetOps();
        m_schedule.op = ops[Choose(line, 1, "op", ops)];
    }
    else if (word == "ranks")
    {
        m_schedule.ranks = line.GetNumber(1, "a number of ranks", 2, ListedSchedule::MAX_RANKS);
    }
    else
    {
        m_schedule.chunks = line.GetNumber(1, "a number of chunks", 1, ListedSchedule::MAX_CHUNKS);
    }
    line.CheckEnd(2);
}

std::string
Reading::ReadName(const AlgorithmLine& line)
{
    const std::string& name = line.GetWord(1, "the name");
    const bool plain = std::all_of(name.begin(), name.end(), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    });
    if (!plain || name.size() > AlgorithmReader::MAX_NAME || name == "auto")
    {
        throw line.MakeError(1,
                             AlgorithmLine::Quote(name) + " is no name for an algorithm",
                             "allowed: up to " + std::to_string(AlgorithmReader::MAX_NAME) +
                                 " letters, digits, '-' and '_', but not 'auto'");
    }
    return name;
}

void
Reading::ReadStep(const AlgorithmLine& line)
{
    CheckHead();
    if (m_schedule.steps.size() == ListedSchedule::MAX_STEPS)
    {
        throw line.MakeError(0,
                             "there are too many steps",
                             "allowed: " + std::to_string(ListedSchedule::MAX_STEPS));
    }
    ListedStep step;
    step.line = m_number;
    step.rank = line.GetNumber(0, "a rank", 0, m_schedule.ranks - 1);
    step.step = line.GetNumber(1, "the number of a step", 0, ListedSchedule::MAX_STEPS_OF_RANK - 1);
    step.action = static_cast<ListedAction>(Choose(line, 2, "action", ACTIONS));
    step.peer = line.GetNumber(3, "a rank", 0, m_schedule.ranks - 1);
    if (step.peer == step.rank)
    {
        throw line.MakeError(3,
                             "rank " + std::to_string(step.rank) + " is its own peer",
                             "what a rank has need not be sent");
    }
    const std::vector<uint32_t> chunks = line.GetNumbers(4, "a chunk", '-', m_schedule.chunks - 1);
    if (chunks.size() > 2 || chunks.back() < chunks.front())
    {
        throw line.MakeError(4,
                             AlgorithmLine::Quote(line.GetWord(4, "")) + " is no run of chunks",
                             "write the first and the last, such as 2-3");
    }
    step.first = chunks.front();
    step.count = chunks.back() - chunks.front() + 1;
    if (line.GetSize() > 5)
    {
        ReadAfter(line, step);
    }
    m_schedule.steps.push_back(std::move(step));
}

void
Reading::ReadAfter(const AlgorithmLine& line, ListedStep& step)
{
    Choose(line, 5, "word", {"after"});
    if (step.step == 0)
    {
        throw line.MakeError(5, "step 0 is after nothing", "number the steps of a rank in order");
    }
    const std::vector<uint32_t> after =
        line.GetNumbers(6, "the number of a step before this one", ',', step.step - 1);
    line.CheckEnd(7);
    m_waits += after.size();
    if (m_waits > ListedSchedule::MAX_WAITS)
    {
        throw line.MakeError(6,
                             "the steps up to here are after too many others",
                             "allowed: " + std::to_string(ListedSchedule::MAX_WAITS) +
                                 ", all together");
    }
    step.after.assign(after.begin(), after.end());
}

std::size_t
Reading::Choose(const AlgorithmLine& line,
                std::size_t index,
                const std::string& what,
                const std::vector<std::string>& known)
{
    const std::string& word = line.GetWord(index, "the " + what);
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end())
    {
        const std::string near = word.size() < 40 ? SuggestWord(word, known) : "";
        throw line.MakeError(index,
                             "unknown " + what + " " + AlgorithmLine::Quote(word) + near,
                             "allowed: " + JoinWords(known));
    }
    return static_cast<std::size_t>(found - known.begin());
}

void
Reading::CheckHead() const
{
    for (const std::string& word : HEAD_WORDS)
    {
        if (m_has.count(word) == 0)
        {
            throw UserError("'" + word + "' is missing",
                            "",
                            "say it before the steps; needed: " + JoinWords(HEAD_WORDS));
        }
    }
}

} // namespace

std::shared_ptr<ListedAlgorithm>
AlgorithmReader::Read(std::istream& in, const std::string& name)
{
    return std::make_shared<ListedAlgorithm>(Reading(in, name).Read());
}

std::shared_ptr<ListedAlgorithm>
AlgorithmReader::Read(const std::string& path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
    {
        throw UserError("this is a folder", path, "name an algorithm file");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw UserError(std::string("the algorithm can't be read (") + std::strerror(errno) + ")",
                        path,
                        "name a file that exists and that you may read, from the working folder");
    }
    return Read(file, path);
}

} // namespace llmfabric
} // namespace ns3
