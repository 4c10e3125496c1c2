#pragma once
// The extents at which kernels break, and what each of them reaches.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "session/shapes/levels.h"

namespace kerlab::session {

/// A quiet dimension of so few is tried at its most.
inline constexpr std::int64_t kFewAtMost = 256;
/// What heads of attention have.
inline constexpr std::int64_t kHeads[] = {64, 80, 96, 112, 128, 192, 256};

/// The largest power of two, up to `most`, that divides the extent.
std::int64_t power_in(std::int64_t extent, std::int64_t most);
/// Extents that are usual where the default is: a head of 80 may have a way of its own.
bool is_head(std::int64_t extent);

/// Tried where all other dimensions are at their least.
std::set<std::int64_t> extents_alone(const KernelSteps& steps, std::int64_t packet);
/// The extents that are worth a try, whatever is valid.
std::set<std::int64_t> extents_of(const Dimension& dimension, const KernelSteps& steps, std::int64_t wide,
                                  std::int64_t packet, std::int64_t base);
/// Of dimensions that mostly stay at their defaults (batch, heads, a filter's radius, the pages of a cache): fewer, and
/// more, not all of them powers of two; with other heads of queries or of keys the groups that share keys are of
/// several sizes.
std::set<std::int64_t> quiet_extents(const Dimension& dimension, std::int64_t base);
/// What an extent reaches by itself. `unit`: of what all valid extents are multiples; one below a tile is one unit.
/// `packet`: elements in 16 bytes, the least extent of a way that takes whole accesses.
std::vector<std::string> goals_of_extent(const Dimension& dimension, const KernelSteps& steps, std::int64_t wide,
                                         std::int64_t packet, std::int64_t unit, std::int64_t extent);

}  // namespace kerlab::session
