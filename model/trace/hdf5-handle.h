/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HDF5_HANDLE_H
#define HDF5_HANDLE_H

#include <cstddef>
#include <cstdint>
#include <hdf5.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace llmfabric
{

/**
 * @ingroup llm-fabric
 * The HDF5 C API with its errors as exceptions: one function per call.
 *
 * Private to model/trace/: no header that a user includes may include this one.
 */
namespace hdf5
{

/// Keeps HDF5 from printing its error stack while it lives; what the program had set comes back.
class QuietErrors
{
  public:
    QuietErrors()
    {
        H5Eget_auto2(H5E_DEFAULT, &m_print, &m_data);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }

    ~QuietErrors()
    {
        H5Eset_auto2(H5E_DEFAULT, m_print, m_data);
    }

    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

  private:
    H5E_auto2_t m_print{nullptr}; //!< what printed errors before
    void* m_data{nullptr};        //!< its argument
};

/**
 * A call that failed. After a failed write HDF5 1.10 and later crash when they close what was open,
 * so whoever catches this gives the file up without closing it.
 */
class Error : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * Takes the text of the innermost error of the stack; a callback of H5Ewalk2.
 * @param depth number of errors further in
 * @param error the error
 * @param text a std::string that takes the text
 * @return 0 to go on
 */
inline herr_t
TakeErrorText(unsigned depth, const H5E_error2_t* error, void* text)
{
    if (depth == 0 && error->desc)
    {
        *static_cast<std::string*>(text) = error->desc;
    }
    return 0;
}

/**
 * @return what HDF5 says about the call that just failed, only the system's words if it has them
 */
inline std::string
GetErrorText()
{
    std::string text = "no reason given";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, TakeErrorText, &text);
    H5Eclear2(H5E_DEFAULT);
    const std::string mark = "error message = '";
    const std::size_t start = text.find(mark);
    if (start == std::string::npos)
    {
        return text;
    }
    const std::size_t from = start + mark.size();
    return text.substr(from, text.find('\'', from) - from);
}

/**
 * Makes a call and checks what it returns.
 * @param name name of the call, for the message
 * @param call the call
 * @return what it returned
 * @throws Error with HDF5's text if that is negative
 */
template <typename Call>
auto
Checked(const char* name, Call call)
{
    QuietErrors quiet;
    const auto result = call();
    if (result < 0)
    {
        throw Error(std::string(name) + " failed: " + GetErrorText());
    }
    return result;
}

/// Owner of an HDF5 identifier.
class Handle
{
  public:
    Handle() = default;

    /// @param id identifier to own; its reference is given up on destruction
    explicit Handle(hid_t id)
        : m_id(id)
    {
    }

    /// @param other handle that is empty afterwards
    Handle(Handle&& other) noexcept
        : m_id(std::exchange(other.m_id, H5I_INVALID_HID))
    {
    }

    /**
     * @param other handle that takes what this one had
     * @return this
     */
    Handle& operator=(Handle&& other) noexcept
    {
        std::swap(m_id, other.m_id);
        return *this;
    }

    ~Handle()
    {
        if (m_id >= 0)
        {
            QuietErrors quiet;
            H5Idec_ref(m_id);
        }
    }

    /// @return the identifier
    hid_t Get() const
    {
        return m_id;
    }

    /// Gives the identifier up now, so that an error shows.
    void Close()
    {
        if (m_id >= 0)
        {
            Checked("closing",
                    [id = std::exchange(m_id, H5I_INVALID_HID)] { return H5Idec_ref(id); });
        }
    }

  private:
    hid_t m_id{H5I_INVALID_HID}; //!< the identifier
};

/**
 * @param propertyClass class such as H5P_DATASET_CREATE
 * @return a new property list
 */
inline Handle
MakeProperties(hid_t propertyClass)
{
    return Handle(Checked("H5Pcreate", [=] { return H5Pcreate(propertyClass); }));
}

/**
 * @param bytes width of a value: 1, 2, 4 or 8
 * @param isSigned whether it has a sign
 * @return the little-endian type of the file
 */
inline Handle
MakeIntegerType(std::size_t bytes, bool isSigned)
{
    Handle type(Checked("H5Tcopy", [] { return H5Tcopy(H5T_STD_U8LE); }));
    Checked("H5Tset_size", [&] { return H5Tset_size(type.Get(), bytes); });
    Checked("H5Tset_precision", [&] { return H5Tset_precision(type.Get(), 8 * bytes); });
    Checked("H5Tset_sign",
            [&] { return H5Tset_sign(type.Get(), isSigned ? H5T_SGN_2 : H5T_SGN_NONE); });
    return type;
}

/// @return the type of a double in the file
inline Handle
MakeDoubleType()
{
    return Handle(Checked("H5Tcopy", [] { return H5Tcopy(H5T_IEEE_F64LE); }));
}

/**
 * @param bytes width; H5T_VARIABLE for any length
 * @return a UTF-8 text type, filled up with zeros
 */
inline Handle
MakeTextType(std::size_t bytes)
{
    Handle type(Checked("H5Tcopy", [] { return H5Tcopy(H5T_C_S1); }));
    Checked("H5Tset_size", [&] { return H5Tset_size(type.Get(), bytes); });
    Checked("H5Tset_cset", [&] { return H5Tset_cset(type.Get(), H5T_CSET_UTF8); });
    if (bytes != H5T_VARIABLE)
    {
        Checked("H5Tset_strpad", [&] { return H5Tset_strpad(type.Get(), H5T_STR_NULLPAD); });
    }
    return type;
}

/**
 * @param fileType type of values in the file
 * @return the type of the same values in memory
 */
inline Handle
MakeNativeType(const Handle& fileType)
{
    return Handle(Checked("H5Tget_native_type",
                          [&] { return H5Tget_native_type(fileType.Get(), H5T_DIR_ASCEND); }));
}

/**
 * @param rows number of rows
 * @param maximum largest number of rows, H5S_UNLIMITED for any
 * @return a space of one dimension
 */
inline Handle
MakeSpace(hsize_t rows, hsize_t maximum)
{
    return Handle(
        Checked("H5Screate_simple", [&] { return H5Screate_simple(1, &rows, &maximum); }));
}

/// @return the space of a single value
inline Handle
MakeScalarSpace()
{
    return Handle(Checked("H5Screate", [] { return H5Screate(H5S_SCALAR); }));
}

/**
 * @param parent file or group
 * @param name name of the new group
 * @return the group
 */
inline Handle
MakeGroup(const Handle& parent, const std::string& name)
{
    return Handle(Checked("H5Gcreate2", [&] {
        return H5Gcreate2(parent.Get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    }));
}

/**
 * Writes an attribute that holds one value, in place of one of the same name.
 * @param object file, group or dataset
 * @param name name of the attribute
 * @param type type in the file
 * @param memoryType type of the value in memory
 * @param value the value
 */
inline void
WriteAttribute(const Handle& object,
               const std::string& name,
               const Handle& type,
               hid_t memoryType,
               const void* value)
{
    const char* key = name.c_str();
    if (Checked("H5Aexists", [&] { return H5Aexists(object.Get(), key); }) > 0)
    {
        Checked("H5Adelete", [&] { return H5Adelete(object.Get(), key); });
    }
    const Handle space = MakeScalarSpace();
    const Handle attribute(Checked("H5Acreate2", [&] {
        return H5Acreate2(object.Get(), key, type.Get(), space.Get(), H5P_DEFAULT, H5P_DEFAULT);
    }));
    Checked("H5Awrite", [&] { return H5Awrite(attribute.Get(), memoryType, value); });
}

/**
 * @param object file, group or dataset
 * @param name name of the attribute
 * @param value text of any length
 */
inline void
WriteAttribute(const Handle& object, const std::string& name, const std::string& value)
{
    const Handle type = MakeTextType(H5T_VARIABLE);
    const char* text = value.c_str();
    WriteAttribute(object, name, type, type.Get(), &text);
}

/**
 * Makes all that was written to a file readable for others.
 * @param object the file, or anything in it
 */
inline void
FlushFile(const Handle& object)
{
    Checked("H5Fflush", [&] { return H5Fflush(object.Get(), H5F_SCOPE_LOCAL); });
}

} // namespace hdf5

} // namespace llmfabric
} // namespace ns3

#endif /* HDF5_HANDLE_H */
