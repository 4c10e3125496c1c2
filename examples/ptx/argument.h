#pragma once
// What `--arg` says: a buffer in device memory, or a scalar passed by value.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptx_example {

/// A type of values: "f32"; its size in bytes.
struct ValueType {
  std::string_view name;
  std::size_t bytes = 0;
};

struct Argument {
  bool is_buffer = false;
  ValueType type;
  std::size_t count = 1;         ///< of values
  std::vector<std::byte> bytes;  ///< what it holds before the launch
};

/// "buffer:f32:1024", "buffer:f32:1024:FILL" or "i32:1024". FILL: a number, `index` (0, 1, 2, ...), `random` (in
/// [-1, 1), of integers in [-8, 8); always the same), or @FILE with the bytes themselves; 0 where it is not given.
/// Throws kerlab::UsageError, which says what was expected.
Argument read_argument(const std::string& text);

/// The value at `place` as a decimal number; floats so that they can be read back exactly.
std::string value_text(const ValueType& type, const std::byte* place);

}  // namespace ptx_example
