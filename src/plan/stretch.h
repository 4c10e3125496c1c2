#pragma once
// Straight-line code as an emulated launch executed it: what a time model must know of waiting, which sums of
// instructions do not tell.

#include <cstdint>
#include <optional>

#include "base/modules.h"

namespace kerlab::plan {

/// Code without a branch or barrier inside.
struct Stretch {
  std::int64_t executions = 0;    ///< by warps, of the blocks run
  std::int32_t instructions = 0;  ///< of PTX, without moves, which mostly vanish in SASS
  std::int32_t chain = 0;         ///< cycles until its last instruction has its operands: see measure_chain()
  std::optional<std::int32_t> awaited = {};  ///< instructions from its last cp.async to the wait for that one, if any
  std::int32_t loads = 0;                    ///< waits for global memory in that chain, each of latency::kGlobal
  std::optional<std::int32_t> pending = {};  ///< groups of cp.async left on their way by its wait for an earlier one
  std::int32_t held = 0;                     ///< registers wanted where it wants most
  std::int32_t fetched = 0;                  ///< of these, loaded from global memory and not used yet
  std::int32_t commits = 0;  ///< groups of cp.async that it begins, and bytes that it lets an mbarrier expect
  bool operator==(const Stretch&) const = default;
};

/// Cycles until a result may be used, of what the chain of a stretch is made of. Sources: microbenchmarks of sm_80 and
/// sm_90 (Abdelkhalik et al. 2022, Luo et al. 2024: arithmetic 4, shared 23 to 33, mma m16n8k16 about 33, L2 about
/// 260); global memory as fitted to recorded sweeps (see model/time_model.h).
namespace latency {
inline constexpr std::int32_t kArithmetic = 4;
inline constexpr std::int32_t kConversion = 8;
inline constexpr std::int32_t kSpecial = 18;
inline constexpr std::int32_t kFp64 = 8;
inline constexpr std::int32_t kShuffle = 24;
inline constexpr std::int32_t kShared = 30;
inline constexpr std::int32_t kLocal = 40;
inline constexpr std::int32_t kTensor = 33;
inline constexpr std::int32_t kGlobal = 800;
}  // namespace latency

}  // namespace kerlab::plan
