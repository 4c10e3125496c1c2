#include "cli/frame/existing_database.h"

#include <fmt/format.h>

#include "base/error_about.h"

namespace kerlab::cli {

Database open_existing_database(const GlobalOptions& global) {
  const std::filesystem::path path = database_path(global);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw ErrorAbout<UsageError, AboutDatabase>(fmt::format(
        "database {}: there is no such file; `kerlab tune` makes it, --db FILE names another", path.string()));
  }
  return Database::open(path);
}

std::optional<Database> database_if_there(const GlobalOptions& global) {
  std::error_code ignored;
  if (global.database.empty() && !std::filesystem::exists(database_path(global), ignored)) return std::nullopt;
  return open_existing_database(global);
}

}  // namespace kerlab::cli
