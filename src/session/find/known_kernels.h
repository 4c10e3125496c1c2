#pragma once
// The configuration that a command takes where none is named: the stored winner, the best stored of a variant, else
// what is shipped.

#include "db/database.h"
#include "session/find/shipped_kernel.h"

namespace kerlab::session {

/// Where to look. The device's class says whose times count.
struct KnownKernels {
  const Database& database;
  std::filesystem::path shipped;  ///< of winners to take where nothing is stored
  const KernelFolder& folder;
  const DeviceInfo& device;

  /// The stored winner, else the shipped one; none: neither is known. `notes`: what is left out, with the reason.
  [[nodiscard]] std::optional<KnownKernel> winner(const Problem& problem, std::vector<std::string>& notes) const;
  /// The fastest passed trial of the variant on this problem; else what is shipped of it; else its default.
  [[nodiscard]] KnownKernel best(const Variant& variant, const Problem& problem, std::vector<std::string>& notes) const;
};

}  // namespace kerlab::session
