// Saves of a kernel's files.

#include <fmt/format.h>

#include "base/utc_time.h"
#include "db/state.h"
#include "trial/save.h"

namespace kerlab::db {

namespace {

constexpr std::string_view kColumns =
    "id, folder, family, variant, coalesce(trial, 0), problem, verdict, message, median_us, clock, created";

std::vector<SavedFile> files_of(SQLite::Database& connection, std::int64_t save) {
  SQLite::Statement query(connection, "SELECT name, hash FROM save_file WHERE save = ? ORDER BY name");
  query.bind(1, save);
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
  save.clock = row.getColumn(9).getString();
  save.created = row.getColumn(10).getString();
  save.files = files_of(connection, save.id);
  return save;
}

std::int64_t insert_save(SQLite::Database& connection, const Save& save) {
  SQLite::Statement insert(connection,
                           "INSERT INTO save (folder, family, variant, trial, problem, verdict, message, median_us, "
                           "clock, created) VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?) RETURNING id");
  insert.bind(1, save.folder);
  insert.bind(2, save.family);
  insert.bind(3, save.variant);
  insert.bind(4, save.trial);
  insert.bind(5, save.problem);
  insert.bind(6, save.verdict);
  insert.bind(7, save.message);
  insert.bind(8, save.median_us);
  insert.bind(9, save.clock);
  insert.bind(10, save.created);
  insert.executeStep();
  return insert.getColumn(0).getInt64();
}

}  // namespace

void Database::put(Save& save, const std::vector<std::string>& texts) {
  if (save.created.empty()) save.created = utc_now();
  save.id = state_->run_transaction([&] {
    SQLite::Database& connection = state_->connection;
    const std::int64_t id = insert_save(connection, save);
    SQLite::Statement text(connection, "INSERT OR IGNORE INTO source (hash, name, text) VALUES (?, ?, ?)");
    SQLite::Statement file(connection, "INSERT INTO save_file (save, name, hash) VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < save.files.size(); ++i) {
      text.bind(1, save.files[i].hash);
      text.bind(2, save.files[i].name);
      text.bind(3, texts.at(i));
      text.exec();
      text.reset();
      file.bind(1, id);
      file.bind(2, save.files[i].name);
      file.bind(3, save.files[i].hash);
      file.exec();
      file.reset();
    }
    return id;
  });
}

std::optional<Save> Database::save(std::int64_t id) const {
  return state_->run([&]() -> std::optional<Save> {
    SQLite::Statement query(state_->connection, fmt::format("SELECT {} FROM save WHERE id = ?", kColumns));
    query.bind(1, id);
    if (!query.executeStep()) return std::nullopt;
    return read_save(query, state_->connection);
  });
}

std::optional<Save> Database::newest_save(const std::string& folder, const std::string& variant) const {
  return state_->run([&]() -> std::optional<Save> {
    SQLite::Statement query(
        state_->connection,
        fmt::format("SELECT {} FROM save WHERE folder = ? AND variant = ? ORDER BY id DESC LIMIT 1", kColumns));
    query.bind(1, folder);
    query.bind(2, variant);
    if (!query.executeStep()) return std::nullopt;
    return read_save(query, state_->connection);
  });
}

std::vector<Save> Database::saves(const std::string& folder) const {
  return state_->run([&] {
    SQLite::Statement query(state_->connection,
                            fmt::format("SELECT {} FROM save WHERE ?1 = '' OR folder = ?1 ORDER BY id", kColumns));
    query.bind(1, folder);
    std::vector<Save> found;
    while (query.executeStep()) found.push_back(read_save(query, state_->connection));
    return found;
  });
}

}  // namespace kerlab::db
