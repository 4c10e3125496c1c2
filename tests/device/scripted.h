#pragma once
// A scripted device from a few lines of TOML, and launches for it.

#include <cstring>
#include <fstream>

#include "base/temporary_folder.h"
#include "common/lab_abi.h"
#include "device/device.h"
#include "modules.h"

namespace kerlab::test {

class Scripted {
 public:
  explicit Scripted(const std::string& toml) {
    std::ofstream(file()) << toml;
    device_ = open_device("script:" + file().string());
    lab_ = device_->load({}, "lab");
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "script.toml"; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  Device& operator*() { return *device_; }
  Device* operator->() { return device_.get(); }

  /// A launch of `module` with these addresses as arguments.
  static BoundLaunch bound(ModuleId module, const std::vector<DevicePtr>& pointers = {}) {
    BoundLaunch launch;
    launch.module = module;
    launch.kernel = "k";
    launch.block = {128, 1, 1};
    for (const DevicePtr pointer : pointers) launch.arguments.push_back(bytes_of(pointer));
    return launch;
  }
  template <typename Arguments>
  void lab(const std::string& kernel, const Arguments& arguments) {
    BoundLaunch launch;
    launch.module = lab_;
    launch.kernel = kernel;
    launch.block = {256, 1, 1};
    launch.arguments = {bytes_of(arguments)};
    device_->launch(launch);
  }
  template <typename T>
  T read(DevicePtr pointer) {
    T value;
    device_->copy_out(std::as_writable_bytes(std::span(&value, 1)), pointer);
    return value;
  }
  /// What comparing 1000 elements with the reference reports now.
  lab::CompareReport compare(bool exact = false) {
    const Allocation report(*device_, sizeof(lab::CompareReport));
    lab::CompareArguments arguments{};
    arguments.count = 1000;
    arguments.exact = exact ? 1 : 0;
    arguments.report = report.pointer();
    lab("lab_compare", arguments);
    return read<lab::CompareReport>(report.pointer());
  }
  lab::u64 hash(DevicePtr data, lab::i64 bytes) {
    const Allocation report(*device_, sizeof(lab::u64));
    lab::HashArguments arguments{};
    arguments.data = data;
    arguments.bytes = bytes;
    arguments.report = report.pointer();
    lab("lab_hash", arguments);
    return read<lab::u64>(report.pointer());
  }
  lab::u64 damaged_guard_words() {
    const Allocation report(*device_, 2 * sizeof(lab::GuardReport));
    lab::GuardArguments arguments{};
    arguments.words = 1024;
    arguments.slot = 1;
    arguments.report = report.pointer();
    lab("lab_guard_scan", arguments);
    return read<lab::GuardReport>(report.pointer() + sizeof(lab::GuardReport)).damaged;
  }
  /// Time of one launch between two events.
  double time(ModuleId module) {
    const EventId from = device_->create_event(), to = device_->create_event();
    device_->record(from);
    device_->launch(bound(module));
    device_->record(to);
    device_->synchronize();
    return device_->elapsed_us(from, to);
  }

 private:
  template <typename T>
  static std::vector<std::byte> bytes_of(const T& value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  TemporaryFolder folder_;
  std::unique_ptr<Device> device_;
  ModuleId lab_ = 0;
};

}  // namespace kerlab::test
