#pragma once
// What a launch leaves behind that the next one may overlap, where that one is programmatic: it begins before this one
// has ended, and griddepcontrol.wait alone orders the two.

#include "device/emu/sanitize/byte_ranges.h"
#include "device/emu/sanitize/clock.h"

namespace kerlab::emu {

/// Bytes of global memory that may still be written, or read, when the next launch begins.
struct InFlight {
  ByteRanges written, read;
};

/// All launches before this one as one actor, of a cluster that no launch has.
inline constexpr std::uint32_t kClusterBefore = (1u << (32 - kActorBits)) - 1;
inline constexpr ActorId kLaunchBefore = kClusterBefore << kActorBits;

}  // namespace kerlab::emu
