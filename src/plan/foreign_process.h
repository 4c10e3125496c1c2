#pragma once
// A process that uses a device beside kerlab: a plain struct that travels from worker to parent.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::plan {

struct ForeignProcess {
  std::int64_t pid = 0;
  std::string name;                               ///< "python3"; empty where it cannot be read
  std::optional<std::int64_t> memory_bytes = {};  ///< of the device; none: unknown
  bool operator==(const ForeignProcess&) const = default;
};

/// "python3 (pid 4711), a process of another user or container (pid 4712)"; empty: nobody.
std::string name_all(const std::vector<ForeignProcess>& processes);

}  // namespace kerlab::plan
