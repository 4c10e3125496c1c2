#pragma once
// `--device` with one device or several.

#include <string>
#include <vector>

#include "plan/device_info.h"

namespace kerlab::session {

/// The devices that are named: "cuda:0", "cuda:0,1" and "cuda:0,cuda:1", "cuda:all" (every GPU that the driver shows),
/// "emu:h200,emu:h200", "script:a.toml,script:b.toml". A comma that no device follows belongs to a file's name.
/// `here`: the workers run on this machine, where GPUs can be counted and one cannot be opened twice. Throws
/// UsageError.
std::vector<std::string> device_ids(const std::string& typed, bool here);

/// Whether more than one may be meant; for commands that take but one.
bool names_several_devices(const std::string& typed);

/// The first that is named, where whatever was measured can be repeated.
std::string first_device(const std::string& typed);

/// The device that inspects for these: an emulated one as it is, the H200 for every other.
std::string inspecting_device(const std::string& device);

/// Throws UsageError naming both, unless they are of one device class: what was measured on them can be compared.
void require_one_model(const DeviceInfo& first, const DeviceInfo& other);

}  // namespace kerlab::session
