#include "plan/time_source.h"

#include <array>

#include "base/enum_words.h"

namespace kerlab::plan {

namespace {

constexpr std::array<std::string_view, 3> kClocks = {"measured", "modelled", "scripted"};
static_assert(static_cast<std::size_t>(kLastClockKind) + 1 == kClocks.size());
constexpr std::array<std::string_view, 2> kCaches = {"cold", "hot"};
static_assert(static_cast<std::size_t>(kLastCacheState) + 1 == kCaches.size());

}  // namespace

std::string_view name(ClockKind clock) {
  return word_of(kClocks, clock);
}

std::optional<ClockKind> parse_clock_kind(std::string_view name) {
  return value_of<ClockKind>(kClocks, name);
}

std::string_view name(CacheState cache) {
  return word_of(kCaches, cache);
}

std::optional<CacheState> parse_cache_state(std::string_view name) {
  return value_of<CacheState>(kCaches, name);
}

}  // namespace kerlab::plan
