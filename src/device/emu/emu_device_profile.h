#pragma once
// What an emulated device pretends to be: the [device] table of configs/devices/<name>.toml.

#include <filesystem>
#include <string_view>
#include <vector>

#include "plan/device_info.h"

namespace kerlab::emu {

/// "emu:<name>". Throws UsageError when `folder` has no such profile, Error (unsupported) when it is one for rooflines
/// only, Error naming file and line when it is malformed.
DeviceInfo read_emulated_device(const std::filesystem::path& folder, std::string_view name);

/// All profiles of `folder` that can be emulated, by name.
std::vector<DeviceInfo> list_emulated_devices(const std::filesystem::path& folder);

/// Where the shipped profiles lie.
std::filesystem::path profile_folder();

}  // namespace kerlab::emu
