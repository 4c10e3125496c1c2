#pragma once
// A device that does what a script says (format: script.h): for tests, fault drills and machines without a GPU. It
// loads any image and executes none of it; time is virtual, and kerlab's own kernels report what the script makes true.

#include <map>
#include <optional>

#include "device/cuda/gpu_neighbours.h"
#include "device/device.h"
#include "device/script/lab_kernels.h"
#include "device/script/script.h"
#include "device/script/scripted_memory.h"

namespace kerlab::device {

class ScriptDevice : public Device {
 public:
  explicit ScriptDevice(Script script);

  [[nodiscard]] const DeviceInfo& info() const override { return script_.device; }
  [[nodiscard]] std::int64_t free_memory() override { return memory_.free_bytes(); }

  DevicePtr allocate(std::size_t bytes) override;
  void release(DevicePtr pointer) noexcept override { memory_.release(pointer); }
  MappedMemory allocate_mapped(std::size_t bytes) override;
  void release_mapped(const MappedMemory& memory) noexcept override { memory_.release(memory.device); }
  void copy_in(DevicePtr target, std::span<const std::byte> source) override;
  void copy_out(std::span<std::byte> target, DevicePtr source) override;
  /// Beyond 16 MiB nothing is written: nobody reads it back.
  void fill(DevicePtr target, std::uint32_t pattern, std::size_t words) override;

  ModuleId load(std::span<const std::byte> image, std::string_view label) override;
  void unload(ModuleId module) noexcept override { modules_.erase(module); }
  KernelResources prepare(ModuleId module, const Launch& launch) override;
  TensorMap encode(const TensorMapSpec& spec, DevicePtr base) override;

  LaunchReport launch(const BoundLaunch& launch, LaunchMode mode) override;
  GraphId capture(std::span<const BoundLaunch> launches, int repeats) override;
  void launch_graph(GraphId graph) override;
  void release_graph(GraphId graph) noexcept override { graphs_.erase(graph); }

  EventId create_event() override;
  void release_event(EventId event) noexcept override { events_.erase(event); }
  void record(EventId event) override;
  double elapsed_us(EventId from, EventId to) override;
  void synchronize() override;
  std::string health_text() override;
  std::vector<ForeignProcess> neighbours() override;
  DeviceConditions conditions() override;

 private:
  struct Module {
    std::string label;
    const ScriptRule* rule = nullptr;
    std::int64_t launches = 0, timed_launches = 0;
    bool compared = false;  ///< a result of it has been compared
  };
  struct Graph {
    std::vector<BoundLaunch> launches;
    int repeats = 1;
  };

  void require_alive() const;
  void wait();
  void run(const BoundLaunch& launch);
  void run_configuration(Module& module, const BoundLaunch& launch);
  void happen(Outcome outcome, Module& module, const BoundLaunch& launch);
  void break_down(FaultKind kind, const BoundLaunch& launch);

  Script script_;
  std::optional<Nvml> nvml_;
  std::optional<GpuNeighbours> gpu_neighbours_;
  std::int64_t launches_before_ = 0;  ///< of processes that had the device earlier, so to speak
  ScriptedMemory memory_;
  LabKernels lab_;
  ScriptedDamage damage_;
  std::map<ModuleId, Module> modules_;
  std::map<GraphId, Graph> graphs_;
  std::map<EventId, std::optional<double>> events_;  ///< virtual time of the record, us; none: never recorded
  std::uint32_t next_id_ = 1;
  double now_us_ = 0;
  ModuleId last_configuration_ = 0;  ///< launched last; 0: none
  bool event_since_compare_ = false;
  bool hanging_ = false;
  std::optional<DeviceFault> broken_;  ///< a sticky fault, thrown by everything that waits
};

/// Opens "script:FILE".
std::unique_ptr<Device> open_script_device(const std::filesystem::path& file);

}  // namespace kerlab::device
