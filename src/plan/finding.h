#pragma once
// What the sanitizer of an emulated device found in a launch: plain data that travels from worker to parent.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::plan {

enum class Hazard : std::uint8_t {
  out_of_bounds,
  misaligned,
  uninitialised,
  shared_race,
  global_race,
  warp_mask,        ///< shuffle, vote, ...: the member mask omits the caller, or lanes disagree
  proxy_fence,      ///< generic and async proxy without a fence between
  wgmma_in_flight,  ///< accumulators or operands touched before wait_group
  async_overwrite,  ///< a copy writes what is still read
  transaction,      ///< phase or transaction count of an mbarrier
  early_exit,       ///< a block ended that its cluster still signals or reads, or with copies under way
  deadlock,
  barrier_divergence,
  other
};
std::string_view name(Hazard hazard);  ///< "shared-memory race"

/// A place in the source: of the CUDA source when the image has line information, else of the PTX.
struct CodeLine {
  std::string file = {};  ///< empty: unknown
  std::int32_t line = 0, ptx_line = 0;
  std::string caller_file = {};  ///< of an inlined function: where the kernel calls it, in the end; else empty
  std::int32_t caller_line = 0;
  bool operator==(const CodeLine&) const = default;
};

/// Equal ones (hazard, both lines) are one finding with a count.
struct Finding {
  Hazard hazard = Hazard::other;
  std::string message;   ///< one sentence: what, whose, where; block, warp and lane of the first occurrence
  CodeLine line, other;  ///< `other`: the second party of a race, else without a line
  std::int64_t count = 1;
  bool operator==(const Finding&) const = default;
};
inline constexpr Hazard kLastHazard = Hazard::other;

}  // namespace kerlab::plan
