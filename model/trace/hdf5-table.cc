/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-table.h"

#include <algorithm>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param layout how the rows are stored
 * @return what a new dataset needs to know
 */
hdf5::Handle
MakeCreationProperties(const Hdf5Table::Layout& layout)
{
    hdf5::Handle properties = hdf5::MakeProperties(H5P_DATASET_CREATE);
    const hid_t id = properties.Get();
    const hsize_t rows = layout.chunkRows;
    hdf5::Checked("H5Pset_chunk", [&] { return H5Pset_chunk(id, 1, &rows); });
    hdf5::Checked("H5Pset_obj_track_times", [&] { return H5Pset_obj_track_times(id, false); });
    if (layout.deflate)
    {
        hdf5::Checked("H5Pset_shuffle", [&] { return H5Pset_shuffle(id); });
        hdf5::Checked("H5Pset_deflate", [&] { return H5Pset_deflate(id, 1); });
    }
    return properties;
}

/// @return properties of a dataset whose chunks go to the file at once: the buffer is the cache
hdf5::Handle
MakeAccessProperties()
{
    hdf5::Handle properties = hdf5::MakeProperties(H5P_DATASET_ACCESS);
    hdf5::Checked("H5Pset_chunk_cache",
                  [&] { return H5Pset_chunk_cache(properties.Get(), 1, 0, 1.0); });
    return properties;
}

} // namespace

Hdf5Table::Hdf5Table(const hdf5::Handle& file,
                     const std::string& name,
                     const std::string& description,
                     const Layout& layout)
    : m_layout(layout),
      m_group(hdf5::MakeGroup(file, name))
{
    hdf5::WriteAttribute(m_group, "description", description);
}

void
Hdf5Table::AddColumn(const hdf5::Handle& type, const ColumnText& text)
{
    const hdf5::Handle space = hdf5::MakeSpace(0, H5S_UNLIMITED);
    const hdf5::Handle creation = MakeCreationProperties(m_layout);
    const hdf5::Handle access = MakeAccessProperties();
    Column column;
    column.name = text.name;
    column.memoryType = hdf5::MakeNativeType(type);
    column.width = H5Tget_size(type.Get());
    column.buffer = std::make_unique<uint8_t[]>(m_layout.chunkRows * column.width);
    column.dataset = hdf5::Handle(hdf5::Checked("H5Dcreate2", [&] {
        return H5Dcreate2(m_group.Get(),
                          text.name.c_str(),
                          type.Get(),
                          space.Get(),
                          H5P_DEFAULT,
                          creation.Get(),
                          access.Get());
    }));
    hdf5::WriteAttribute(column.dataset, "unit", text.unit);
    hdf5::WriteAttribute(column.dataset, "description", text.description);
    if (!text.names.empty())
    {
        hdf5::WriteAttribute(column.dataset, "names", text.names);
    }
    m_columns.push_back(std::move(column));
    m_columnNames += (m_columnNames.empty() ? "" : ",") + text.name;
    hdf5::WriteAttribute(m_group, "columns", m_columnNames);
}

void
Hdf5Table::Put(std::size_t column, const std::string& value)
{
    const Column& target = m_columns[column];
    if (value.size() > target.width)
    {
        throw std::length_error("'" + value + "' is longer than the " +
                                std::to_string(target.width) + " bytes of its trace column");
    }
    uint8_t* cell = target.buffer.get() + m_rows * target.width;
    std::fill_n(std::copy(value.begin(), value.end(), cell), target.width - value.size(), 0);
}

void
Hdf5Table::WriteChunk()
{
    // First, so that the buffer can't overflow if the file fails and the caller goes on.
    m_rows = 0;
    WriteRows(m_layout.chunkRows);
    m_firstRow += m_layout.chunkRows;
    m_written = 0;
}

void
Hdf5Table::WritePartialChunk()
{
    if (m_written < m_rows)
    {
        WriteRows(m_rows);
        m_written = m_rows;
    }
}

void
Hdf5Table::WriteRows(std::size_t rows)
{
    for (const Column& column : m_columns)
    {
        WriteColumn(column, rows);
        if (m_layout.deflate && m_written > 0)
        {
            // The chunk moved to a place where it fits. Nothing else may take its old place while
            // a reader would still look there after a crash.
            hdf5::FlushFile(column.dataset);
        }
    }
}

void
Hdf5Table::WriteColumn(const Column& column, std::size_t rows) const
{
    const hid_t dataset = column.dataset.Get();
    const hsize_t start = m_firstRow;
    const hsize_t count = rows;
    const hsize_t total = start + count;
    hdf5::Checked("H5Dset_extent", [&] { return H5Dset_extent(dataset, &total); });
    const hdf5::Handle target(hdf5::Checked("H5Dget_space", [&] { return H5Dget_space(dataset); }));
    hdf5::Checked("H5Sselect_hyperslab", [&] {
        return H5Sselect_hyperslab(target.Get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    });
    const hdf5::Handle source = hdf5::MakeSpace(count, count);
    hdf5::Checked("H5Dwrite", [&] {
        return H5Dwrite(dataset,
                        column.memoryType.Get(),
                        source.Get(),
                        target.Get(),
                        H5P_DEFAULT,
                        column.buffer.get());
    });
}

void
Hdf5Table::Reopen()
{
    const hdf5::Handle access = MakeAccessProperties();
    for (Column& column : m_columns)
    {
        column.dataset.Close();
        column.dataset = hdf5::Handle(hdf5::Checked("H5Dopen2", [&] {
            return H5Dopen2(m_group.Get(), column.name.c_str(), access.Get());
        }));
    }
}

void
Hdf5Table::Close()
{
    for (Column& column : m_columns)
    {
        column.dataset.Close();
    }
    m_group.Close();
}

} // namespace llmfabric
} // namespace ns3
