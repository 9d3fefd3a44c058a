/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HDF5_FILE_H
#define HDF5_FILE_H

#include "hdf5-handle.h"

#include <string>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * Makes an HDF5 file in the default (earliest) format. Private to model/trace/.
 *
 * Between two flushes the file's own structures change in memory only, so that the file on disk is
 * that of the last flush, with data behind its end that nothing refers to yet.
 *
 * @param path file to write; one that exists is replaced, if it is HDF5 or empty
 * @return the new file
 * @throws UserError if it can't be made
 */
hdf5::Handle CreateHdf5File(const std::string& path);

} // namespace llmfabric
} // namespace ns3

#endif /* HDF5_FILE_H */
