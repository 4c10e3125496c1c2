#pragma once
// What `kerlab new` writes: a commented, working family to start from.

#include <filesystem>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::spec {

/// Writes family.toml, reference.cu and two variants into `folder`, creating it; returns the files. Throws UsageError
/// when `name` is not an identifier or the folder exists and is not empty.
std::vector<std::filesystem::path> write_new_family(const std::filesystem::path& folder, std::string name);

}  // namespace kerlab::spec
