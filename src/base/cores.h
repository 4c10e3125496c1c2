#pragma once
// How many processors this process may use.

#include <string_view>

namespace kerlab {

/// Those of its affinity mask (taskset, a container's cpuset), or fewer where a container's quota is smaller; at
/// least 1.
int usable_cores();

/// Whole processors of a cgroup's cpu.max: "150000 100000" are 2; 0: no limit ("max 100000"), or no such text.
int quota_cores(std::string_view cpu_max);

}  // namespace kerlab
