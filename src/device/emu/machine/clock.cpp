#include "device/emu/machine/clock.h"

#include <algorithm>
#include <cstring>

#include "device/emu/machine/warp_state.h"

namespace kerlab::emu {
namespace {

using ptx::Special;

/// Of %globaltimer when a block begins: nanoseconds since 1970 at noon on 2026-01-01. Whoever looks finds a time as on
/// a GPU, and the same one in every run.
constexpr std::uint64_t kTimerBegin = 1'767'268'800'000'000'000;
/// Of %clock64: cycles of an hour or two, as on a GPU that was not switched on just now.
constexpr std::uint64_t kClockBegin = 10'123'456'789'012;

std::uint64_t elapsed(const Warp& warp, const Op& op) {
  return static_cast<std::uint64_t>(static_cast<const WarpState&>(warp).executed + op.immediate);
}

void put(const Warp& warp, const Op& op, std::uint64_t value) {
  std::uint32_t* slot = warp.slots + std::ptrdiff_t{op.slot[0]} * kLanes;
  if (op.width[0] != 64) {
    std::fill_n(slot, kLanes, static_cast<std::uint32_t>(value));
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) std::memcpy(slot + 2 * lane, &value, sizeof value);
}

template <std::uint64_t Begin>
void low(Warp& warp, const Op& op, std::uint32_t) {
  put(warp, op, Begin + elapsed(warp, op));
}
template <std::uint64_t Begin>
void high(Warp& warp, const Op& op, std::uint32_t) {
  put(warp, op, (Begin + elapsed(warp, op)) >> 32);
}

}  // namespace

bool is_clock(Special special) {
  return clock_handler(special) != nullptr;
}

Handler clock_handler(Special special) {
  switch (special) {
    case Special::clock:
    case Special::clock64:
      return low<kClockBegin>;
    case Special::clock_hi:
      return high<kClockBegin>;
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return low<kTimerBegin>;
    case Special::globaltimer_hi:
      return high<kTimerBegin>;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
