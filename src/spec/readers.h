#pragma once
// The two kinds of spec files.

#include <filesystem>

#include "spec/spec.h"

namespace kerlab::spec {

/// Reads and checks a family.toml. Throws SpecError.
Family read_family(const std::filesystem::path& file);
/// Reads and checks a variant of the family. Throws SpecError.
Variant read_variant(const std::filesystem::path& file, const Family& family);

}  // namespace kerlab::spec
