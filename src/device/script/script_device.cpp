// Memory, events, loading. What launches do is in script_launch.cpp.
#include "device/script/script_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "base/file.h"
#include "base/hash.h"
#include "device/launch_limits.h"
#include "device/script/scripted_end.h"

namespace kerlab::device {
namespace {

constexpr std::int64_t kLaunchesOfAProcess = 1 << 30;
constexpr std::size_t kWrittenFill = std::size_t{16} << 20;

std::int64_t threads_of(const Launch& launch) {
  const std::int64_t threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
  return (threads + 31) / 32 * 32;
}

int blocks_per_sm(const DeviceInfo& device, const Launch& launch, int registers) {
  const std::int64_t threads = threads_of(launch);
  const std::int64_t by_threads = device.threads_per_sm / threads;
  const std::int64_t by_registers = registers > 0 ? device.registers_per_sm / (registers * threads) : by_threads;
  const std::int64_t by_shared =
      device.shared_per_sm / std::max<std::int64_t>(1, launch.dynamic_shared + device.shared_reserved);
  return static_cast<int>(std::min({by_threads, by_registers, by_shared, std::int64_t{device.blocks_per_sm}}));
}

}  // namespace

ScriptDevice::ScriptDevice(Script script)
    : script_(std::move(script)), memory_(script_.device.memory_bytes), lab_(script_.device, memory_) {
  if (!script_.opened.empty()) {
    std::int64_t times = 0;
    std::ifstream(script_.opened) >> times;
    write_atomic(script_.opened, fmt::format("{}\n", times + 1));
    launches_before_ = times * kLaunchesOfAProcess;
  }
  if (script_.neighbours == "nvml") gpu_neighbours_.emplace(nvml_.emplace(), script_.device.uuid);
}

void ScriptDevice::require_alive() const {
  if (broken_) throw *broken_;
}

void ScriptDevice::wait() {
  if (hanging_) hang_forever();
  require_alive();
}

DevicePtr ScriptDevice::allocate(std::size_t bytes) {
  require_alive();
  return memory_.allocate(bytes);
}

MappedMemory ScriptDevice::allocate_mapped(std::size_t bytes) {
  const DevicePtr pointer = allocate(bytes);
  return {pointer, reinterpret_cast<void*>(pointer)};
}

void ScriptDevice::copy_in(DevicePtr target, std::span<const std::byte> source) {
  wait();
  if (!source.empty()) std::memcpy(memory_.at(target, source.size()), source.data(), source.size());
}

void ScriptDevice::copy_out(std::span<std::byte> target, DevicePtr source) {
  wait();
  if (!target.empty()) std::memcpy(target.data(), memory_.at(source, target.size()), target.size());
}

void ScriptDevice::fill(DevicePtr target, std::uint32_t pattern, std::size_t words) {
  require_alive();
  auto* memory = static_cast<std::uint32_t*>(memory_.at(target, words * sizeof pattern));
  if (words * sizeof pattern <= kWrittenFill) std::fill_n(memory, words, pattern);
}

ModuleId ScriptDevice::load(std::span<const std::byte> /*image*/, std::string_view label) {
  require_alive();
  Module module;
  module.label = label;
  module.rule = find_rule(script_, label);
  if (module.rule != nullptr && module.rule->stage == ScriptStage::load && happens_now(*module.rule)) {
    switch (module.rule->outcome) {
      case Outcome::load_failed:
        throw DeviceFault(FaultKind::load_failed, fmt::format("loading {}: the script says load_failed", label), false);
      case Outcome::out_of_memory:
        throw DeviceFault(FaultKind::out_of_memory, fmt::format("loading {}: the script says out_of_memory", label),
                          false);
      case Outcome::hang:
        hang_forever();
      case Outcome::sigkill:
      case Outcome::abort:
        end_process(module.rule->outcome);
      default:
        break;
    }
  }
  modules_[next_id_] = std::move(module);
  return next_id_++;
}

KernelResources ScriptDevice::prepare(ModuleId module, const Launch& launch) {
  require_alive();
  const ScriptRule* rule = modules_.at(module).rule;
  KernelResources resources;
  resources.kernel = launch.kernel;
  resources.registers = rule != nullptr ? rule->timing.registers : script_.timing.registers;
  std::string error = launch_limit_error(script_.device, launch, resources);
  if (error.empty()) {
    resources.blocks_per_sm = blocks_per_sm(script_.device, launch, resources.registers);
    if (resources.blocks_per_sm == 0) error = fmt::format("kernel '{}': no block fits on an SM", launch.kernel);
  }
  if (!error.empty()) throw DeviceFault(FaultKind::load_failed, error, false);
  return resources;
}

TensorMap ScriptDevice::encode(const TensorMapSpec& spec, DevicePtr base) {
  require_alive();
  if (const std::string error = tensor_map_error(spec, base); !error.empty())
    throw DeviceFault(FaultKind::load_failed, fmt::format("tensor map of '{}': {}", spec.tensor, error), false);
  TensorMap map;
  map.words[0] = base + static_cast<std::uint64_t>(spec.offset_bytes);
  return map;
}

EventId ScriptDevice::create_event() {
  require_alive();
  events_[next_id_].reset();
  return next_id_++;
}

void ScriptDevice::record(EventId event) {
  require_alive();
  events_.at(event) = now_us_;
  event_since_compare_ = true;
}

double ScriptDevice::elapsed_us(EventId from, EventId to) {
  wait();
  if (!events_.at(from) || !events_.at(to))
    throw DeviceFault(FaultKind::other, "reading a time between events: one was never recorded", false);
  return *events_.at(to) - *events_.at(from);
}

void ScriptDevice::synchronize() {
  wait();
}

std::string ScriptDevice::health_text() {
  return fmt::format("scripted, SM {} MHz, no throttle", script_.device.clock_mhz);
}

std::vector<ForeignProcess> ScriptDevice::neighbours() {
  if (gpu_neighbours_) return gpu_neighbours_->look();
  std::vector<ForeignProcess> others;
  std::ifstream lines(script_.neighbours);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    ForeignProcess other;
    std::int64_t mebibytes = 0;
    if (!(words >> other.pid)) continue;
    if (words >> other.name >> mebibytes) other.memory_bytes = mebibytes << 20;
    others.push_back(std::move(other));
  }
  return others;
}

DeviceConditions ScriptDevice::conditions() {
  DeviceConditions now;
  std::ifstream(script_.conditions) >> std::setbase(0) >> now.reasons >> now.watts >> now.celsius;
  return now;
}

std::unique_ptr<Device> open_script_device(const std::filesystem::path& file) {
  return std::make_unique<ScriptDevice>(read_script(file));
}

}  // namespace kerlab::device
