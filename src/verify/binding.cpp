#include "verify/binding.h"

#include <fmt/format.h>

#include <cstring>

namespace kerlab::verify {
namespace {

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Turns one argument into the bytes that the kernel gets.
class ArgumentBinder {
 public:
  ArgumentBinder(Device& device, const Launch& launch, const Addresses& addresses, const ReferenceSlots& slots)
      : device_(device), launch_(launch), addresses_(addresses), slots_(slots) {}

  std::vector<std::byte> operator()(const ScalarArgument& a) const { return a.bytes; }
  std::vector<std::byte> operator()(const TensorArgument& a) const { return pointer(a.tensor, a.offset_bytes); }
  std::vector<std::byte> operator()(const WorkspaceArgument& a) const { return pointer(a.workspace, a.offset_bytes); }
  std::vector<std::byte> operator()(const TensorMapArgument& a) const {
    return bytes_of(device_.encode(a.map, address(a.map.tensor)));
  }
  std::vector<std::byte> operator()(ReferenceSlot slot) const {
    switch (slot) {
      case ReferenceSlot::index:
        return bytes_of(slots_.index);
      case ReferenceSlot::count:
        return bytes_of(slots_.count);
      case ReferenceSlot::value:
        return bytes_of(slots_.value);
      case ReferenceSlot::scale:
        return bytes_of(slots_.scale);
      case ReferenceSlot::error:
        return bytes_of(slots_.error);
      case ReferenceSlot::code:
        break;
    }
    return bytes_of(slots_.code);
  }

 private:
  [[nodiscard]] DevicePtr address(const std::string& name) const {
    const auto found = addresses_.find(name);
    if (found != addresses_.end()) return found->second;
    throw Error(fmt::format("kernel '{}': argument '{}' is neither a tensor nor a workspace of the problem",
                            launch_.kernel, name));
  }
  [[nodiscard]] std::vector<std::byte> pointer(const std::string& name, std::int64_t offset) const {
    return bytes_of(address(name) + static_cast<DevicePtr>(offset));
  }

  Device& device_;
  const Launch& launch_;
  const Addresses& addresses_;
  const ReferenceSlots& slots_;
};

}  // namespace

BoundLaunch bind_launch(Device& device, ModuleId module, const Launch& launch, const Addresses& addresses,
                        const ReferenceSlots& slots) {
  BoundLaunch bound;
  bound.module = module;
  bound.kernel = launch.kernel;
  bound.grid = launch.grid;
  bound.block = launch.block;
  bound.cluster = launch.cluster;
  bound.dynamic_shared = launch.dynamic_shared;
  bound.cooperative = launch.cooperative;
  bound.in_order = launch.in_order;
  bound.programmatic = launch.programmatic;
  bound.carveout = launch.carveout;
  const ArgumentBinder binder(device, launch, addresses, slots);
  for (const Argument& argument : launch.arguments) bound.arguments.push_back(std::visit(binder, argument));
  return bound;
}

}  // namespace kerlab::verify
