#include "device/cuda/gpu_neighbours.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace kerlab::device {

namespace {

/// The program's name without its folder; empty when it cannot be read.
std::string name_of(std::int64_t pid) {
  std::string command;
  std::getline(std::ifstream(fmt::format("/proc/{}/cmdline", pid)), command, '\0');
  if (command.empty()) std::getline(std::ifstream(fmt::format("/proc/{}/comm", pid)), command);
  return command.substr(command.rfind('/') + 1);
}

/// 0 when unknown.
std::int64_t parent_of(std::int64_t pid) {
  std::string line;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", pid)), line);
  const std::size_t name_end = line.rfind(')');  // "pid (name) state parent ..."
  if (name_end == std::string::npos || line.size() < name_end + 5) return 0;
  return std::atoll(line.c_str() + name_end + 4);
}

}  // namespace

GpuNeighbours::GpuNeighbours(const Nvml& nvml, std::string uuid) : nvml_(nvml), uuid_(std::move(uuid)) {
  for (const GpuProcess& process : nvml_.processes(uuid_)) before_.insert(process.pid);
}

/// At the first look the context is there. Whoever came meanwhile as well is taken for this process: rather miss one
/// than accuse oneself.
void GpuNeighbours::find_own(const std::vector<GpuProcess>& processes) {
  const std::int64_t self = getpid();
  for (const GpuProcess& process : processes) same_numbers_ = same_numbers_ || process.pid == self;
  if (same_numbers_) {
    own_ = {self};
  } else if (own_.empty()) {
    for (const GpuProcess& process : processes)
      if (!before_.contains(process.pid)) own_.insert(process.pid);
  }
}

std::vector<ForeignProcess> GpuNeighbours::look() {
  const std::vector<GpuProcess> processes = nvml_.processes(uuid_);
  if (!same_numbers_) find_own(processes);
  std::vector<ForeignProcess> others;
  for (const GpuProcess& process : processes) {
    if (own_.contains(process.pid)) continue;
    if (same_numbers_ && parent_of(process.pid) == getppid()) continue;
    others.push_back({process.pid, same_numbers_ ? name_of(process.pid) : "", process.memory_bytes});
  }
  return others;
}

}  // namespace kerlab::device
