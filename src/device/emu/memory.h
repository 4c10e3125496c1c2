#pragma once
// Global memory of an emulated device: one reserved range of address space (decision 15), allocations in it with
// unreadable pages between them. Memory costs nothing until it is touched and reads as zero.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "device/device.h"
#include "device/emu/sanitize/byte_ranges.h"
#include "plan/counts.h"

namespace kerlab::emu {

class GlobalMemory {
 public:
  /// `limit_bytes`: of the device. Reserves address space only. Throws Error when the host refuses.
  explicit GlobalMemory(std::int64_t limit_bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// 256-byte aligned, zero. Throws DeviceFault(out_of_memory), not sticky, beyond the limit.
  DevicePtr allocate(std::size_t bytes);
  /// The pages are given back; the addresses are not used again soon.
  void release(DevicePtr pointer) noexcept;
  [[nodiscard]] std::int64_t free_bytes() const;

  /// The allocation that contains the address. Thread-safe while nothing is allocated or released.
  [[nodiscard]] std::optional<AddressRange> find(std::uint64_t address) const;
  /// The allocation that ends last before the address, for messages.
  [[nodiscard]] std::optional<AddressRange> before(std::uint64_t address) const;
  /// What the part that begins there is called; empty when none does.
  [[nodiscard]] std::string name_of(std::uint64_t begin) const;
  /// Until the next call: of an allocation that holds such parts nothing else is found.
  void show_parts(const std::vector<MemoryRegion>& parts);
  /// Throws DeviceFault(illegal_address) unless [address, address + bytes) lies in one allocation.
  [[nodiscard]] std::byte* at(std::uint64_t address, std::size_t bytes) const;

  /// Bytes that somebody has written, for the sanitizer: whoever writes from the host, or lets a kernel write that
  /// nobody watches, adds to them.
  [[nodiscard]] ByteRanges& initialised() { return initialised_; }

 private:
  /// The next gap that holds so many bytes and a guard after them, from next_ on, then from the beginning.
  [[nodiscard]] std::optional<std::uint64_t> find_place(std::uint64_t bytes) const;

  std::byte* base_ = nullptr;
  std::size_t reserved_ = 0;
  std::int64_t limit_ = 0, used_ = 0;
  struct Part {
    std::uint64_t end = 0;
    std::string name;
  };
  std::map<std::uint64_t, std::uint64_t> allocations_;  ///< begin -> end
  std::map<std::uint64_t, Part> parts_;                 ///< by begin; none overlap
  ByteRanges initialised_;
  std::uint64_t next_ = 0;  ///< after the newest allocation and its guard
};

/// Parts are shown as long as it lives.
class ShownParts {
 public:
  ShownParts(GlobalMemory& memory, const std::vector<MemoryRegion>& parts) : memory_(memory) {
    memory.show_parts(parts);
  }
  ~ShownParts() { memory_.show_parts({}); }
  ShownParts(const ShownParts&) = delete;
  ShownParts& operator=(const ShownParts&) = delete;

 private:
  GlobalMemory& memory_;
};

}  // namespace kerlab::emu
