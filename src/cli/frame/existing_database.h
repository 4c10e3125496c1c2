#pragma once
// The database for commands that only read: a mistyped --db must not make an empty one.

#include "cli/frame/command.h"
#include "db/database.h"

namespace kerlab::cli {

/// Throws UsageError when there is no such file, and as Database::open.
Database open_existing_database(const GlobalOptions& global);
/// None when there is no such file and --db named none.
std::optional<Database> database_if_there(const GlobalOptions& global);

}  // namespace kerlab::cli
