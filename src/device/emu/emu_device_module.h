#pragma once
// A module on an emulated device: PTX parsed at once, its variables placed in memory, each kernel lowered when it is
// first prepared or launched.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/emu/image.h"
#include "device/emu/machine/machine.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"
#include "device/module_variables.h"

namespace kerlab::emu {

class EmuModule {
 public:
  struct Kernel {
    const ptx::Kernel* ptx = nullptr;
    emu::ProgramPtr program;
    KernelResources resources;      ///< without occupancy
    bool waits_for_others = false;  ///< has a griddepcontrol.wait
    bool syncs_grid = false;        ///< reads where the driver's workspace of a grid lies: cooperative_groups do
    struct Parameter {
      std::int64_t offset, bytes;
    };
    std::vector<Parameter> parameters;
  };

  /// Throws DeviceFault(load_failed) when the image is not PTX. Of modules labelled "lab" nothing is parsed before a
  /// kernel of it is asked for (most are executed natively). `memory` must outlive the module.
  EmuModule(emu::GlobalMemory& memory, const DeviceInfo& device, std::span<const std::byte> image,
            std::string_view label);

  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] bool is_lab() const { return label_ == "lab"; }
  /// Throws DeviceFault: unsupported (opcode and line), or load_failed when the image has no such kernel.
  const Kernel& kernel(const std::string& wanted);
  /// Those in global memory.
  [[nodiscard]] std::vector<ModuleVariable> variables() const;
  /// What the driver does before a cooperative launch.
  void clear_grid_workspace();
  [[nodiscard]] DevicePtr grid_workspace() const { return reinterpret_cast<DevicePtr>(grid_workspace_.get()); }

 private:
  struct Release {
    emu::GlobalMemory* memory;
    void operator()(std::byte* variables) const noexcept { memory->release(reinterpret_cast<DevicePtr>(variables)); }
  };
  using Variables = std::unique_ptr<std::byte, Release>;

  void parse();
  void place_grid_workspace();
  void place_variables();
  [[nodiscard]] Variables place(std::size_t bytes) const;
  void relocate(std::vector<std::byte>& global_image) const;
  [[nodiscard]] std::string kernel_names() const;
  [[nodiscard]] std::string name_in_image(const std::string& wanted) const;
  [[nodiscard]] KernelResources resources_of(const ptx::Kernel& kernel) const;

  emu::GlobalMemory& memory_;
  const DeviceInfo& device_;
  std::string label_;
  EmulatedImage image_;
  std::optional<ptx::ParseResult> parsed_;
  Variables globals_, constants_, grid_workspace_;
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace kerlab::emu
