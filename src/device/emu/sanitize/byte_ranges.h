#pragma once
// A set of bytes of device memory, as disjoint ranges.

#include <cstdint>
#include <map>

#include "base/modules.h"

namespace kerlab::emu {

class ByteRanges {
 public:
  void add(std::uint64_t begin, std::uint64_t end);
  void add(const ByteRanges& others);
  /// Of the 64 bytes from `address` on those whose bit is set.
  void add_bits(std::uint64_t address, std::uint64_t bits);
  void remove(std::uint64_t begin, std::uint64_t end);
  /// Which of the 64 bytes from `address` on are in the set: bit i is byte i.
  [[nodiscard]] std::uint64_t mask(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< begin -> end; none touch
};

}  // namespace kerlab::emu
