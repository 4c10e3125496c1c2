#pragma once
// A device that executes PTX on the CPU (emu/machine) and pretends to be a profile of configs/devices/. Calls are
// synchronous. It has no time of its own: its events tell how long the emulation took, which nobody may show as the
// time of a kernel. A fault of a kernel ends its launch and nothing else, so none is sticky.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/emu/emu_device_module.h"
#include "device/emu/kept_shared.h"
#include "device/emu/memory.h"
#include "device/emu/native_lab.h"
#include "device/emu/sampling.h"
#include "device/emu/sanitize/in_flight.h"

namespace kerlab::emu {

struct EmuOptions {
  int threads = 1;                              ///< that execute blocks
  std::int64_t instruction_budget = 1LL << 28;  ///< warp instructions a block may take; 0: no limit
  int sample_blocks = emu::kSampleBlocks;       ///< of a launch in the modes check and count; 0: all
};
/// KERLAB_EMU_THREADS (default: every core of this process), KERLAB_EMU_BUDGET. Throws UsageError.
EmuOptions emu_options_from_environment();

/// LaunchMode::run and check_all execute every block. check and count execute a sample (sampling.h) of a grid whose
/// blocks do not depend on each other, every block of any other; check and check_all report what was written. A plan of
/// several launches that feed each other must not be sampled: only the caller knows. sanitize executes every block on
/// one thread; a fault is a finding then. Memory that was never written, or last filled with a poison of verify/check.h
/// (all bits set, or 0x7b in every byte), counts as uninitialised.
class EmuDevice final : public Device {
 public:
  EmuDevice(DeviceInfo info, EmuOptions options);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  /// What the pretended device has left, but no more than this machine could hold.
  [[nodiscard]] std::int64_t free_memory() override;

  DevicePtr allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void release(DevicePtr pointer) noexcept override { memory_.release(pointer); }
  MappedMemory allocate_mapped(std::size_t bytes) override;
  void release_mapped(const MappedMemory& memory) noexcept override { memory_.release(memory.device); }
  void copy_in(DevicePtr target, std::span<const std::byte> source) override;
  void copy_out(std::span<std::byte> target, DevicePtr source) override;
  void fill(DevicePtr target, std::uint32_t pattern, std::size_t words) override;

  ModuleId load(std::span<const std::byte> image, std::string_view label) override;
  void unload(ModuleId module) noexcept override { modules_.erase(module); }
  /// Those in global memory.
  [[nodiscard]] std::vector<ModuleVariable> variables(ModuleId id) { return module(id).variables(); }
  /// From now on blocks of launches in the modes check and check_all find what those before them left; or no longer.
  void keep_shared_memory(bool keep);
  /// A digest of what is left now; empty unless it is kept.
  [[nodiscard]] std::string shared_memory_left() const { return kept_shared_ ? kept_shared_->digest() : std::string(); }
  KernelResources prepare(ModuleId module, const Launch& launch) override;
  TensorMap encode(const TensorMapSpec& spec, DevicePtr base) override;

  void describe_memory(std::vector<MemoryRegion> regions) override;
  LaunchReport launch(const BoundLaunch& launch, LaunchMode mode) override;
  GraphId capture(std::span<const BoundLaunch> launches, int repeats) override;
  void launch_graph(GraphId graph) override;
  void release_graph(GraphId graph) noexcept override { graphs_.erase(graph); }

  EventId create_event() override;
  void release_event(EventId event) noexcept override { events_.erase(event); }
  void record(EventId event) override { events_.at(event) = std::chrono::steady_clock::now(); }
  /// How long this machine took to emulate what lies between: no time of a kernel.
  double elapsed_us(EventId from, EventId to) override;
  void synchronize() override {}
  std::string health_text() override;

 private:
  struct Graph {
    std::vector<BoundLaunch> launches;
    int repeats = 1;
  };
  EmuModule& module(ModuleId id);
  void assume_initialised(const BoundLaunch& launch);
  LaunchReport execute(EmuModule& module, const BoundLaunch& launch, LaunchMode mode);
  bool last_block_first();
  emu::Schedule next_schedule();
  std::uint32_t next_held_back();
  bool next_is_impatient();
  bool last_warp_first();
  emu::Schedule next_sanitized();

  DeviceInfo info_;
  EmuOptions options_;
  emu::GlobalMemory memory_;
  NativeLab lab_;
  std::map<ModuleId, EmuModule> modules_;
  std::map<GraphId, Graph> graphs_;
  std::map<EventId, std::optional<std::chrono::steady_clock::time_point>> events_;
  std::vector<MemoryRegion> regions_;
  emu::InFlight in_flight_;                       ///< what the last launch left behind, where it was sanitized
  std::unique_ptr<emu::KeptShared> kept_shared_;  ///< null: blocks find poison
  std::uint32_t next_id_ = 1;
  std::uint64_t ordered_checks_ = 0;    ///< launches to be checked, of kernels in which the order of blocks may show
  std::uint64_t scheduled_checks_ = 0;  ///< the same, of kernels whose blocks wait for each other
  std::uint64_t impatient_checks_ = 0;  ///< all launches to be checked
  std::uint64_t warp_checks_ = 0;       ///< the same, and those in mode sanitize
  std::uint32_t held_back_ = 0;         ///< of those whose blocks wait for each other, in which one was held up
  std::uint64_t sanitized_ = 0;         ///< launches of such kernels in mode sanitize
};

/// Opens "emu:NAME".
std::unique_ptr<Device> open_emu_device(std::string_view name);

}  // namespace kerlab::emu
