#pragma once
// The lab's own kernels (kernels/common/lab.cu) on a device: one struct of common/lab_abi.h each, by name.

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "common/lab_abi.h"
#include "device/device.h"

namespace kerlab::device {

/// A module that unloads itself.
class LoadedModule {
 public:
  LoadedModule(Device& device, std::span<const std::byte> image, std::string_view label)
      : device_(&device), id_(device.load(image, label)) {}
  LoadedModule(LoadedModule&& other) noexcept : device_(std::exchange(other.device_, nullptr)), id_(other.id_) {}
  LoadedModule& operator=(LoadedModule&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(id_, other.id_);
    return *this;
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule() {
    if (device_ != nullptr) device_->unload(id_);
  }
  [[nodiscard]] ModuleId id() const { return id_; }

 private:
  Device* device_;
  ModuleId id_;
};

class Lab {
 public:
  static constexpr std::uint32_t kThreads = 256;
  static constexpr std::uint32_t kBlocksPerSm = 8;

  /// `image`: lab.cu compiled for the device.
  Lab(Device& device, std::span<const std::byte> image) : device_(device), module_(device, image, "lab") {}

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] std::uint32_t full_grid() const {
    return static_cast<std::uint32_t>(std::max(device_.info().sms, 1)) * kBlocksPerSm;
  }

  template <typename Arguments>
  [[nodiscard]] BoundLaunch bind(std::string_view kernel, const Arguments& arguments, std::uint32_t blocks,
                                 std::uint32_t threads = kThreads) const {
    BoundLaunch launch;
    launch.module = module_.id();
    launch.kernel = kernel;
    launch.grid.x = blocks;
    launch.block.x = threads;
    launch.arguments.emplace_back(sizeof arguments);
    std::memcpy(launch.arguments[0].data(), &arguments, sizeof arguments);
    return launch;
  }
  /// With as many blocks as `items` need, up to a full device; every lab kernel strides over the rest.
  template <typename Arguments>
  [[nodiscard]] BoundLaunch bind_over(std::string_view kernel, const Arguments& arguments, std::int64_t items) const {
    const std::int64_t blocks = std::clamp<std::int64_t>((items + kThreads - 1) / kThreads, 1, full_grid());
    return bind(kernel, arguments, static_cast<std::uint32_t>(blocks));
  }
  template <typename Arguments>
  void run_over(std::string_view kernel, const Arguments& arguments, std::int64_t items) const {
    device_.launch(bind_over(kernel, arguments, items));
  }

 private:
  Device& device_;
  LoadedModule module_;
};

}  // namespace kerlab::device
