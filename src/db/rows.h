#pragma once
// Records to rows and back, from the column lists of trial/trial.h. Only for the files of this module.

#include <fmt/format.h>
#include <SQLiteCpp/SQLiteCpp.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/utc_time.h"
#include "db/column_words.h"
#include "db/state.h"
#include "trial/regress_run.h"

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
  void operator()(std::string_view, const ColumnWord auto& value) { statement.bind(next++, word_text(value)); }
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
  void operator()(std::string_view, std::vector<double>& value) {
    const SQLite::Column blob = statement.getColumn(next++);
    value.resize(static_cast<std::size_t>(blob.getBytes()) / sizeof(double));
    if (!value.empty()) std::memcpy(value.data(), blob.getBlob(), value.size() * sizeof(double));
  }
  template <ColumnWord Word>
  void operator()(std::string_view column, Word& value) {
    const std::string text = statement.getColumn(next++).getString();
    const std::optional<Word> word = kParse<Word>(text);
    if (word) value = *word;
    if (!word) throw Error(fmt::format("database: a row with unknown {} '{}': update kerlab", column, text));
  }
};

template <typename Record>
std::vector<std::string> column_names() {
  std::vector<std::string> names;
  Record record;
  columns(record, [&](std::string_view column, const auto&) { names.emplace_back(column); });
  return names;
}

/// The table that holds such records.
template <typename Record>
inline constexpr std::string_view kTable = {};
template <>
inline constexpr std::string_view kTable<Trial> = "trial";
template <>
inline constexpr std::string_view kTable<Measurement> = "measurement";
template <>
inline constexpr std::string_view kTable<LibraryTime> = "library_time";
template <>
inline constexpr std::string_view kTable<Decision> = "decision";
template <>
inline constexpr std::string_view kTable<SessionRecord> = "session";
template <>
inline constexpr std::string_view kTable<RegressRun> = "regress_run";

/// "INSERT INTO trial (key, ...) VALUES (?, ...) <rest> RETURNING id".
template <typename Record>
std::string insert(std::string_view rest = "") {
  const auto names = column_names<Record>();
  const std::vector<std::string> marks(names.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({}) {} RETURNING id", kTable<Record>, fmt::join(names, ", "),
                     fmt::join(marks, ", "), rest);
}

/// A statement with the values of its parameters, in their order.
template <typename... Values>
SQLite::Statement statement(SQLite::Database& connection, const std::string& sql, const Values&... values) {
  SQLite::Statement prepared(connection, sql);
  int next = 1;
  (prepared.bind(next++, values), ...);
  return prepared;
}

/// Of one that returns no rows: how many it has changed.
template <typename... Values>
int execute(SQLite::Database& connection, const std::string& sql, const Values&... values) {
  return statement(connection, sql, values...).exec();
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

/// "SELECT id, key, ... FROM trial <rest>", with the values of its parameters.
template <typename Record, typename... Values>
SQLite::Statement select(SQLite::Database& connection, std::string_view rest, const Values&... values) {
  return statement(
      connection,
      fmt::format("SELECT id, {} FROM {} {}", fmt::join(column_names<Record>(), ", "), kTable<Record>, rest),
      values...);
}

/// The records that `rest` ("WHERE family = ? ORDER BY id") lets through.
template <typename Record, typename... Values>
std::vector<Record> all(SQLite::Database& connection, std::string_view rest, const Values&... values) {
  SQLite::Statement query = select<Record>(connection, rest, values...);
  std::vector<Record> records;
  while (query.executeStep()) records.push_back(read<Record>(query));
  return records;
}

/// The first of them.
template <typename Record, typename... Values>
std::optional<Record> first(SQLite::Database& connection, std::string_view rest, const Values&... values) {
  SQLite::Statement query = select<Record>(connection, rest, values...);
  if (!query.executeStep()) return std::nullopt;
  return read<Record>(query);
}

template <typename Record>
void date(Record& record) {
  if (record.created.empty()) record.created = utc_now();
}

/// One statement for many records; ids are handed out once all of them are committed.
template <typename Record>
void put_all(Database::State& state, const std::string& sql, const std::vector<Record*>& records) {
  for (Record* record : records) date(*record);
  const auto ids = state.run_transaction([&] {
    SQLite::Statement statement(state.connection, sql);
    std::vector<std::int64_t> made;
    for (const Record* record : records) made.push_back(run_insert(statement, *record));
    return made;
  });
  for (std::size_t i = 0; i < records.size(); ++i) records[i]->id = ids[i];
}

}  // namespace kerlab::db::rows
