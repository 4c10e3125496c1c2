// Saves of a kernel's files.

#include <fmt/format.h>

#include "base/utc_time.h"
#include "db/rows.h"
#include "trial/save.h"

namespace kerlab::db {

namespace {

constexpr std::string_view kColumns =
    "id, folder, family, variant, coalesce(trial, 0), problem, verdict, message, median_us, clock, created";

std::vector<SavedFile> files_of(SQLite::Database& connection, std::int64_t save) {
  SQLite::Statement query =
      rows::statement(connection, "SELECT name, hash FROM save_file WHERE save = ? ORDER BY name", save);
  std::vector<SavedFile> files;
  while (query.executeStep()) files.push_back({query.getColumn(0).getString(), query.getColumn(1).getString()});
  return files;
}

Save read_save(const SQLite::Statement& row, SQLite::Database& connection) {
  Save save;
  save.id = row.getColumn(0).getInt64();
  save.folder = row.getColumn(1).getString();
  save.family = row.getColumn(2).getString();
  save.variant = row.getColumn(3).getString();
  save.trial = row.getColumn(4).getInt64();
  save.problem = row.getColumn(5).getString();
  save.verdict = row.getColumn(6).getString();
  save.message = row.getColumn(7).getString();
  save.median_us = row.getColumn(8).getDouble();
  save.clock = plan::parse_clock_kind(row.getColumn(9).getString());
  save.created = row.getColumn(10).getString();
  save.files = files_of(connection, save.id);
  return save;
}

std::int64_t insert_save(SQLite::Database& connection, const Save& save) {
  SQLite::Statement insert = rows::statement(
      connection,
      "INSERT INTO save (folder, family, variant, trial, problem, verdict, message, median_us, clock, created) "
      "VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?) RETURNING id",
      save.folder, save.family, save.variant, save.trial, save.problem, save.verdict, save.message, save.median_us,
      save.clock ? std::string(plan::name(*save.clock)) : std::string(), save.created);
  insert.executeStep();
  return insert.getColumn(0).getInt64();
}

/// Of the saves that `rest` lets through.
template <typename... Values>
std::vector<Save> saves_where(SQLite::Database& connection, std::string_view rest, const Values&... values) {
  SQLite::Statement query =
      rows::statement(connection, fmt::format("SELECT {} FROM save {}", kColumns, rest), values...);
  std::vector<Save> found;
  while (query.executeStep()) found.push_back(read_save(query, connection));
  return found;
}

std::optional<Save> first_of(std::vector<Save> saves) {
  if (saves.empty()) return std::nullopt;
  return std::move(saves.front());
}

}  // namespace

void Database::put(Save& save, const std::vector<std::string>& texts) {
  if (save.created.empty()) save.created = utc_now();
  save.id = state_->run_transaction([&] {
    SQLite::Database& connection = state_->connection;
    const std::int64_t id = insert_save(connection, save);
    for (std::size_t i = 0; i < save.files.size(); ++i) {
      const auto& [name, hash] = save.files[i];
      rows::execute(connection, "INSERT OR IGNORE INTO source (hash, name, text) VALUES (?, ?, ?)", hash, name,
                    texts.at(i));
      rows::execute(connection, "INSERT INTO save_file (save, name, hash) VALUES (?, ?, ?)", id, name, hash);
    }
    return id;
  });
}

std::optional<Save> Database::save(std::int64_t id) const {
  return state_->run([&] { return first_of(saves_where(state_->connection, "WHERE id = ?", id)); });
}

std::optional<Save> Database::newest_save(const std::string& folder, const std::string& variant) const {
  constexpr std::string_view kNewest = "WHERE folder = ? AND variant = ? ORDER BY id DESC LIMIT 1";
  return state_->run([&] { return first_of(saves_where(state_->connection, kNewest, folder, variant)); });
}

std::vector<Save> Database::saves(const std::string& folder) const {
  return state_->run(
      [&] { return saves_where(state_->connection, "WHERE ?1 = '' OR folder = ?1 ORDER BY id", folder); });
}

}  // namespace kerlab::db
