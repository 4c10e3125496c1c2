#include "db/schema.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "db/location.h"
#include "db/sqlite_error.h"

namespace kerlab::db {

namespace fs = std::filesystem;

namespace {

constexpr int kBusyTimeoutMs = 15000;
constexpr std::uintmax_t kHeaderBytes = 100;
constexpr std::uintmax_t kWholeCheckBytes = std::uintmax_t{64} << 20;  // about a quarter of a second

[[noreturn]] void refuse(const fs::path& path, std::string_view cause, std::string_view remedy) {
  throw DatabaseError(fmt::format("database {}: {}; left untouched. {}", path.string(), cause, remedy));
}

constexpr std::string_view kAnother = "Name another file with --db PATH.";

/// "file:" URI of a path: SQLite decodes %XX and stops at ? and #.
std::string uri(const fs::path& path, std::string_view query) {
  std::string text = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      text += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text + "?" + std::string(query);
}

void refuse_newer(const fs::path& path, int version, std::size_t known) {
  if (version > static_cast<int>(known)) {
    refuse(path, fmt::format("has schema {}, this kerlab knows up to {}", version, known),
           "Update kerlab, or name another file with --db PATH.");
  }
}

/// Reads the file's header and nothing else. `immutable` takes no lock and makes no file beside it; opening the file
/// ourselves would drop the locks that this process holds on it (POSIX).
void check_header(const fs::path& path, std::size_t known_versions) {
  const std::uintmax_t bytes = fs::file_size(path);
  if (bytes < kHeaderBytes) {
    refuse(path, bytes == 0 ? "is empty: not a database" : "is too short: not a database",
           "Remove it, or name another file with --db PATH.");
  }
  SQLite::Database file(uri(path, "mode=ro&immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  const int application = file.execAndGet("PRAGMA application_id").getInt();
  if (application != kApplicationId) refuse(path, "is a database of another program", kAnother);
  refuse_newer(path, schema_version(file), known_versions);
}

/// A checkpoint on closing would write to a file that is being refused.
void set_checkpoint_on_close(SQLite::Database& database, bool on) {
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
}

void check_content(SQLite::Database& database, const fs::path& path, std::size_t known_versions) {
  refuse_newer(path, schema_version(database), known_versions);
  for (const char* table : {"session", "source", "trial", "measurement", "decision", "ceiling"}) {
    if (!database.tableExists(table))
      refuse(path, fmt::format("has no table '{}': not a kerlab database", table), kAnother);
  }
  if (fs::file_size(path) > kWholeCheckBytes) return;
  const std::string verdict = database.execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict != "ok") {
    refuse(path, fmt::format("is corrupt: {}", verdict), "Move it away, or name another with --db PATH.");
  }
}

void configure(SQLite::Database& database) {
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA foreign_keys = ON");
}

/// Takes `path` only if nobody has it. Some file systems lack the flag; a hard link says the same there.
bool rename_if_free(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EINVAL && ::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  throw DatabaseError(
      fmt::format("database {}: cannot be created: {}", to.string(), std::generic_category().message(errno)));
}

/// Writes the new database beside `path` and renames it: whoever looks sees none or a whole one, even after a kill.
void create(const fs::path& path, std::span<const EmbeddedFile> migrations) {
  fs::path temporary = path;
  temporary += fmt::format(".new-{}", ::getpid());
  std::error_code ignored;
  try {
    {
      fs::remove(temporary, ignored);
      SQLite::Database fresh(temporary.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      migrate(fresh, migrations);
      fresh.exec("PRAGMA journal_mode = WAL");
    }
    if (!rename_if_free(temporary, path)) fs::remove(temporary, ignored);  // another kerlab was faster
  } catch (...) {
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(temporary.string() + suffix, ignored);
    throw;
  }
}

SQLite::Database open_existing(const fs::path& path, std::span<const EmbeddedFile> migrations) {
  check_header(path, migrations.size());
  const fs::path log = path.string() + "-wal";
  const bool unfinished = fs::exists(log) && fs::file_size(log) > 0;
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  if (unfinished) set_checkpoint_on_close(database, false);
  check_content(database, path, migrations.size());
  if (unfinished) set_checkpoint_on_close(database, true);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  migrate(database, migrations);
  return database;
}

}  // namespace

int schema_version(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

void migrate(SQLite::Database& database, std::span<const EmbeddedFile> migrations) {
  if (schema_version(database) == static_cast<int>(migrations.size())) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Read again: another kerlab may have migrated while this one waited for the lock.
  for (auto version = static_cast<std::size_t>(schema_version(database)); version < migrations.size(); ++version) {
    database.exec(std::string(migrations[version].text));
  }
  renew_rows(database);
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", migrations.size()));
  transaction.commit();
}

void renew_rows(SQLite::Database& database) {
  for (const EmbeddedFile& statements : kOlderRows) database.exec(std::string(statements.text));
}

SQLite::Database open_database(const fs::path& path, std::span<const EmbeddedFile> migrations) {
  check_location(path);
  try {
    if (!fs::exists(path)) create(path, migrations);
    SQLite::Database database = open_existing(path, migrations);
    configure(database);
    return database;
  } catch (const SQLite::Exception& error) {
    throw explained(error, path);
  }
}

SQLite::Database open_memory_database(std::span<const EmbeddedFile> migrations) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(database, migrations);
  configure(database);
  return database;
}

}  // namespace kerlab::db
