#include "device/launch_limits.h"

#include <fmt/format.h>

namespace kerlab::device {
namespace {

std::uint64_t volume(const Dim3& d) {
  return std::uint64_t{d.x} * d.y * d.z;
}
std::string text(const Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

std::string grid_error(const Launch& launch) {
  const Dim3& grid = launch.grid;
  if (volume(grid) == 0) return fmt::format("grid {} is empty", text(grid));
  if (grid.x > 0x7fffffffu || grid.y > kMostGridRows || grid.z > kMostGridRows)
    return fmt::format("grid {0} is larger than 2147483647x{1}x{1}", text(grid), kMostGridRows);
  const Dim3& cluster = launch.cluster;
  if (volume(cluster) == 0) return fmt::format("cluster {} is empty", text(cluster));
  constexpr std::uint64_t kMostClusterBlocks = 16;  // Hopper's, beyond the portable 8
  if (volume(cluster) > kMostClusterBlocks)
    return fmt::format("cluster {} is larger than {} blocks", text(cluster), kMostClusterBlocks);
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return fmt::format("grid {} is not a multiple of cluster {}: round it up in the spec", text(grid), text(cluster));
  return {};
}

std::string block_error(const DeviceInfo& device, const Launch& launch, const KernelResources& resources) {
  const Dim3& block = launch.block;
  const std::uint64_t threads = volume(block);
  if (threads == 0) return fmt::format("block {} is empty", text(block));
  if (threads > static_cast<std::uint64_t>(device.threads_per_block) || block.z > 64)
    return fmt::format("block {} is larger than the device's {} threads", text(block), device.threads_per_block);
  if (resources.max_threads > 0 && threads > static_cast<std::uint64_t>(resources.max_threads))
    return fmt::format("block {} has {} threads, but {} registers a thread (or __launch_bounds__) allow {}",
                       text(block), threads, resources.registers, resources.max_threads);
  return {};
}

std::string shared_error(const DeviceInfo& device, const Launch& launch, const KernelResources& resources) {
  const std::int64_t shared = std::int64_t{launch.dynamic_shared} + resources.static_shared;
  if (shared <= device.shared_per_block) return {};
  return fmt::format("{} bytes of shared memory a block ({} dynamic + {} static), {} more than the device's {}", shared,
                     launch.dynamic_shared, resources.static_shared, shared - device.shared_per_block,
                     device.shared_per_block);
}

}  // namespace

std::string launch_limit_error(const DeviceInfo& device, const Launch& launch, const KernelResources& resources) {
  std::string error = block_error(device, launch, resources);
  if (error.empty()) error = grid_error(launch);
  if (error.empty()) error = shared_error(device, launch, resources);
  if (error.empty() && volume(launch.cluster) > 1 && device.cc_major < 9)
    error =
        fmt::format("clusters need compute capability 9.0; this device has {}.{}", device.cc_major, device.cc_minor);
  if (error.empty() && launch.programmatic && device.cc_major < 9)
    error = fmt::format("programmatic = true needs compute capability 9.0; this device has {}.{}", device.cc_major,
                        device.cc_minor);
  return error.empty() ? error : fmt::format("kernel '{}': {}", launch.kernel, error);
}

std::string cooperative_error(const DeviceInfo& device, const Launch& launch, int blocks_per_sm) {
  const std::uint64_t blocks = volume(launch.grid);
  const auto room = static_cast<std::uint64_t>(blocks_per_sm) * static_cast<std::uint64_t>(device.sms);
  if (!launch.cooperative || blocks <= room) return {};
  return fmt::format(
      "kernel '{}': a cooperative launch of {} blocks, of which {} run at once ({} multiprocessors with {} each): "
      "launch "
      "fewer, with a constraint over device.sms",
      launch.kernel, blocks, room, device.sms, blocks_per_sm);
}

}  // namespace kerlab::device
