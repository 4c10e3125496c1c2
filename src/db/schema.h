#pragma once
// Opening a database file: recognised as ours or refused untouched, created whole, migrated.

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <span>

#include "base/embedded.h"
#include "base/modules.h"

namespace kerlab::db {

/// "kerl": PRAGMA application_id of a kerlab database.
inline constexpr std::int32_t kApplicationId = 0x6b65726c;

/// Opens `path`, creating it when there is none, and brings it to the newest of `migrations` (the n-th makes schema
/// version n). Throws Error; a file that is refused is not written to.
SQLite::Database open_database(const std::filesystem::path& path, std::span<const EmbeddedFile> migrations);
SQLite::Database open_memory_database(std::span<const EmbeddedFile> migrations);

/// PRAGMA user_version.
int schema_version(SQLite::Database& database);
/// Applies what is missing, all in one transaction.
void migrate(SQLite::Database& database, std::span<const EmbeddedFile> migrations);
/// Rows of an older kerlab become what today's would have written. In a transaction of the caller's.
void renew_rows(SQLite::Database& database);

}  // namespace kerlab::db
