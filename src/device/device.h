#pragma once
// A device: allocate, copy, load, launch, time. Three implementations: cuda/ (driver API by dlopen), emu/ (PTX on the
// CPU), script/ (does what a script says: tests, fault injection). One stream, in order; calls are asynchronous unless
// said otherwise.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "plan/counts.h"
#include "plan/device_conditions.h"
#include "plan/device_info.h"
#include "plan/foreign_process.h"
#include "plan/launch_plan.h"

namespace kerlab::device {

/// What went wrong on the device.
enum class FaultKind : std::uint8_t {
  illegal_address,
  misaligned_address,
  trap,
  launch_failed,
  timeout,
  out_of_memory,
  load_failed,
  unsupported,
  other
};
std::string_view name(FaultKind kind);

/// Thrown by every Device call that the device refuses or that finds it broken. After a sticky fault the context is
/// lost: report and end the process.
class DeviceFault : public Error {
 public:
  DeviceFault(FaultKind kind, const std::string& message, bool sticky) : Error(message), kind_(kind), sticky_(sticky) {}
  [[nodiscard]] FaultKind kind() const noexcept { return kind_; }
  [[nodiscard]] bool sticky() const noexcept { return sticky_; }

 private:
  FaultKind kind_;
  bool sticky_;
};

using DevicePtr = std::uint64_t;
using ModuleId = std::uint32_t;
using GraphId = std::uint32_t;
using EventId = std::uint32_t;

/// A launch with its arguments as bytes (pointers are 8, tensor maps 128).
struct BoundLaunch {
  ModuleId module = 0;
  std::string kernel;
  Dim3 grid, block, cluster;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::vector<std::byte>> arguments;
  bool cooperative = false, in_order = false, programmatic = false;  ///< as Launch says
  std::optional<std::int32_t> carveout = {};
};

/// run: as fast as it goes. On an emulated device check executes some blocks only and tells what they wrote; check_all
/// executes all and tells what they wrote; count executes some and counts; check_some executes some even where blocks
/// wait for each other, and gives up soon. Elsewhere all are run.
enum class LaunchMode : std::uint8_t { run, check, check_all, check_some, count, sanitize };

/// Memory that kernels may touch, for mode sanitize: a tensor or a workspace.
struct MemoryRegion {
  std::string name;  ///< "A", "workspace partial"
  DevicePtr begin = 0;
  std::size_t bytes = 0;
  bool written = true;  ///< false: its contents count as never written, until a kernel writes them
};

struct MappedMemory {
  DevicePtr device = 0;
  void* host = nullptr;  ///< visible to the kernel at `device`
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual std::int64_t free_memory() = 0;

  /// 256-byte aligned. Throws DeviceFault(out_of_memory), not sticky.
  virtual DevicePtr allocate(std::size_t bytes) = 0;
  virtual void release(DevicePtr pointer) noexcept = 0;
  virtual MappedMemory allocate_mapped(std::size_t bytes) = 0;
  virtual void release_mapped(const MappedMemory& memory) noexcept = 0;
  virtual void copy_in(DevicePtr target, std::span<const std::byte> source) = 0;  ///< synchronous
  virtual void copy_out(std::span<std::byte> target, DevicePtr source) = 0;       ///< synchronous
  virtual void fill(DevicePtr target, std::uint32_t pattern, std::size_t words) = 0;

  /// Loads eagerly. `label` names the configuration ("reg2d BM=128 BN=64 ..."); a script matches on it.
  virtual ModuleId load(std::span<const std::byte> image, std::string_view label) = 0;
  virtual void unload(ModuleId module) noexcept = 0;
  /// Resources and occupancy of a kernel at this block and dynamic shared size; raises its shared-memory limit.
  virtual KernelResources prepare(ModuleId module, const Launch& launch) = 0;
  /// Checked by tensor_map_error first, so that a bad map fails on every device.
  virtual TensorMap encode(const TensorMapSpec& spec, DevicePtr base) = 0;

  /// For mode sanitize, until the next call: launches may touch these regions and no other memory (guards lie beside
  /// them in the same allocations). No regions: every allocation as a whole, as far as it was written. Other modes and
  /// other devices take no notice.
  virtual void describe_memory(std::vector<MemoryRegion>) {}
  virtual LaunchReport launch(const BoundLaunch& launch, LaunchMode mode = LaunchMode::run) = 0;
  /// A graph of the launches, `repeats` times in sequence.
  virtual GraphId capture(std::span<const BoundLaunch> launches, int repeats) = 0;
  virtual void launch_graph(GraphId graph) = 0;
  virtual void release_graph(GraphId graph) noexcept = 0;

  virtual EventId create_event() = 0;
  virtual void release_event(EventId event) noexcept = 0;
  virtual void record(EventId event) = 0;
  virtual double elapsed_us(EventId from, EventId to) = 0;  ///< both must have completed
  /// Waits for everything; throws the DeviceFault of whatever failed.
  virtual void synchronize() = 0;
  /// Waits for what kernels may have started beside the stream as well.
  virtual void synchronize_all() { synchronize(); }
  /// Power, clocks and throttle reasons now, for the record ("SM 1980 MHz, 312 W, none"); empty when unknown.
  virtual std::string health_text() { return {}; }
  /// Power, temperature and what holds the clocks down now; nothing known: all zero. Takes about a millisecond.
  virtual DeviceConditions conditions() { return {}; }
  /// Who else uses the device now; empty where that cannot be known. Takes milliseconds: not while anything is timed.
  virtual std::vector<ForeignProcess> neighbours() { return {}; }
};

/// Memory that frees itself.
class Allocation {
 public:
  Allocation() = default;
  Allocation(Device& device, std::size_t bytes) : device_(&device), pointer_(device.allocate(bytes)), bytes_(bytes) {}
  Allocation(Allocation&& other) noexcept { *this = std::move(other); }
  Allocation& operator=(Allocation&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation() {
    if (device_ != nullptr) device_->release(pointer_);
  }
  [[nodiscard]] DevicePtr pointer() const { return pointer_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  Device* device_ = nullptr;
  DevicePtr pointer_ = 0;
  std::size_t bytes_ = 0;
};

/// A captured graph that releases itself.
class Graph {
 public:
  Graph(Device& device, GraphId id) : device_(&device), id_(id) {}
  Graph(Graph&& other) noexcept : device_(std::exchange(other.device_, nullptr)), id_(other.id_) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(id_, other.id_);
    return *this;
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (device_ != nullptr) device_->release_graph(id_);
  }
  void launch() const { device_->launch_graph(id_); }

 private:
  Device* device_;
  GraphId id_;
};

/// Opens "cuda:N", "emu:NAME" (a profile of configs/devices/), "script:FILE", "gpu" or "auto". gpu: cuda:0 and nothing
/// else, for whoever must not be given an emulated device. auto: cuda:0 where a driver or a device node is, so that a
/// broken driver is an error; emu:h200 where there is neither.
std::unique_ptr<Device> open_device(const std::string& id);

}  // namespace kerlab::device
