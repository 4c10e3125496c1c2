#pragma once
// SQLite's errors in words: what happened to which file, and what helps.

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "base/error_about.h"
#include "base/modules.h"

namespace kerlab::db {

using DatabaseError = ErrorAbout<Error, AboutDatabase>;

DatabaseError explained(const SQLite::Exception& error, const std::filesystem::path& path);

}  // namespace kerlab::db
