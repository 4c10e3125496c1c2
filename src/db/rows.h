#pragma once
// Records to rows and back, from the column lists of trial/trial.h. Only for the files of this module.

#include <fmt/format.h>
#include <SQLiteCpp/SQLiteCpp.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "trial/trial.h"

namespace kerlab::db::rows {

static_assert(std::endian::native == std::endian::little, "samples are stored as little-endian doubles");

/// Binds one member after the other, from parameter 1 on.
struct Binder {
  SQLite::Statement& statement;
  int next = 1;

  void operator()(std::string_view, const std::string& value) { statement.bind(next++, value); }
  void operator()(std::string_view, std::int64_t value) { statement.bind(next++, value); }
  /// SQLite turns NaN into NULL, which the schema refuses; infinity is as unusable and can be stored.
  void operator()(std::string_view, double value) {
    statement.bind(next++, std::isnan(value) ? std::numeric_limits<double>::infinity() : value);
  }
  void operator()(std::string_view, TrialStatus value) { statement.bind(next++, std::string(name(value))); }
  void operator()(std::string_view, TrialReason value) { statement.bind(next++, std::string(name(value))); }
  void operator()(std::string_view, const DecisionRule& value) { statement.bind(next++, rule_text(value)); }
  void operator()(std::string_view, const std::vector<double>& value) {
    const double none = 0;  // an empty vector has no address, and a null one would bind NULL
    statement.bind(next++, value.empty() ? &none : value.data(), static_cast<int>(value.size() * sizeof(double)));
  }
};

/// Reads one member after the other, from column 1 on (column 0 is the id).
struct Reader {
  const SQLite::Statement& statement;
  int next = 1;

  void operator()(std::string_view, std::string& value) { value = statement.getColumn(next++).getString(); }
  void operator()(std::string_view, std::int64_t& value) { value = statement.getColumn(next++).getInt64(); }
  void operator()(std::string_view, double& value) { value = statement.getColumn(next++).getDouble(); }
  void operator()(std::string_view column, TrialStatus& value) { value = read(column, parse_trial_status); }
  void operator()(std::string_view column, TrialReason& value) { value = read(column, parse_trial_reason); }
  void operator()(std::string_view column, DecisionRule& value) { value = read(column, parse_decision_rule); }
  void operator()(std::string_view, std::vector<double>& value) {
    const SQLite::Column blob = statement.getColumn(next++);
    value.resize(static_cast<std::size_t>(blob.getBytes()) / sizeof(double));
    if (!value.empty()) std::memcpy(value.data(), blob.getBlob(), value.size() * sizeof(double));
  }
  template <typename Word>
  Word read(std::string_view column, std::optional<Word> (*parse)(std::string_view)) {
    const std::string text = statement.getColumn(next++).getString();
    if (const std::optional<Word> word = parse(text)) return *word;
    throw Error(fmt::format("database: a row with unknown {} '{}': update kerlab", column, text));
  }
};

template <typename Record>
std::vector<std::string> column_names() {
  std::vector<std::string> names;
  Record record;
  columns(record, [&](std::string_view column, const auto&) { names.emplace_back(column); });
  return names;
}

/// "SELECT id, key, ... FROM trial <rest>".
template <typename Record>
std::string select(std::string_view table, std::string_view rest) {
  return fmt::format("SELECT id, {} FROM {} {}", fmt::join(column_names<Record>(), ", "), table, rest);
}

/// "INSERT INTO trial (key, ...) VALUES (?, ...) <rest> RETURNING id".
template <typename Record>
std::string insert(std::string_view table, std::string_view rest = "") {
  const auto names = column_names<Record>();
  const std::vector<std::string> marks(names.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({}) {} RETURNING id", table, fmt::join(names, ", "),
                     fmt::join(marks, ", "), rest);
}

/// Runs an `insert` statement for one record; returns the row's id.
template <typename Record>
std::int64_t run_insert(SQLite::Statement& statement, const Record& record) {
  columns(record, Binder{statement});
  statement.executeStep();
  const std::int64_t id = statement.getColumn(0).getInt64();
  statement.reset();
  return id;
}

template <typename Record>
Record read(const SQLite::Statement& statement) {
  Record record;
  record.id = statement.getColumn(0).getInt64();
  columns(record, Reader{statement});
  return record;
}

template <typename Record>
std::vector<Record> read_all(SQLite::Statement& statement) {
  std::vector<Record> records;
  while (statement.executeStep()) records.push_back(read<Record>(statement));
  return records;
}

template <typename Record>
std::optional<Record> read_one(SQLite::Statement& statement) {
  if (!statement.executeStep()) return std::nullopt;
  return read<Record>(statement);
}

}  // namespace kerlab::db::rows
