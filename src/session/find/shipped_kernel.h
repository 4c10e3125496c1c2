#pragma once
// Which kernel a command takes for a problem of which nothing is stored: the one that somebody measured and shipped.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "session/run/space.h"

namespace kerlab::session {

/// A configuration that is known to be good, and where it is from.
struct KnownKernel {
  const Variant* variant = nullptr;
  Configuration configuration;
  std::string how;  ///< "shipped winner of 2026-11-22"
};

/// A configuration that somebody wrote down. Throws SpecError or UsageError where today's kernels cannot take it.
KnownKernel known_kernel(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device,
                         const std::string& variant, const std::string& configuration, std::string how);

/// The winner that the folder `shipped` has for this problem and device; of `variant` only, where it is not empty. None
/// as well where today's kernels cannot take it: `notes` then says why, once.
std::optional<KnownKernel> shipped_kernel(const std::filesystem::path& shipped, const KernelFolder& folder,
                                          const Problem& problem, const DeviceInfo& device, const std::string& variant,
                                          std::vector<std::string>& notes);

}  // namespace kerlab::session
