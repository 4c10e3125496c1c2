#include "device/emu/emu_device_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "plan/kernel_name.h"

namespace kerlab::emu {
namespace {

/// Most threads of a block that the registers allow: warps get registers in units of 256, spread over four partitions.
int threads_by_registers(const DeviceInfo& device, int registers) {
  if (registers <= 0) return device.threads_per_block;
  const int per_warp = (registers * device.warp_size + 255) / 256 * 256;
  const int warps = device.registers_per_block / 4 / per_warp * 4;
  return std::min(device.threads_per_block, warps * device.warp_size);
}

/// cooperative_groups' grid.sync() finds its barrier by two registers that the driver sets: the high and the low half
/// of an address (cooperative_groups/details/driver_abi.h).
constexpr std::size_t kWorkspaceBytes = 256;

bool finds_grid_barrier(const ptx::Kernel& kernel) {
  const auto finds = [](const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::special && operand.special == ptx::Special::envreg2;
  };
  return std::ranges::any_of(kernel.elements, finds) ||
         std::ranges::any_of(kernel.instructions, [&](const ptx::Instruction& instruction) {
           return std::ranges::any_of(instruction.operands, finds);
         });
}

}  // namespace

EmuModule::EmuModule(emu::GlobalMemory& memory, const DeviceInfo& device, std::span<const std::byte> image,
                     std::string_view label)
    : memory_(memory),
      device_(device),
      label_(label),
      globals_(nullptr, {&memory}),
      constants_(nullptr, {&memory}),
      grid_workspace_(nullptr, {&memory}) {
  try {
    image_ = read_emulated_image(image);
  } catch (const Error& error) {
    throw DeviceFault(FaultKind::load_failed, fmt::format("loading {}: {}", label, error.what()), false);
  }
  if (!is_lab()) parse();
}

void EmuModule::place_grid_workspace() {
  if (std::ranges::none_of(parsed_->module.kernels, finds_grid_barrier)) return;
  grid_workspace_ = place(kWorkspaceBytes);
  const auto address = reinterpret_cast<DevicePtr>(grid_workspace_.get());
  clear_grid_workspace();
  memory_.initialised().add(address, address + kWorkspaceBytes);
}

void EmuModule::clear_grid_workspace() {
  if (grid_workspace_) std::memset(grid_workspace_.get(), 0, kWorkspaceBytes);
}

void EmuModule::parse() {
  try {
    parsed_ = ptx::parse(image_.ptx);
  } catch (const ptx::Unsupported& error) {
    throw DeviceFault(FaultKind::unsupported, fmt::format("loading {}: {}", label_, error.what()), false);
  } catch (const Error& error) {
    throw DeviceFault(FaultKind::load_failed, fmt::format("loading {}: {}", label_, error.what()), false);
  }
  place_grid_workspace();
  place_variables();
}

EmuModule::Variables EmuModule::place(std::size_t bytes) const {
  const DevicePtr address = bytes > 0 ? memory_.allocate(bytes) : 0;
  return {reinterpret_cast<std::byte*>(address), {&memory_}};
}

void EmuModule::place_variables() {
  const ptx::Module& module = parsed_->module;
  globals_ = place(module.global_image.size());
  constants_ = place(module.constant_image.size());
  std::vector<std::byte> globals = module.global_image;
  relocate(globals);
  std::ranges::copy(globals, globals_.get());
  std::ranges::copy(module.constant_image, constants_.get());
  const auto written = [&](const Variables& variables, std::size_t bytes) {
    const auto begin = reinterpret_cast<DevicePtr>(variables.get());
    memory_.initialised().add(begin, begin + bytes);
  };
  written(globals_, globals.size());
  written(constants_, module.constant_image.size());
}

void EmuModule::relocate(std::vector<std::byte>& global_image) const {
  for (const ptx::Relocation& relocation : parsed_->module.relocations) {
    const ptx::Symbol& symbol = parsed_->module.globals.at(static_cast<std::size_t>(relocation.symbol));
    const Variables& base = symbol.space == ptx::Space::constant ? constants_ : globals_;
    const DevicePtr address =
        reinterpret_cast<DevicePtr>(base.get()) + static_cast<std::uint64_t>(symbol.offset + relocation.addend);
    std::memcpy(global_image.data() + relocation.at, &address, sizeof address);
  }
}

std::vector<ModuleVariable> EmuModule::variables() const {
  std::vector<ModuleVariable> found;
  if (!parsed_) return found;
  for (const ptx::Symbol& symbol : parsed_->module.globals) {
    const bool constant = symbol.space == ptx::Space::constant;
    if ((symbol.space != ptx::Space::global && !constant) || symbol.bytes == 0) continue;
    const Variables& base = constant ? constants_ : globals_;
    found.push_back({symbol.name, reinterpret_cast<DevicePtr>(base.get()) + static_cast<DevicePtr>(symbol.offset),
                     static_cast<std::size_t>(symbol.bytes), constant});
  }
  return found;
}

std::string EmuModule::kernel_names() const {
  std::string names;
  for (const ptx::Kernel& kernel : parsed_->module.kernels) names += (names.empty() ? "" : ", ") + kernel.name;
  return names.empty() ? "none" : names;
}

KernelResources EmuModule::resources_of(const ptx::Kernel& kernel) const {
  KernelResources resources;
  const auto told = std::ranges::find(image_.kernels, kernel.name, &KernelResources::kernel);
  if (told != image_.kernels.end()) resources = *told;
  resources.kernel = kernel.name;
  resources.static_shared = std::max(resources.static_shared, static_cast<int>(kernel.shared_bytes));
  resources.max_threads = threads_by_registers(device_, resources.registers);
  if (kernel.max_threads > 0) resources.max_threads = std::min(resources.max_threads, kernel.max_threads);
  return resources;
}

/// As it is where no kernel is called so.
std::string EmuModule::name_in_image(const std::string& wanted) const {
  std::vector<std::string> names;
  for (const ptx::Kernel& kernel : parsed_->module.kernels) names.push_back(kernel.name);
  for (const ptx::ParseResult::Failure& failure : parsed_->failures) names.push_back(failure.kernel);
  const auto found = plan::find_kernel(wanted, names);
  return found ? names[*found] : wanted;
}

const EmuModule::Kernel& EmuModule::kernel(const std::string& wanted) {
  if (const auto found = kernels_.find(wanted); found != kernels_.end()) return found->second;
  if (!parsed_) parse();
  const std::string name = name_in_image(wanted);
  const auto failure = std::ranges::find(parsed_->failures, name, &ptx::ParseResult::Failure::kernel);
  if (failure != parsed_->failures.end())
    throw DeviceFault(FaultKind::unsupported, fmt::format("kernel '{}': {}", name, failure->reason), false);
  Kernel kernel;
  kernel.ptx = parsed_->module.find(name);
  if (kernel.ptx == nullptr)
    throw DeviceFault(FaultKind::load_failed,
                      fmt::format("no kernel '{}' in the image; it has {}", wanted, kernel_names()), false);
  try {
    kernel.program = emu::lower(*kernel.ptx, reinterpret_cast<DevicePtr>(globals_.get()),
                                reinterpret_cast<DevicePtr>(constants_.get()), &parsed_->module.files);
  } catch (const ptx::Unsupported& error) {
    throw DeviceFault(FaultKind::unsupported, fmt::format("kernel '{}': {}", name, error.what()), false);
  }
  kernel.resources = resources_of(*kernel.ptx);
  kernel.resources.kernel = wanted;
  kernel.resources.independent_blocks = emu::communication(*kernel.program) == ptx::Communication::none;
  kernel.waits_for_others = std::ranges::any_of(kernel.ptx->instructions, [](const ptx::Instruction& instruction) {
    return instruction.opcode == ptx::Opcode::griddepcontrol && instruction.modifiers.wait;
  });
  kernel.syncs_grid = finds_grid_barrier(*kernel.ptx);
  for (const ptx::Symbol& symbol : kernel.ptx->symbols)
    if (symbol.space == ptx::Space::param) kernel.parameters.push_back({symbol.offset, symbol.bytes});
  std::ranges::sort(kernel.parameters, {}, &Kernel::Parameter::offset);
  return kernels_.emplace(wanted, std::move(kernel)).first->second;
}

}  // namespace kerlab::emu
