/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HDF5_TABLE_H
#define HDF5_TABLE_H

#include "hdf5-handle.h"
#include "trace-schema.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * A table in an HDF5 file: a group with one growing dataset per column. Private to model/trace/.
 *
 * Rows gather in memory. Invariant: the rows in memory are those from the last multiple of
 * chunkRows on, so a full buffer is always one whole chunk of the file, which HDF5 compresses
 * and writes without reading anything back.
 *
 *     file    |#### chunk 0 ####|#### chunk 1 ####|## flushed early |
 *     memory                                      |## flushed early ### not yet written |
 *                                                 ^ m_firstRow
 */
class Hdf5Table
{
  public:
    /// How the rows are stored.
    struct Layout
    {
        std::size_t chunkRows{0}; //!< rows of a chunk, at least 1
        bool deflate{false};      //!< shuffle and deflate level 1, else no filter
    };

    /// What there is to say about a column.
    struct ColumnText
    {
        std::string name;        //!< name of the dataset
        std::string unit;        //!< attribute unit
        std::string description; //!< attribute description
        std::string names;       //!< attribute names, not written if empty
    };

    /**
     * Makes the group, with no column yet.
     * @param file the file
     * @param name name of the group
     * @param description attribute of the group
     * @param layout how the rows are stored
     */
    Hdf5Table(const hdf5::Handle& file,
              const std::string& name,
              const std::string& description,
              const Layout& layout);

    /**
     * Makes the dataset of the next column.
     * @param type type of the values in the file
     * @param text name and attributes
     */
    void AddColumn(const hdf5::Handle& type, const ColumnText& text);

    /**
     * Puts an integer in the row that is being filled.
     * @param column place of the column
     * @param value the value
     */
    template <typename Value>
    void Put(std::size_t column, const Value& value)
    {
        static_assert(std::is_integral_v<Value> || std::is_enum_v<Value>);
        std::memcpy(m_columns[column].buffer.get() + m_rows * sizeof(Value), &value, sizeof(Value));
    }

    /**
     * Puts a text in the row that is being filled.
     * @param column place of the column
     * @param value the text
     * @throws std::length_error if it is longer than the column allows
     */
    void Put(std::size_t column, const std::string& value);

    /**
     * Ends the row that is being filled.
     * @return whether that completed a chunk, which was then written
     */
    bool NextRow()
    {
        if (++m_rows < m_layout.chunkRows)
        {
            return false;
        }
        WriteChunk();
        return true;
    }

    /// Writes the rows of the last, partial chunk; call hdf5::FlushFile afterwards.
    void WritePartialChunk();

    /// Lets HDF5 forget what it keeps in memory about the chunks; call after hdf5::FlushFile.
    void Reopen();

    /// @return number of rows so far
    uint64_t GetRows() const
    {
        return m_firstRow + m_rows;
    }

    /// Lets the datasets and the group go; rows that are not written yet are lost.
    void Close();

  private:
    /// A column: its dataset and the values that are in memory.
    struct Column
    {
        std::string name;                  //!< name of the dataset
        hdf5::Handle dataset;              //!< dataset in the file
        hdf5::Handle memoryType;           //!< type of the values in memory
        std::size_t width{0};              //!< bytes of a value
        std::unique_ptr<uint8_t[]> buffer; //!< chunkRows values
    };

    /// Writes the full buffer and starts the next chunk.
    void WriteChunk();

    /**
     * Writes the first rows of the buffer to the chunk at m_firstRow.
     * @param rows how many
     */
    void WriteRows(std::size_t rows);

    /**
     * Writes a column's first values in the buffer to the chunk at m_firstRow.
     * @param column the column
     * @param rows how many
     */
    void WriteColumn(const Column& column, std::size_t rows) const;

    Layout m_layout;               //!< how the rows are stored
    hdf5::Handle m_group;          //!< group in the file
    std::string m_columnNames;     //!< names of the columns, separated by commas
    std::vector<Column> m_columns; //!< the columns in their order
    std::size_t m_rows{0};         //!< rows in memory
    std::size_t m_written{0};      //!< those of them that are in the file
    uint64_t m_firstRow{0};        //!< row of the file that is the first in memory
};

/**
 * @ingroup llm-fabric
 * The HDF5 table of a record type. Private to model/trace/.
 *
 * @tparam Record type of a row, of which there is a TraceTable
 */
template <typename Record>
class Hdf5RecordTable
{
  public:
    /**
     * @param file the file
     * @param layout how the rows are stored
     * @param dropReasons names for the column drop_reason, separated by commas
     */
    Hdf5RecordTable(const hdf5::Handle& file,
                    const Hdf5Table::Layout& layout,
                    const std::string& dropReasons = "")
        : m_table(file, TraceTable<Record>::NAME, TraceTable<Record>::DESCRIPTION, layout)
    {
        std::apply([&](const auto&... column) { (AddColumn(column, dropReasons), ...); },
                   TraceTable<Record>::COLUMNS);
    }

    /**
     * @param record the next row
     * @return whether a chunk was written
     */
    bool Append(const Record& record)
    {
        std::size_t place = 0;
        std::apply(
            [&](const auto&... column) { (m_table.Put(place++, record.*(column.member)), ...); },
            TraceTable<Record>::COLUMNS);
        return m_table.NextRow();
    }

    /// Writes the rows of the last, partial chunk; call hdf5::FlushFile afterwards.
    void WritePartialChunk()
    {
        m_table.WritePartialChunk();
    }

    /// Lets HDF5 forget what it keeps in memory about the chunks; call after hdf5::FlushFile.
    void Reopen()
    {
        m_table.Reopen();
    }

    /// @return number of rows so far
    uint64_t GetRows() const
    {
        return m_table.GetRows();
    }

    /// Lets the datasets and the group go; rows that are not written yet are lost.
    void Close()
    {
        m_table.Close();
    }

  private:
    /**
     * @param column the column as the schema has it
     * @param dropReasons names for the column drop_reason
     */
    template <typename Value>
    void AddColumn(const TraceColumn<Record, Value>& column, const std::string& dropReasons)
    {
        const std::string name = column.name;
        const std::string names = column.names ? column.names : "";
        m_table.AddColumn(
            MakeType<Value>(column.width),
            {name, column.unit, column.description, name == "drop_reason" ? dropReasons : names});
    }

    /**
     * @param width bytes of a value
     * @return the type in the file
     */
    template <typename Value>
    static hdf5::Handle MakeType(std::size_t width)
    {
        if constexpr (std::is_same_v<Value, std::string>)
        {
            return hdf5::MakeTextType(width);
        }
        else
        {
            return hdf5::MakeIntegerType(width, std::is_signed_v<Value>);
        }
    }

    Hdf5Table m_table; //!< the table
};

} // namespace llmfabric
} // namespace ns3

#endif /* HDF5_TABLE_H */
