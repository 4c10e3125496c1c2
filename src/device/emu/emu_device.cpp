// EmuDevice: memory, events, opening. What launches do is in emu_device_launch.cpp.
#include "device/emu/emu_device.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

#include "base/cores.h"
#include "device/emu/emu_device_profile.h"
#include "device/emu/parallel.h"
#include "device/emu/sparse_range.h"
#include "device/emu/tensor_map.h"
#include "plan/sparse_tensor.h"

namespace kerlab::emu {
namespace {

constexpr std::size_t kDropPages = std::size_t{1} << 20;  // beyond so many bytes zeros are made by giving pages back

/// A number of the environment, or `otherwise` when the variable is not set.
std::int64_t number_from(const char* variable, std::int64_t otherwise, std::int64_t least) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != '\0' || value < least)
    throw UsageError(fmt::format("{}={}: must be a whole number from {} on", variable, text, least));
  return value;
}

/// What stands for "nobody has written this" (kPoisonNan and kPoisonFinite of verify/check.h).
bool is_poison(std::uint32_t pattern) {
  return pattern == 0xFFFFFFFF || pattern == 0x7B7B7B7B;
}

/// Bytes that this machine could give to programs now; no limit when it does not tell.
std::int64_t host_memory_available() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;) {
    std::int64_t kib = 0;
    if (key == "MemAvailable:" && file >> kib) return kib * 1024;
    file.ignore(256, '\n');
  }
  return std::int64_t{1} << 62;
}

}  // namespace

EmuOptions emu_options_from_environment() {
  EmuOptions options;
  options.threads =
      static_cast<int>(std::min<std::int64_t>(number_from("KERLAB_EMU_THREADS", usable_cores(), 1), 1024));
  options.instruction_budget = number_from("KERLAB_EMU_BUDGET", options.instruction_budget, 0);
  return options;
}

EmuDevice::EmuDevice(DeviceInfo info, EmuOptions options)
    : info_(std::move(info)), options_(options), memory_(info_.memory_bytes), lab_(info_, memory_, options.threads) {}

std::int64_t EmuDevice::free_memory() {
  return std::min(memory_.free_bytes(), host_memory_available());
}

MappedMemory EmuDevice::allocate_mapped(std::size_t bytes) {
  const DevicePtr pointer = memory_.allocate(bytes);
  memory_.initialised().add(pointer, pointer + bytes);  // the host may write there at any time
  return {pointer, reinterpret_cast<void*>(pointer)};
}

void EmuDevice::copy_in(DevicePtr target, std::span<const std::byte> source) {
  if (source.empty()) return;
  std::memcpy(memory_.at(target, source.size()), source.data(), source.size());
  memory_.initialised().add(target, target + source.size());
}

void EmuDevice::copy_out(std::span<std::byte> target, DevicePtr source) {
  if (!target.empty()) std::memcpy(target.data(), memory_.at(source, target.size()), target.size());
}

void EmuDevice::fill(DevicePtr target, std::uint32_t pattern, std::size_t words) {
  if (words == 0) return;
  auto* begin = reinterpret_cast<std::uint32_t*>(memory_.at(target, words * sizeof pattern));
  std::uint32_t* end = begin + words;
  if (is_poison(pattern)) {
    memory_.initialised().remove(target, target + words * sizeof pattern);
  } else {
    memory_.initialised().add(target, target + words * sizeof pattern);
  }
  if (words * sizeof pattern >= static_cast<std::size_t>(kSparseBytes)) {
    std::fill(begin, begin + static_cast<std::size_t>(kRepeatedBytes) / sizeof pattern, pattern);
    repeat_pattern(target, words * sizeof pattern);
    return;
  }
  if (pattern == 0 && words * sizeof pattern >= kDropPages) {
    // Whole pages read as zero once they are given back, and cost nothing until somebody writes to them.
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t first = (target + page - 1) / page * page;
    const std::uint64_t last = reinterpret_cast<std::uint64_t>(end) / page * page;
    if (madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) == 0) {
      std::fill(begin, reinterpret_cast<std::uint32_t*>(first), 0u);
      std::fill(reinterpret_cast<std::uint32_t*>(last), end, 0u);
      return;
    }
  }
  emu::for_chunks(
      static_cast<std::int64_t>(words), options_.threads,
      [&](std::int64_t, std::int64_t from, std::int64_t to) { std::fill(begin + from, begin + to, pattern); });
}

TensorMap EmuDevice::encode(const TensorMapSpec& spec, DevicePtr base) {
  if (const std::string error = tensor_map_error(spec, base); !error.empty())
    throw DeviceFault(FaultKind::load_failed, fmt::format("tensor map of '{}': {}", spec.tensor, error), false);
  return emu::encode_tensor_map(spec, base);
}

void EmuDevice::describe_memory(std::vector<MemoryRegion> regions) {
  regions_ = std::move(regions);
  for (const MemoryRegion& region : regions_) {
    if (region.written) {
      memory_.initialised().add(region.begin, region.begin + region.bytes);
    } else {
      memory_.initialised().remove(region.begin, region.begin + region.bytes);
    }
  }
}

EventId EmuDevice::create_event() {
  events_[next_id_] = std::nullopt;
  return next_id_++;
}

double EmuDevice::elapsed_us(EventId from, EventId to) {
  const auto begin = events_.at(from), end = events_.at(to);
  if (!begin || !end)
    throw DeviceFault(FaultKind::other, "reading a time between events: one was never recorded", false);
  return std::chrono::duration<double, std::micro>(*end - *begin).count();
}

std::string EmuDevice::health_text() {
  return fmt::format("emulated on {} thread{}", options_.threads, options_.threads == 1 ? "" : "s");
}

std::unique_ptr<Device> open_emu_device(std::string_view name) {
  return std::make_unique<EmuDevice>(read_emulated_device(profile_folder(), name), emu_options_from_environment());
}

}  // namespace kerlab::emu
