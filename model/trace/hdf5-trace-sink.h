/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HDF5_TRACE_SINK_H
#define HDF5_TRACE_SINK_H

#include "trace-sink.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Writes the records of a run to an HDF5 file, a group per record type and a dataset per column.
 *
 *     Hop() -> buffer of each column -> whole chunk -> [shuffle, deflate] -> file
 *
 * traces/SCHEMA.md describes the file. It is in HDF5's default (earliest) format, and readable up
 * to the last flush if the process is killed, but not surely if that strikes within a flush. Its
 * content depends on the records alone; so do its bytes, if it is not flushed by the clock
 * (Options::flushInterval).
 *
 * When a write fails, the call throws std::runtime_error and the file is given up as it is: the
 * rows up to the last flush can be read, unless it was a flush that failed. All later calls but
 * Close() throw std::logic_error.
 *
 * One file takes one writer: to read it while it is written, set HDF5_USE_FILE_LOCKING=FALSE.
 */
class Hdf5TraceSink : public TraceSink
{
  public:
    /// Where and how to write.
    struct Options
    {
        /// File to write. One that exists is replaced, if it is HDF5 or empty.
        std::string path;
        /// "none", or "deflate" for shuffle and deflate level 1.
        std::string compression{"none"};
        /// Rows of a chunk of /hops, at least 1. The other tables have at most SMALL_CHUNK_ROWS.
        uint32_t chunkRows{16384};
        /// Flush when this much wall time has passed since the last flush; 0 for never. Looked at
        /// when a chunk of /hops is written and at each row of another table.
        std::chrono::milliseconds flushInterval{2000};
        /// Flush when this many rows of /hops came since the last flush, at the end of a chunk;
        /// 0 for never.
        uint64_t flushRows{0};
        /// Names of the values of HopRecord::dropReason from 0 on; none may hold a comma.
        std::vector<std::string> dropReasons{"none"};
    };

    /// Rows of a chunk of the tables that grow slowly.
    static constexpr uint32_t SMALL_CHUNK_ROWS = 1024;

    /**
     * Makes the file with all its tables.
     * @param options where and how to write
     * @throws UserError if the file can't be written or an option is not allowed
     */
    explicit Hdf5TraceSink(const Options& options);

    /// Closes the file; an error is swallowed, so call Close() to see it.
    ~Hdf5TraceSink() override;

    void Hop(const HopRecord& record) override;
    void Message(const MessageRecord& record) override;
    void Collective(const CollectiveRecord& record) override;
    void Compute(const ComputeRecord& record) override;
    void Node(const NodeRecord& record) override;
    void Link(const LinkRecord& record) override;
    void SetAttribute(const std::string& name, const std::string& value) override;
    void SetAttribute(const std::string& name, uint64_t value) override;
    void SetAttribute(const std::string& name, int64_t value) override;
    void SetAttribute(const std::string& name, double value) override;
    void Flush() override;
    void Close() override;

  private:
    class File;

    /**
     * Does something with the file.
     * @param call takes the file
     * @throws std::logic_error if it is closed, or given up
     * @throws std::runtime_error if HDF5 fails, for example on a full disk; the file is given up
     */
    template <typename Call>
    void Do(Call call);

    std::unique_ptr<File> m_file; //!< what needs HDF5's headers; null once closed or given up
};

} // namespace llmfabric
} // namespace ns3

#endif /* HDF5_TRACE_SINK_H */
