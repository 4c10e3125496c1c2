#pragma once
// What a time is worth: what told it, and what the cache held when the kernel began.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/modules.h"

namespace kerlab::plan {

/// Measured by a GPU, computed from what an emulated device counted, or said by a script.
enum class ClockKind : std::uint8_t { measured, modelled, scripted };
std::string_view name(ClockKind clock);
/// None: no clock is called so.
std::optional<ClockKind> parse_clock_kind(std::string_view name);

enum class CacheState : std::uint8_t { cold, hot };
std::string_view name(CacheState cache);
/// None: no state is called so.
std::optional<CacheState> parse_cache_state(std::string_view name);

/// For archives, which name the last value of an enum.
inline constexpr ClockKind kLastClockKind = ClockKind::scripted;
inline constexpr CacheState kLastCacheState = CacheState::hot;

}  // namespace kerlab::plan
