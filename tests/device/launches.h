#pragma once
// Launches of kernels that take an address and a count, and a look at what they wrote.

#include <cstring>

#include "device/device.h"

namespace kerlab::test {

template <typename T>
std::vector<std::byte> argument(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline BoundLaunch basic(ModuleId module, const std::string& kernel, DevicePtr data, std::uint32_t count) {
  BoundLaunch launch;
  launch.module = module;
  launch.kernel = kernel;
  launch.grid = {(count + 127) / 128, 1, 1};
  launch.block = {128, 1, 1};
  launch.arguments = {argument(data), argument(count)};
  return launch;
}

inline Launch launch_of(const std::string& kernel, std::uint32_t threads, std::uint32_t dynamic_shared = 0) {
  Launch launch;
  launch.kernel = kernel;
  launch.block = {threads, 1, 1};
  launch.dynamic_shared = dynamic_shared;
  return launch;
}

inline std::vector<std::uint32_t> words_at(Device& device, DevicePtr source, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  device.copy_out(std::as_writable_bytes(std::span(words)), source);
  return words;
}

}  // namespace kerlab::test
