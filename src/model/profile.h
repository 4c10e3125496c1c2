#pragma once
// What a vendor publishes about a device: configs/devices/*.toml.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::model {

struct DeviceProfile {
  double bandwidth = 0;                                     ///< bytes/s
  std::map<std::string, double, std::less<>> flops;         ///< FLOP/s of the FMA units by dtype name
  std::map<std::string, double, std::less<>> tensor_flops;  ///< FLOP/s of the tensor cores by dtype name, dense
};

/// The profile in `folder` one of whose `match` strings is part of `device_name`; the longest such string wins. Throws
/// Error naming file and line when a profile is malformed.
std::optional<DeviceProfile> find_profile(const std::filesystem::path& folder, std::string_view device_name);

}  // namespace kerlab::model
