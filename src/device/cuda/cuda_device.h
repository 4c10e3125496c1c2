#pragma once
// A GPU through the driver API: the primary context and one stream. Used from the thread that opened it.

#include <functional>
#include <map>
#include <optional>

#include "device/cuda/cuda_fault.h"
#include "device/cuda/cuda_handle.h"
#include "device/cuda/driver_api.h"
#include "device/cuda/gpu_neighbours.h"
#include "device/cuda/image_variables.h"
#include "device/cuda/nvml.h"
#include "device/device.h"
#include "device/module_variables.h"

namespace kerlab::device {

class CudaDevice final : public Device {
 public:
  /// Throws Error: no driver, a broken one, no such GPU, or no context to be had.
  explicit CudaDevice(int ordinal);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::int64_t free_memory() override;

  DevicePtr allocate(std::size_t bytes) override;
  void release(DevicePtr pointer) noexcept override;
  MappedMemory allocate_mapped(std::size_t bytes) override;
  void release_mapped(const MappedMemory& memory) noexcept override;
  void copy_in(DevicePtr target, std::span<const std::byte> source) override;
  void copy_out(std::span<std::byte> target, DevicePtr source) override;
  void fill(DevicePtr target, std::uint32_t pattern, std::size_t words) override;

  ModuleId load(std::span<const std::byte> image, std::string_view label) override;
  void unload(ModuleId module) noexcept override;
  /// Those of its image in global memory.
  [[nodiscard]] std::vector<ModuleVariable> variables(ModuleId module) const;
  KernelResources prepare(ModuleId module, const Launch& launch) override;
  TensorMap encode(const TensorMapSpec& spec, DevicePtr base) override;

  LaunchReport launch(const BoundLaunch& launch, LaunchMode mode) override;
  GraphId capture(std::span<const BoundLaunch> launches, int repeats) override;
  void launch_graph(GraphId graph) override;
  void release_graph(GraphId graph) noexcept override;

  EventId create_event() override;
  void release_event(EventId event) noexcept override;
  void record(EventId event) override;
  double elapsed_us(EventId from, EventId to) override;
  void synchronize() override;
  void synchronize_all() override;
  std::string health_text() override;
  DeviceConditions conditions() override { return nvml_.conditions(info_.uuid); }
  std::vector<ForeignProcess> neighbours() override { return neighbours_.look(); }
  /// For libraries that launch by themselves.
  [[nodiscard]] CUstream stream() const { return stream_.get(); }
  /// A graph of what `queue` puts on the stream. Throws DeviceFault when that cannot be captured.
  GraphId capture_calls(const std::function<void()>& queue);
  /// Joules that the GPU has taken since the driver was loaded, all of its work and idling; nothing without NVML.
  [[nodiscard]] std::optional<double> energy_joules() const { return nvml_.energy_joules(info_.uuid); }

 private:
  struct Function {
    CUfunction handle = nullptr;
    std::vector<std::size_t> parameter_bytes;
    bool parameters_known = false;              ///< false: the driver cannot tell
    std::uint32_t dynamic_shared = 0;           ///< what its limit has been raised to
    std::optional<std::int32_t> carveout = {};  ///< what its preference has been set to
  };
  struct Module {
    CudaHandle<CUmodule> handle;
    std::map<std::string, Function, std::less<>> functions;
    std::vector<ImageVariable> variables = {};
  };

  void check(CUresult result, FaultKind otherwise, std::string_view doing) const;
  void load_functions(CUmodule module, std::string_view label) const;
  [[nodiscard]] std::vector<std::string> kernel_names(CUmodule module) const;
  Function& function(ModuleId module, const std::string& kernel);
  [[nodiscard]] int attribute(const Function& function, CUfunction_attribute which) const;
  void allow_shared(Function& function, std::uint32_t bytes);
  void prefer_shared(Function& function, std::optional<std::int32_t> percent);
  void require_cluster_fits(const Function& function, const Launch& launch);
  void enqueue(const BoundLaunch& launch);

  // Destroyed from the last to the first: objects, stream, context.
  DriverApi api_;
  Nvml nvml_;
  DeviceInfo info_;
  GpuNeighbours neighbours_;
  CudaHandle<CUdevice> context_;
  CudaHandle<CUstream> stream_;
  std::map<ModuleId, Module> modules_;
  std::map<GraphId, CudaHandle<CUgraphExec>> graphs_;
  std::map<EventId, CudaHandle<CUevent>> events_;
  std::uint32_t next_id_ = 1;
  std::string last_kernel_;  ///< a fault shows later; this is the best guess at whose it is
};

}  // namespace kerlab::device
