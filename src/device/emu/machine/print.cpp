// What the parser leaves of calls of vprintf and __assertfail. The arguments of vprintf lie in a buffer, each at its
// own alignment, float as double (CUDA C++ Programming Guide, "Formatted Output").

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "device/emu/machine/block_runner.h"
#include "device/emu/machine/print_format.h"
#include "device/emu/memory.h"

namespace kerlab::emu {
namespace {

std::uint64_t address_of(const Warp& warp, const Op& op, int operand, int lane) {
  std::uint64_t address = 0;
  const std::uint32_t* const slot = warp.slots + std::ptrdiff_t{op.slot[operand]} * kLanes;
  if (op.width[operand] == 64) {
    std::memcpy(&address, slot + 2 * lane, sizeof address);
  } else {
    address = slot[lane];
  }
  return address;
}

/// The bytes at a generic address; fewer than asked for at the end of their memory, none outside all memory.
std::string read(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes) {
  const auto from = [&](const std::byte* begin, std::uint64_t size, std::uint64_t offset) {
    const std::size_t n = offset < size ? std::min<std::size_t>(bytes, size - offset) : 0;
    return std::string(reinterpret_cast<const char*>(begin) + (n > 0 ? offset : 0), n);
  };
  const Cta& cta = *warp.cta;
  if (address - kSharedWindow < kWindowBytes) {
    return from(cta.shared, cta.shared_bytes, address - kSharedWindow - cta.shared_begin());
  }
  if (address - kLocalWindow < kWindowBytes) {
    const std::byte* const local = warp.local + warp.local_stride * lane;
    return from(local, static_cast<std::uint64_t>(warp.local_stride), address - kLocalWindow);
  }
  const std::optional<AddressRange> range = cta.launch->memory->find(address);
  if (!range) return {};
  return from(reinterpret_cast<const std::byte*>(range->begin), range->end - range->begin, address - range->begin);
}

std::string read_text(const Warp& warp, int lane, std::uint64_t address) {
  constexpr std::size_t kLongest = 4096;
  std::string text = read(warp, lane, address, kLongest);
  return text.substr(0, text.find('\0'));
}

}  // namespace

void BlockRunner::print(WarpState& warp, const Op& op, std::uint32_t lanes) {
  constexpr int kFormat = 1;
  constexpr int kArguments = 2;
  constexpr std::size_t kMostBytes = 32 * 8;  // CUDA takes 32 arguments
  for_lanes(lanes, [&](int lane) {
    const std::string format = read_text(warp, lane, address_of(warp, op, kFormat, lane));
    const std::uint64_t buffer = address_of(warp, op, kArguments, lane);
    const std::string arguments = buffer == 0 ? std::string() : read(warp, lane, buffer, kMostBytes);
    int taken = 0;
    const std::string text = format_printf(
        format, arguments, [&](std::uint64_t address) { return read_text(warp, lane, address); }, taken);
    if (op.slot[0] >= 0) warp.slots[std::ptrdiff_t{op.slot[0]} * kLanes + lane] = static_cast<std::uint32_t>(taken);
    if (*setting_.print) {
      (*setting_.print)(text);
    } else {
      std::fputs(text.c_str(), stderr);
    }
  });
}

void BlockRunner::fail_assertion(WarpState& warp, const Op& op, int lane) {
  std::uint32_t line = 0;
  if (op.slot[2] >= 0) line = warp.slots[std::ptrdiff_t{op.slot[2]} * kLanes + lane];
  const auto text = [&](int operand) { return read_text(warp, lane, address_of(warp, op, operand, lane)); };
  const std::string what = fmt::format("assertion '{}' failed in {}, {}:{}", text(0), text(3), text(1), line);
  raise(FaultKind::trap, warp, op, lane, what.c_str());
}

}  // namespace kerlab::emu
