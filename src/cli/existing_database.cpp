#include "cli/existing_database.h"

#include <fmt/format.h>

namespace kerlab {

Database open_existing_database(const GlobalOptions& global) {
  const std::filesystem::path path = database_path(global);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw UsageError(fmt::format("database {}: there is no such file; `kerlab tune` makes it, --db FILE names another",
                                 path.string()));
  }
  return Database::open(path);
}

}  // namespace kerlab
