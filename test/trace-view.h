/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_VIEW_H
#define TRACE_VIEW_H

#include "../model/trace/hdf5-handle.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/// The tables of a trace file, as traces/SCHEMA.md lists them.
inline const std::vector<std::string> TABLES{"hops",
                                             "messages",
                                             "collectives",
                                             "compute",
                                             "nodes",
                                             "links"};

/// A column as a reader sees it.
struct ColumnView
{
    std::string type;        //!< name of the type, as in traces/SCHEMA.md
    std::string unit;        //!< attribute unit
    std::string description; //!< attribute description
    std::vector<char> bytes; //!< all values as they are in the file
};

/// Columns by name.
using TableView = std::map<std::string, ColumnView>;

/**
 * @param object file, group or dataset
 * @param name name of a text attribute
 * @return its value
 */
inline std::string
ReadText(const hdf5::Handle& object, const std::string& name)
{
    const hdf5::Handle attribute(
        hdf5::Checked("H5Aopen", [&] { return H5Aopen(object.Get(), name.c_str(), H5P_DEFAULT); }));
    char* text = nullptr;
    const hdf5::Handle type = hdf5::MakeTextType(H5T_VARIABLE);
    hdf5::Checked("H5Aread", [&] { return H5Aread(attribute.Get(), type.Get(), &text); });
    const std::string result = text;
    H5free_memory(text);
    return result;
}

/**
 * @param object file, group or dataset
 * @param name name of a numeric attribute
 * @param memoryType type of Value
 * @return its value
 */
template <typename Value>
Value
ReadNumber(const hdf5::Handle& object, const std::string& name, hid_t memoryType)
{
    Value value{};
    const hdf5::Handle attribute(
        hdf5::Checked("H5Aopen", [&] { return H5Aopen(object.Get(), name.c_str(), H5P_DEFAULT); }));
    hdf5::Checked("H5Aread", [&] { return H5Aread(attribute.Get(), memoryType, &value); });
    return value;
}

/**
 * @param path a trace file
 * @return the file, open for reading
 */
inline hdf5::Handle
OpenFile(const std::string& path)
{
    return hdf5::Handle(hdf5::Checked("H5Fopen", [&] {
        return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    }));
}

/**
 * @param type a type of the file
 * @return its name, as in traces/SCHEMA.md
 */
inline std::string
NameType(const hdf5::Handle& type)
{
    const std::size_t bytes = H5Tget_size(type.Get());
    if (H5Tget_class(type.Get()) == H5T_STRING)
    {
        return "text[" + std::to_string(bytes) + "]";
    }
    return (H5Tget_sign(type.Get()) == H5T_SGN_NONE ? "uint" : "int") + std::to_string(8 * bytes);
}

/**
 * @param group a table
 * @param name name of a column
 * @return the column
 */
inline ColumnView
ReadColumn(const hdf5::Handle& group, const std::string& name)
{
    const hdf5::Handle set(hdf5::Checked("H5Dopen2", [&] {
        return H5Dopen2(group.Get(), name.c_str(), H5P_DEFAULT);
    }));
    const hdf5::Handle type(H5Dget_type(set.Get()));
    const hdf5::Handle space(H5Dget_space(set.Get()));
    ColumnView view{NameType(type), ReadText(set, "unit"), ReadText(set, "description"), {}};
    view.bytes.resize(H5Sget_simple_extent_npoints(space.Get()) * H5Tget_size(type.Get()));
    hdf5::Checked("H5Dread", [&] {
        return H5Dread(set.Get(), type.Get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, view.bytes.data());
    });
    return view;
}

/**
 * @param file a trace file
 * @param name name of a table
 * @return the table
 */
inline TableView
ReadTable(const hdf5::Handle& file, const std::string& name)
{
    const hdf5::Handle group(
        hdf5::Checked("H5Gopen2", [&] { return H5Gopen2(file.Get(), name.c_str(), H5P_DEFAULT); }));
    TableView table;
    std::istringstream names(ReadText(group, "columns"));
    for (std::string column; std::getline(names, column, ',');)
    {
        table[column] = ReadColumn(group, column);
    }
    return table;
}

/**
 * @param path a trace file
 * @param table name of a table
 * @param column name of a column whose type is that of Value
 * @return the values
 */
template <typename Value>
std::vector<Value>
ReadValues(const std::string& path, const std::string& table, const std::string& column)
{
    const ColumnView view = ReadTable(OpenFile(path), table).at(column);
    std::vector<Value> values(view.bytes.size() / sizeof(Value));
    std::copy(view.bytes.begin(), view.bytes.end(), reinterpret_cast<char*>(values.data()));
    return values;
}

/**
 * @param path a trace file
 * @return all values of all columns, by name
 */
inline std::map<std::string, std::vector<char>>
ReadContent(const std::string& path)
{
    std::map<std::string, std::vector<char>> content;
    const hdf5::Handle file = OpenFile(path);
    for (const std::string& table : TABLES)
    {
        for (const auto& [name, column] : ReadTable(file, table))
        {
            content[table + "/" + name] = column.bytes;
        }
    }
    return content;
}

/**
 * @param path any file
 * @return its bytes
 */
inline std::string
ReadBytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace llmfabric
} // namespace ns3

#endif /* TRACE_VIEW_H */
