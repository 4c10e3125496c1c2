#include "device/script/scripted_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace kerlab::device {

ScriptedMemory::~ScriptedMemory() {
  for (const auto& [pointer, bytes] : allocations_) munmap(reinterpret_cast<void*>(pointer), bytes);
}

DevicePtr ScriptedMemory::allocate(std::size_t bytes) {
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  void* address = MAP_FAILED;
  if (std::in_range<std::int64_t>(size) && static_cast<std::int64_t>(size) <= free_bytes())
    address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw DeviceFault(FaultKind::out_of_memory,
                      fmt::format("allocating {} bytes: out of memory ({} of {} free); use a smaller problem", size,
                                  free_bytes(), limit_),
                      false);
  const auto pointer = reinterpret_cast<DevicePtr>(address);
  allocations_[pointer] = size;
  used_ += static_cast<std::int64_t>(size);
  return pointer;
}

void ScriptedMemory::release(DevicePtr pointer) noexcept {
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return;
  munmap(reinterpret_cast<void*>(pointer), found->second);
  used_ -= static_cast<std::int64_t>(found->second);
  allocations_.erase(found);
}

bool ScriptedMemory::contains(DevicePtr pointer, std::size_t bytes) const {
  const auto after = allocations_.upper_bound(pointer);
  if (after == allocations_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  const std::uint64_t offset = pointer - begin;
  return offset <= size && bytes <= size - offset;
}

void* ScriptedMemory::at(DevicePtr pointer, std::size_t bytes) const {
  if (!contains(pointer, bytes))
    throw DeviceFault(FaultKind::illegal_address,
                      fmt::format("{} bytes at {:#x} are not in an allocation of the scripted device", bytes, pointer),
                      true);
  return reinterpret_cast<void*>(pointer);
}

}  // namespace kerlab::device
