/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-file.h"

#include "ns3/user-error.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace ns3
{
namespace llmfabric
{

namespace
{

/**
 * @param path file to write
 * @throws UserError if it can't be written, or holds something that is no HDF5 file
 */
void
CheckPath(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    {
        throw UserError("the trace would go to something that is not a file", path, "name a file");
    }
    errno = 0;
    std::ofstream probe(path, std::ios::app);
    if (!probe)
    {
        const std::string reason = std::generic_category().message(errno);
        throw UserError("can't write the trace file (" + reason + ")",
                        path,
                        "name a file in a folder that exists and is yours to write");
    }
    hdf5::QuietErrors quiet;
    if (probe.tellp() > 0 && H5Fis_hdf5(path.c_str()) <= 0)
    {
        throw UserError("the trace would replace a file that is not HDF5",
                        path,
                        "name another file, or remove this one");
    }
}

/// @return properties of a file that evicts nothing from its metadata cache between flushes
hdf5::Handle
MakeFileProperties()
{
    hdf5::Handle properties = hdf5::MakeProperties(H5P_FILE_ACCESS);
    H5AC_cache_config_t cache{};
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    hdf5::Checked("H5Pget_mdc_config", [&] { return H5Pget_mdc_config(properties.Get(), &cache); });
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    cache.evictions_enabled = false;
    hdf5::Checked("H5Pset_mdc_config", [&] { return H5Pset_mdc_config(properties.Get(), &cache); });
    hdf5::Checked("H5Pset_evict_on_close",
                  [&] { return H5Pset_evict_on_close(properties.Get(), true); });
    return properties;
}

} // namespace

hdf5::Handle
CreateHdf5File(const std::string& path)
{
    // HDF5 would close at exit what was given up after a failed write, and crash. It refuses, which
    // is all right, if the program has used HDF5 before.
    H5dont_atexit();
    CheckPath(path);
    const hdf5::Handle access = MakeFileProperties();
    try
    {
        return hdf5::Handle(hdf5::Checked("H5Fcreate", [&] {
            return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.Get());
        }));
    }
    catch (const hdf5::Error& error)
    {
        throw UserError(std::string("can't make the trace file (") + error.what() + ")",
                        path,
                        "see that no other program has it open");
    }
}

} // namespace llmfabric
} // namespace ns3
