/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-trace-sink.h"

#include "hdf5-file.h"
#include "hdf5-handle.h"
#include "hdf5-table.h"
#include "trace-schema.h"

#include "ns3/user-error.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace llmfabric
{

namespace
{

using Clock = std::chrono::steady_clock;

/**
 * @param names the names
 * @return them with commas between
 */
std::string
Join(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
    {
        text += (text.empty() ? "" : ",") + name;
    }
    return text;
}

/**
 * @param options what to check
 * @return the same
 * @throws UserError if a value is not allowed
 */
const Hdf5TraceSink::Options&
Valid(const Hdf5TraceSink::Options& options)
{
    if (options.compression != "none" && options.compression != "deflate")
    {
        throw UserError("unknown trace compression '" + options.compression + "'",
                        "",
                        "allowed: none, deflate");
    }
    if (options.chunkRows == 0)
    {
        throw UserError("a trace chunk of 0 rows", "", "allowed: 1 or more");
    }
    return options;
}

} // namespace

/// The open file: its tables, and when to flush them.
class Hdf5TraceSink::File
{
  public:
    /// @param options where and how to write
    explicit File(const Options& options)
        : m_path(options.path),
          m_file(CreateHdf5File(options.path)),
          m_tables(MakeTable<HopRecord>(options),
                   MakeTable<MessageRecord>(options),
                   MakeTable<CollectiveRecord>(options),
                   MakeTable<ComputeRecord>(options),
                   MakeTable<NodeRecord>(options),
                   MakeTable<LinkRecord>(options)),
          m_flushInterval(options.flushInterval),
          m_flushRows(options.flushRows)
    {
        SetAttribute("schema_version", hdf5::MakeIntegerType(8, false), &TRACE_SCHEMA_VERSION);
        SetAttribute("time_unit", "ps");
    }

    /// @return where the file is
    const std::string& GetPath() const
    {
        return m_path;
    }

    /// @param record the next row of its table
    template <typename Record>
    void Append(const Record& record)
    {
        const bool wroteChunk = GetTable<Record>().Append(record);
        if (wroteChunk || !IS_HOT<Record>)
        {
            FlushIfDue();
        }
    }

    /**
     * @param name name of an attribute of the file
     * @param value its text
     */
    void SetAttribute(const std::string& name, const std::string& value)
    {
        hdf5::WriteAttribute(m_file, name, value);
    }

    /**
     * @param name name of an attribute of the file
     * @param type type in the file
     * @param value a value of that type's native form
     */
    void SetAttribute(const std::string& name, const hdf5::Handle& type, const void* value)
    {
        hdf5::WriteAttribute(m_file, name, type, hdf5::MakeNativeType(type).Get(), value);
    }

    /// Writes all rows and the file's own structures.
    void Flush()
    {
        std::apply([](auto&... table) { (table.WritePartialChunk(), ...); }, m_tables);
        hdf5::FlushFile(m_file);
        std::apply([](auto&... table) { (table.Reopen(), ...); }, m_tables);
        m_lastFlush = Clock::now();
        m_lastFlushRows = GetTable<HopRecord>().GetRows();
    }

    /// Flushes and closes, so that an error shows.
    void Close()
    {
        Flush();
        std::apply([](auto&... table) { (table.Close(), ...); }, m_tables);
        m_file.Close();
    }

    /**
     * Keeps a file for ever, because closing it after a failed write would crash in HDF5.
     * @param file the file
     */
    static void GiveUp(std::unique_ptr<File> file)
    {
        static auto* const files = new std::vector<std::unique_ptr<File>>;
        files->push_back(std::move(file));
    }

  private:
    /// Whether a table grows so fast that a row may cost no more than its copy.
    template <typename Record>
    static constexpr bool IS_HOT = std::is_same_v<Record, HopRecord>;

    /**
     * @param options where and how to write
     * @return the table of a record type
     */
    template <typename Record>
    Hdf5RecordTable<Record> MakeTable(const Options& options) const
    {
        const uint32_t limit = IS_HOT<Record> ? options.chunkRows : SMALL_CHUNK_ROWS;
        const Hdf5Table::Layout layout{std::min(options.chunkRows, limit),
                                       options.compression == "deflate"};
        return Hdf5RecordTable<Record>(m_file, layout, Join(options.dropReasons));
    }

    /// @return the table of a record type
    template <typename Record>
    Hdf5RecordTable<Record>& GetTable()
    {
        return std::get<Hdf5RecordTable<Record>>(m_tables);
    }

    /// Flushes if enough time has passed or enough rows of /hops have come.
    void FlushIfDue()
    {
        const uint64_t rows = GetTable<HopRecord>().GetRows() - m_lastFlushRows;
        const bool rowsDue = m_flushRows > 0 && rows >= m_flushRows;
        if (rowsDue ||
            (m_flushInterval.count() > 0 && Clock::now() - m_lastFlush >= m_flushInterval))
        {
            Flush();
        }
    }

    std::string m_path;  //!< where the file is
    hdf5::Handle m_file; //!< the file
    std::tuple<Hdf5RecordTable<HopRecord>,
               Hdf5RecordTable<MessageRecord>,
               Hdf5RecordTable<CollectiveRecord>,
               Hdf5RecordTable<ComputeRecord>,
               Hdf5RecordTable<NodeRecord>,
               Hdf5RecordTable<LinkRecord>>
        m_tables;                              //!< a table per record type
    std::chrono::milliseconds m_flushInterval; //!< wall time between flushes, 0 for never
    uint64_t m_flushRows;                      //!< rows between flushes, 0 for never
    Clock::time_point m_lastFlush;             //!< when the last flush was
    uint64_t m_lastFlushRows{0};               //!< rows of /hops at the last flush
};

template <typename Call>
void
Hdf5TraceSink::Do(Call call)
{
    if (!m_file)
    {
        throw std::logic_error("the trace file is closed");
    }
    try
    {
        call(*m_file);
    }
    catch (const hdf5::Error& error)
    {
        const std::string message =
            m_file->GetPath() + ": trace lost from here on: " + error.what();
        File::GiveUp(std::move(m_file));
        throw std::runtime_error(message);
    }
}

Hdf5TraceSink::Hdf5TraceSink(const Options& options)
    : m_file(std::make_unique<File>(Valid(options)))
{
    try
    {
        Flush();
    }
    catch (const std::runtime_error& error)
    {
        std::error_code ignored;
        std::filesystem::remove(options.path, ignored);
        throw UserError(error.what(), "", "make room for it");
    }
}

Hdf5TraceSink::~Hdf5TraceSink()
{
    try
    {
        Close();
    }
    catch (const std::exception&)
    {
        // A destructor has no way to tell.
    }
}

void
Hdf5TraceSink::Hop(const HopRecord& record)
{
    Do([&](File& file) { file.Append(record); });
}

void
Hdf5TraceSink::Message(const MessageRecord& record)
{
    Do([&](File& file) { file.Append(record); });
}

void
Hdf5TraceSink::Collective(const CollectiveRecord& record)
{
    Do([&](File& file) { file.Append(record); });
}

void
Hdf5TraceSink::Compute(const ComputeRecord& record)
{
    Do([&](File& file) { file.Append(record); });
}

void
Hdf5TraceSink::Node(const NodeRecord& record)
{
    Do([&](File& file) { file.Append(record); });
}

void
Hdf5TraceSink::Link(const LinkRecord& record)
{
    Do([&](File& file) { file.Append(record); });
}

void
Hdf5TraceSink::SetAttribute(const std::string& name, const std::string& value)
{
    Do([&](File& file) { file.SetAttribute(name, value); });
}

void
Hdf5TraceSink::SetAttribute(const std::string& name, uint64_t value)
{
    Do([&](File& file) {
        file.SetAttribute(name, hdf5::MakeIntegerType(sizeof(value), false), &value);
    });
}

void
Hdf5TraceSink::SetAttribute(const std::string& name, int64_t value)
{
    Do([&](File& file) {
        file.SetAttribute(name, hdf5::MakeIntegerType(sizeof(value), true), &value);
    });
}

void
Hdf5TraceSink::SetAttribute(const std::string& name, double value)
{
    Do([&](File& file) { file.SetAttribute(name, hdf5::MakeDoubleType(), &value); });
}

void
Hdf5TraceSink::Flush()
{
    Do([&](File& file) { file.Flush(); });
}

void
Hdf5TraceSink::Close()
{
    if (m_file)
    {
        Do([](File& file) { file.Close(); });
        m_file.reset();
    }
}

} // namespace llmfabric
} // namespace ns3
