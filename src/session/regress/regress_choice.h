#pragma once
// Which baselines a run is about.

#include <memory>
#include <string>
#include <vector>

#include "session/run/rig.h"
#include "trial/baseline.h"

namespace kerlab::session {

/// Whether a key is one of those typed, or holds one of them as text; true when none was typed.
bool is_chosen(const std::string& key, const std::vector<std::string>& only);
/// ": 12 of NVIDIA H200 ..., 3 of ..."; empty: all are of `device_class`.
std::string others_text(const std::vector<Baseline>& all, const std::string& device_class);
/// Opens the device, for no family yet. Throws Error that says how a machine without a GPU goes on.
void open_device(const RigOptions& options, std::unique_ptr<Rig>& rig);

}  // namespace kerlab::session
