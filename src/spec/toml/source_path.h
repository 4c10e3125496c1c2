#pragma once
// Paths in specs: a spec names only files of its own folder.

#include <filesystem>
#include <string>
#include <string_view>

#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// The file that `key` names (or `fallback`) in `folder`. Throws SpecError when it is missing or lies elsewhere.
std::filesystem::path read_source_path(const SpecTable& table, std::string_view key, const std::string& fallback,
                                       const std::filesystem::path& folder);

/// A path as messages show it: relative to the current folder when it lies in it.
std::string shown_path(const std::filesystem::path& path);

}  // namespace kerlab::spec
