#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "plan/occupancy.h"

namespace kerlab::plan {

namespace {

constexpr int kUnlimited = std::numeric_limits<int>::max();
constexpr int kRegisterGranularity = 256;  // registers of a warp are handed out in units of
constexpr int kPartitions = 4;             // of an SM, each with a quarter of the registers

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

int blocks_by_registers(const DeviceInfo& device, int warps, int registers) {
  if (registers <= 0 || device.registers_per_sm <= 0) return kUnlimited;
  const int per_warp = round_up(registers * device.warp_size, kRegisterGranularity);
  // A block of 5 warps reserves as 8, since its warps are spread evenly over the partitions.
  if (device.registers_per_block > 0 && per_warp * round_up(warps, kPartitions) > device.registers_per_block) return 0;
  const int warps_of_partition = device.registers_per_sm / kPartitions / per_warp;
  return warps_of_partition * kPartitions / warps;
}

int blocks_by_shared(const DeviceInfo& device, int shared_bytes, std::optional<std::int32_t> carveout) {
  if (device.shared_per_sm <= 0) return kUnlimited;
  if (device.shared_per_block > 0 && shared_bytes > device.shared_per_block) return 0;
  const int granularity = device.compute_capability() >= 80 ? 128 : 256;
  const int per_block = round_up(shared_bytes + device.shared_reserved, granularity);
  const int room = carveout ? carved_shared(device, *carveout, per_block) : device.shared_per_sm;
  return per_block > 0 ? room / per_block : kUnlimited;
}

int blocks_by_threads(const DeviceInfo& device, int threads, int warps) {
  if (device.threads_per_block > 0 && threads > device.threads_per_block) return 0;
  return device.threads_per_sm > 0 ? device.threads_per_sm / device.warp_size / warps : kUnlimited;
}

}  // namespace

int carved_shared(const DeviceInfo& device, std::int32_t percent, int block_bytes) {
  // KiB; what a device cannot have is beyond its shared_per_sm. CUDA C++ Programming Guide, compute capabilities.
  constexpr std::array kCapacities{0, 8, 16, 32, 64, 96, 100, 132, 164, 196, 228};
  const bool of_volta = device.compute_capability() == 70;
  const std::int64_t wanted = (std::int64_t{percent} * device.shared_per_sm + 99) / 100;
  for (const int kib : kCapacities) {
    const int bytes = kib * 1024;
    if ((kib == 96) != of_volta && (kib == 96 || kib == 100)) continue;
    if (bytes >= wanted && bytes >= block_bytes && bytes < device.shared_per_sm) return bytes;
  }
  return device.shared_per_sm;
}

Occupancy occupancy(const DeviceInfo& device, int threads, int registers, int shared_bytes,
                    std::optional<std::int32_t> carveout) {
  if (threads <= 0 || device.warp_size <= 0) return {0, 0, "threads"};
  const int warps = (threads + device.warp_size - 1) / device.warp_size;
  struct Limit {
    int blocks;
    std::string_view name;
  };
  const std::array limits{Limit{blocks_by_registers(device, warps, registers), "registers"},
                          Limit{blocks_by_shared(device, shared_bytes, carveout), "shared memory"},
                          Limit{blocks_by_threads(device, threads, warps), "threads"},
                          Limit{device.blocks_per_sm > 0 ? device.blocks_per_sm : kUnlimited, "blocks"}};
  const Limit& least = *std::min_element(limits.begin(), limits.end(),
                                         [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  if (least.blocks == kUnlimited) return {0, 0, "unknown"};
  const double fraction =
      device.threads_per_sm > 0 ? 1.0 * least.blocks * warps * device.warp_size / device.threads_per_sm : 0;
  return {least.blocks, fraction, std::string(least.name)};
}

Occupancy occupancy_of_grid(const Occupancy& fits, std::int64_t blocks, const DeviceInfo& device) {
  if (fits.blocks <= 0 || blocks <= 0 || device.sms <= 0) return fits;
  const std::int64_t most = (blocks + device.sms - 1) / device.sms;
  if (most >= fits.blocks) return fits;
  return {static_cast<int>(most), fits.fraction * static_cast<double>(most) / fits.blocks, kByGrid};
}

}  // namespace kerlab::plan
