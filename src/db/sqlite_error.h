#pragma once
// SQLite's errors in words: what happened to which file, and what helps.

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "base/error.h"

namespace kerlab {

Error explained(const SQLite::Exception& error, const std::filesystem::path& path);

}  // namespace kerlab
