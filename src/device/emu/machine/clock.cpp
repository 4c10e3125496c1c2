#include "device/emu/machine/clock.h"

#include <algorithm>
#include <cstring>

#include "device/emu/machine/warp_state.h"

namespace kerlab::emu {
namespace {

using ptx::Special;

std::uint64_t now(const Warp& warp, const Op& op) {
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

void low(Warp& warp, const Op& op, std::uint32_t) {
  put(warp, op, now(warp, op));
}
void high(Warp& warp, const Op& op, std::uint32_t) {
  put(warp, op, now(warp, op) >> 32);
}

}  // namespace

bool is_clock(Special special) {
  return clock_handler(special) != nullptr;
}

Handler clock_handler(Special special) {
  switch (special) {
    case Special::clock:
    case Special::clock64:
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return low;
    case Special::clock_hi:
    case Special::globaltimer_hi:
      return high;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
