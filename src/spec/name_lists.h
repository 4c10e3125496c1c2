#pragma once
// Lists of names in specs that few ask for: properties of the device; and, read from the file when they are wanted,
// what a variant was called before, and where else a family has variants.

#include <filesystem>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::spec {

/// Properties of the device that expressions of a variant may name.
inline constexpr const char* kDeviceNames[] = {"device.cc",
                                               "device.sms",
                                               "device.memory_bytes",
                                               "device.l2_bytes",
                                               "device.shared_per_block",
                                               "device.shared_per_sm",
                                               "device.shared_reserved",
                                               "device.registers_per_block",
                                               "device.registers_per_sm",
                                               "device.threads_per_block",
                                               "device.threads_per_sm",
                                               "device.blocks_per_sm",
                                               "device.warp_size"};

/// `formerly` of the variant's file: names that it, or what it replaced, had before. Throws SpecError.
std::vector<std::string> former_names(const Variant& variant);

/// `folders` of a family.toml: sub-folders whose <variant>.toml belong to the family too; each exists. Throws
/// SpecError.
std::vector<std::filesystem::path> variant_folders(const std::filesystem::path& family_file);

}  // namespace kerlab::spec
