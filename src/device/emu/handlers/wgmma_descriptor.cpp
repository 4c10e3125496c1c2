#include "device/emu/handlers/wgmma_descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "device/emu/machine/cta.h"

namespace kerlab::emu {
namespace {

/// Bytes that are swizzled together: the pitch of a row (K-major) or of k (MN-major).
constexpr std::uint32_t span(MatrixSwizzle swizzle) {
  return swizzle == MatrixSwizzle::none ? 16 : 256u >> static_cast<int>(swizzle);
}

std::string fields(const MatrixDescriptor& d) {
  constexpr const char* kNames[] = {"none", "128B", "64B", "32B"};
  return fmt::format(
      "descriptor {:#018x}: start {:#x}, leading offset {}, stride offset {}, base offset {}, swizzle {}", d.bits,
      d.start, d.leading, d.stride, d.base, kNames[static_cast<int>(d.swizzle)]);
}

[[noreturn]] void fail(FaultKind kind, const Warp& warp, const Op& op, char operand, const MatrixDescriptor& d,
                       const std::string& what) {
  raise(kind, warp, op, 0, fmt::format("{} of matrix {}; {}", what, operand, fields(d)).c_str());
}

}  // namespace

MatrixDescriptor::MatrixDescriptor(std::uint64_t descriptor) : bits(descriptor) {
  const auto field = [&](int at) { return static_cast<std::uint32_t>(descriptor >> at & 0x3fff) << 4; };
  start = field(0);
  leading = field(16);
  stride = field(32);
  base = static_cast<std::uint32_t>(descriptor >> 49 & 7);
  swizzle = static_cast<MatrixSwizzle>(descriptor >> 62);
}

void find_chunks(const MatrixDescriptor& d, const MatrixPart& part, MatrixChunks& chunks) {
  const std::uint32_t pitch = span(d.swizzle), pattern = pitch / 16 - 1;
  chunks.begin = ~0u;
  chunks.end = 0;
  std::uint32_t* to = chunks.offset;
  const auto put = [&](std::uint32_t at) {
    // The swizzle is an exclusive or of address bits: 128-byte rows by their number modulo 8, and so on.
    at ^= (((at >> 7) - d.base) & pattern) << 4;
    chunks.begin = std::min(chunks.begin, at);
    chunks.end = std::max(chunks.end, at + 16);
    *to++ = at;
  };
  const auto first = static_cast<std::uint32_t>(part.first), last = first + static_cast<std::uint32_t>(part.rows);
  if (!part.column) {
    const std::uint32_t next = d.swizzle == MatrixSwizzle::none ? d.leading : 16;
    for (std::uint32_t row = first; row < last; ++row) {
      const std::uint32_t at = d.start + row / 8 * d.stride + row % 8 * pitch;
      put(at);
      put(at + next);
    }
    return;
  }
  // Without a swizzle the two offsets change places.
  const bool plain = d.swizzle == MatrixSwizzle::none;
  const std::uint32_t across = plain ? d.stride : d.leading, along = plain ? d.leading : d.stride;
  for (std::uint32_t bytes = 2 * first; bytes < 2 * last; bytes += 16) {
    const std::uint32_t at = d.start + bytes / pitch * across + bytes % pitch;
    for (std::uint32_t k = 0; k < 16; ++k) put(at + k / 8 * along + k % 8 * pitch);
  }
}

void find_checked_chunks(const Warp& warp, const Op& op, char operand, const MatrixDescriptor& d,
                         const MatrixPart& part, MatrixChunks& chunks) {
  find_chunks(d, part, chunks);
  if (chunks.end > warp.cta->shared_bytes || chunks.begin >= chunks.end) {
    fail(FaultKind::illegal_address, warp, op, operand, d,
         fmt::format("reads bytes {:#x} to {:#x}, outside the block's {} bytes of shared memory,", chunks.begin,
                     chunks.end, warp.cta->shared_bytes));
  }
}

void raise_wgmma(const Warp& warp, const Op& op, int lane, const char* what) {
  raise(FaultKind::launch_failed, warp, op, lane, what);
}

bool in_warpgroup(const Warp& warp) {
  const Dim3& block = warp.cta->launch->block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return (warp.index / 4 + 1) * std::uint64_t{4 * kLanes} <= threads;
}

}  // namespace kerlab::emu
