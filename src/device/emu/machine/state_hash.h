#pragma once
// States as one number: those that differ have another one but for a chance of 2^-64.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kerlab::emu {

/// Of all that it is told.
class StateHash {
 public:
  void add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9E3779B97F4A7C15u;
    value_ ^= value_ >> 29;
  }
  void add(const void* from, std::size_t bytes) {
    const auto* at = static_cast<const std::byte*>(from);
    for (; bytes >= 8; at += 8, bytes -= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      add(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, at, bytes);
    add(rest);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace kerlab::emu
