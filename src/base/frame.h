#pragma once
// The frame format of child processes: 8 bytes little-endian length, then that many bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/child.h"

namespace kerlab {

using FrameHeader = std::array<std::byte, 8>;
FrameHeader frame_header(std::size_t length);

/// Puts frames together from whatever pieces the pipe delivers: read into room(), then say how much was added().
class FrameAssembler {
 public:
  /// Where the next bytes belong; never empty, and never reaching into the next frame.
  [[nodiscard]] std::span<std::byte> room();
  void added(std::size_t count);
  /// Length that the header announces, 0 until it is whole. Check it against kMaximumFrame before reading on.
  [[nodiscard]] std::uint64_t announced() const;
  [[nodiscard]] bool complete() const;
  [[nodiscard]] bool empty() const { return header_got_ == 0; }
  Bytes take();

 private:
  FrameHeader header_{};
  std::size_t header_got_ = 0;
  Bytes body_;
  std::size_t body_got_ = 0;
};

}  // namespace kerlab
