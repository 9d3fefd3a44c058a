/*
 * Copyright (c) 2026 llm-fabric contributors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXPLAIN_TABLE_H
#define EXPLAIN_TABLE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{
namespace llmfabric
{

/**
 * @param time a time
 * @return milliseconds
 */
double ToMs(const Time& time);

/**
 * @param time a time
 * @return microseconds
 */
double ToUs(const Time& time);

/**
 * @param value a number
 * @param digits digits behind the point
 * @return it as text
 */
std::string ToFixed(double value, int digits);

/**
 * @ingroup llm-fabric
 * A table for people, as text, and for machines, as JSON.
 */
class ExplainTable
{
  public:
    /// What a cell holds. Columns with numbers stand right, others left.
    using Cell = std::variant<std::string, uint64_t, double>;

    /**
     * @param key name of the table in JSON
     * @param title title for people
     * @param columns names of the columns, for both
     */
    ExplainTable(const std::string& key,
                 const std::string& title,
                 const std::vector<std::string>& columns);

    /**
     * @param cells a row, one cell for each column
     */
    void Add(const std::vector<Cell>& cells);

    /**
     * @param note a sentence below the table
     */
    void AddNote(const std::string& note);

    /**
     * @return name of the table in JSON
     */
    const std::string& GetKey() const;

    /**
     * @return the rows
     */
    const std::vector<std::vector<Cell>>& GetRows() const;

    /**
     * @param out gets title, columns and rows
     */
    void WriteText(std::ostream& out) const;

    /**
     * @return the rows as objects, whose keys are the columns in lower case with '_' for a space
     */
    nlohmann::ordered_json ToJson() const;

  private:
    /**
     * @param column a column
     * @return whether there is a number in it
     */
    bool HasNumbers(std::size_t column) const;

    /**
     * @param cell a cell
     * @return it as people read it
     */
    static std::string ToText(const Cell& cell);

    std::string m_key;                     //!< name in JSON
    std::string m_title;                   //!< title for people
    std::vector<std::string> m_columns;    //!< names of the columns
    std::vector<std::vector<Cell>> m_rows; //!< rows
    std::vector<std::string> m_notes;      //!< sentences below
};

/**
 * @ingroup llm-fabric
 * A table of values with their formulas and units.
 */
class ValueTable : public ExplainTable
{
  public:
    /**
     * @param key name of the table in JSON
     * @param title title for people
     */
    ValueTable(const std::string& key, const std::string& title);

    /**
     * @param name what it is
     * @param formula how it comes about; of an input empty
     * @param value its value
     * @param unit its unit
     */
    void Row(const std::string& name,
             const std::string& formula,
             const Cell& value,
             const std::string& unit);
};

} // namespace llmfabric
} // namespace ns3

#endif /* EXPLAIN_TABLE_H */
