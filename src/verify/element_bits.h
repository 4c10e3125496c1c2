#pragma once
// Elements out of bytes that were copied off a device: of packed types there are two in one.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/number.h"

namespace kerlab::verify {

/// The bits of element `index` of those that begin with the first byte.
inline std::uint64_t bits_within(std::span<const std::byte> bytes, const lab::Format& format, std::size_t index) {
  std::uint64_t loaded = 0;
  std::memcpy(&loaded, bytes.data() + lab::byte_of(format, index), static_cast<std::size_t>(format.bytes));
  return lab::bits_of_element(format, loaded, index);
}

}  // namespace kerlab::verify
