#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace kerlab {

namespace {

// A container sees its own group here (cgroup v2). Processors that are not there are told apart from a limit by the
// mask.
constexpr const char* kQuota = "/sys/fs/cgroup/cpu.max";

}  // namespace

int quota_cores(std::string_view cpu_max) {
  const std::size_t blank = cpu_max.find(' ');
  if (blank == std::string_view::npos) return 0;
  long quota = 0, period = 0;
  std::from_chars(cpu_max.data(), cpu_max.data() + blank, quota);
  std::from_chars(cpu_max.data() + blank + 1, cpu_max.data() + cpu_max.size(), period);
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>((quota + period - 1) / period);
}

int usable_cores() {
  cpu_set_t mask;
  const int allowed = sched_getaffinity(0, sizeof mask, &mask) == 0 ? std::max(1, CPU_COUNT(&mask)) : 1;
  std::ifstream file(kQuota);
  std::string line;
  const int quota = std::getline(file, line) ? quota_cores(line) : 0;
  return quota > 0 ? std::min(allowed, quota) : allowed;
}

}  // namespace kerlab
