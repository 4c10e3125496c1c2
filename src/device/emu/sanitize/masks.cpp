// Member masks of collective instructions, and lanes that a shuffle reads.

#include <fmt/format.h>

#include <bit>

#include "device/emu/machine/place.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

/// `lanes` execute it and name `named`; of `others`, which execute it too, some are named here and name others.
void Sanitizer::members(Warp& warp, const Op& op, std::uint32_t lanes, std::uint32_t named, std::uint32_t others) {
  const ptx::Instruction& at = *op.instruction;
  if ((lanes & ~named) != 0) {
    findings_.add(Hazard::warp_mask, &at, nullptr, [&] {
      return fmt::format(
          "{} names members {:#x} and is executed by {} of them not: the mask must hold every lane that "
          "executes it; {}",
          at.text, named, lane_list(lanes & ~named), who(warp, lanes & ~named));
    });
  } else if ((named & others) != 0) {
    findings_.add(Hazard::warp_mask, &at, nullptr, [&] {
      return fmt::format(
          "{} of {} names members {:#x}, but {} of them executes it with another mask: all members must "
          "name the same; {}",
          at.text, lane_list(lanes), named, lane_list(named & others), who(warp, lanes));
    });
  }
}

void Sanitizer::stuck(const Warp& warp, const ptx::Instruction& at, bool collective, std::uint32_t lanes,
                      std::uint32_t missing) {
  findings_.add(collective ? Hazard::warp_mask : Hazard::barrier_divergence, &at, nullptr, [&] {
    return fmt::format(
        "{} ({}) waits in vain: {} are there, but {} of the same warp never come: it stands in divergent "
        "code, or names lanes that it should not; {}",
        at.text, findings_.place(&at), lane_list(lanes), lane_list(missing), who(warp, lanes));
  });
}

namespace {

constexpr const char* kByChance =
    " (__activemask(), behind a branch, promises no lane but itself: __syncwarp() before it, or name the lanes)";

/// The lane that a shuffle reads for `lane` (handlers/warp.inc).
int source_lane(ptx::ShuffleMode mode, int lane, int b, int c) {
  const int offset = b & 31, segment = c >> 8 & 31, most = (lane & segment) | (c & 31 & ~segment);
  int j = 0;
  switch (mode) {
    case ptx::ShuffleMode::up:
      j = lane - offset;
      return j >= most ? j : lane;
    case ptx::ShuffleMode::down:
      j = lane + offset;
      break;
    case ptx::ShuffleMode::bfly:
      j = lane ^ offset;
      break;
    default:
      j = (lane & segment) | (offset & ~segment);
  }
  return j <= most ? j : lane;
}

}  // namespace

void Sanitizer::check_shuffle(Warp& warp, const Op& op, std::uint32_t lanes) {
  const ptx::Instruction& at = *op.instruction;
  const int source = at.has_second_result ? 2 : 1;
  const auto value = [&](int operand, int lane) {
    return static_cast<int>(warp.slots[std::ptrdiff_t{op.slot[operand]} * kLanes + lane]);
  };
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int from = source_lane(at.modifiers.shuffle, lane, value(source + 1, lane), value(source + 2, lane));
    if ((lanes >> (from & 31) & 1) != 0) continue;
    const bool by_chance = (warp.rejoined >> lane & 1) != 0 && warp.parted != 0;
    findings_.add(Hazard::warp_mask, &at, nullptr, [&] {
      return fmt::format(
          "{}: lane {} reads the value of lane {}, which does not execute it ({} do): what it gets is "
          "undefined{}; {}",
          at.text, lane, from & 31, lane_list(lanes), by_chance ? kByChance : "", who(warp, 1u << lane));
    });
    return;
  }
}

}  // namespace kerlab::emu
