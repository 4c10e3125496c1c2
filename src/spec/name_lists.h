#pragma once
// Lists of names in specs that few ask for, read from the file when they are wanted: what a variant was called before,
// and where else a family has variants.

#include <filesystem>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::spec {

/// `formerly` of the variant's file: names that it, or what it replaced, had before. Throws SpecError.
std::vector<std::string> former_names(const Variant& variant);

/// `folders` of a family.toml: sub-folders whose <variant>.toml belong to the family too; each exists. Throws
/// SpecError.
std::vector<std::filesystem::path> variant_folders(const std::filesystem::path& family_file);

}  // namespace kerlab::spec
