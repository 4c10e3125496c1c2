#pragma once
// A module on an emulated device: PTX parsed at once, its variables placed in memory, each kernel lowered when it is
// first prepared or launched.

#include <map>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/emu/image.h"
#include "device/emu/machine/machine.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"

namespace kerlab {

class EmuModule {
 public:
  struct Kernel {
    const ptx::Kernel* ptx = nullptr;
    emu::ProgramPtr program;
    KernelResources resources;  ///< without occupancy
    struct Parameter {
      std::int64_t offset, bytes;
    };
    std::vector<Parameter> parameters;
  };

  /// Throws DeviceFault(load_failed) when the image is not PTX. Of modules labelled "lab" nothing is parsed before a
  /// kernel of it is asked for (most are executed natively). `memory` must outlive the module.
  EmuModule(emu::GlobalMemory& memory, const DeviceInfo& device, std::span<const std::byte> image,
            std::string_view label);
  ~EmuModule();
  EmuModule(const EmuModule&) = delete;
  EmuModule& operator=(const EmuModule&) = delete;

  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] bool is_lab() const { return label_ == "lab"; }
  /// Throws DeviceFault: unsupported (opcode and line), or load_failed when the image has no such kernel.
  const Kernel& kernel(const std::string& name);

 private:
  void parse();
  void place_variables();
  void relocate(std::vector<std::byte>& global_image) const;
  [[nodiscard]] std::string kernel_names() const;
  [[nodiscard]] KernelResources resources_of(const ptx::Kernel& kernel) const;

  emu::GlobalMemory& memory_;
  const DeviceInfo& device_;
  std::string label_;
  EmulatedImage image_;
  std::optional<ptx::ParseResult> parsed_;
  DevicePtr globals_ = 0, constants_ = 0;
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace kerlab
