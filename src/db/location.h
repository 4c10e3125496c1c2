#pragma once
// Where a database may live.

#include <filesystem>
#include <string_view>

#include "base/modules.h"

namespace kerlab::db {

/// Name of the network file system with this statfs magic, or empty. SQLite's locks and its shared memory are not
/// reliable there.
std::string_view network_file_system(unsigned long magic);

/// Throws Error unless `path` is a writable file, or can be created, on a local disk. Creates missing folders, no file.
void check_location(const std::filesystem::path& path);

}  // namespace kerlab::db
