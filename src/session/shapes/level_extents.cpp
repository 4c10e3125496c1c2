#include "session/shapes/level_extents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kerlab::session {

namespace {

constexpr std::int64_t kSmallBatch = 3;
constexpr std::int64_t kSomeEights = 40;       // of what may have to be a multiple of 8: less than the next power of 2
constexpr std::int64_t kTriedAtMost = 65'536;  // any other dimension of so few is tried at its most
constexpr std::int64_t kOddRounds = 3;         // who takes rounds in pairs has one left
constexpr std::int64_t kLong[] = {2051, 4099, 2056, 2052, 3072, 4096};  // several rounds of a loop, and a tail

}  // namespace

std::int64_t power_in(std::int64_t extent, std::int64_t most) {
  std::int64_t power = 1;
  while (power < most && extent % (2 * power) == 0) power *= 2;
  return power;
}

bool is_head(std::int64_t extent) {
  return std::ranges::count(kHeads, extent) > 0;
}

std::set<std::int64_t> extents_alone(const KernelSteps& steps, std::int64_t packet) {
  std::set<std::int64_t> extents;
  if (steps.alone > 0) extents.insert({steps.alone - 1, steps.alone + 1, steps.alone + packet});
  for (const std::int64_t share : steps.shares) extents.insert({share - 1, share + 1});
  // A last round that is nearly whole is as long for all lanes, or is not, as it is of no other rest.
  if (steps.round > 0) extents.insert({2 * steps.round - 1, 2 * steps.round - packet});
  return extents;
}

std::set<std::int64_t> extents_of(const Dimension& dimension, const KernelSteps& steps, std::int64_t wide,
                                  std::int64_t packet, std::int64_t base) {
  std::set<std::int64_t> extents = {1, 2, 3, 5, 31, 33, 131, 139, packet, wide, 3 * wide, base};
  extents.insert({dimension.minimum, std::max<std::int64_t>(1, dimension.minimum)});
  for (std::int64_t residue = 0; residue < wide; ++residue) extents.insert(12 * wide + residue);
  for (const std::int64_t step : steps.own)
    for (const std::int64_t by : {-wide, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, wide})
      extents.insert({step + by, 2 * step + by});
  for (const std::int64_t step : steps.own) extents.insert(kOddRounds * step);
  if (!steps.own.empty()) {
    const std::int64_t tile = std::ranges::max(steps.own);
    extents.insert({tile + tile / 4, tile + tile / 2});  // a share of a tile is a warp's
  }
  extents.merge(extents_alone(steps, packet));
  extents.insert(std::begin(kLong), std::end(kLong));
  if (dimension.maximum <= kTriedAtMost) extents.insert(dimension.maximum);
  for (std::int64_t e = dimension.minimum; has_very_few(dimension) && e <= dimension.maximum; ++e) extents.insert(e);
  std::erase_if(extents, [&](std::int64_t extent) { return extent < dimension.minimum || extent > dimension.maximum; });
  return extents;
}

std::set<std::int64_t> quiet_extents(const Dimension& dimension, std::int64_t base) {
  std::set<std::int64_t> extents = {kSmallBatch};
  if (base != 1) extents.insert({1, 2 * base});
  if (base % 16 == 0) extents.insert(base / 2);
  if (base % 8 == 0) extents.insert(kSomeEights);
  if (base % 64 == 0) extents.insert(base / 4 * 3);  // who takes whole tiles alone still meets no power of two
  if (dimension.maximum <= kFewAtMost) extents.insert({dimension.minimum, dimension.maximum});
  for (std::int64_t e = dimension.minimum; has_very_few(dimension) && e <= dimension.maximum; ++e) extents.insert(e);
  std::erase_if(extents, [&](std::int64_t extent) {
    return extent == base || extent < dimension.minimum || extent > dimension.maximum;
  });
  return extents;
}

std::vector<std::string> goals_of_extent(const Dimension& dimension, const KernelSteps& steps, std::int64_t wide,
                                         std::int64_t packet, std::int64_t unit, std::int64_t extent) {
  const std::string& d = dimension.name;
  std::vector<std::string> goals = {fmt::format("{} % {} = {}", d, wide, extent % wide)};
  const std::int64_t largest = steps.own.empty() ? 0 : std::ranges::max(steps.own);
  for (const std::int64_t step : steps.own) {
    if (step <= unit) continue;
    // Not in the first tile: what is wrong in the last only shows where another one lies before it.
    if (extent > step && extent % step == step - unit)
      goals.push_back(fmt::format("{} {} below a multiple of {}", d, unit, step));
    if (extent % step == 0 && extent > 0) goals.push_back(fmt::format("{} a multiple of {}", d, step));
    if (extent % step == 0 && extent / step % 2 == 1 && extent > step)
      goals.push_back(fmt::format("{} an odd number of times {}", d, step));
    if (extent > step && extent % step == unit)
      goals.push_back(fmt::format("{} {} above a multiple of {}", d, unit, step));
    if (step == largest && step % (4 * unit) == 0 && step > wide && extent > step)
      for (const std::int64_t share : {4, 2})
        if (extent % step == step / share)
          goals.push_back(fmt::format("{} {} above a multiple of {}", d, step / share, step));
    if (extent < step) goals.push_back(fmt::format("{} less than {}", d, step));
  }
  if (extent == dimension.minimum) goals.push_back(d + " at its least");
  if (extent == 1) goals.push_back(d + " = 1");
  if (extent == packet && packet > 1) goals.push_back(fmt::format("{} = {}", d, packet));
  if (extent == dimension.maximum) goals.push_back(d + " at its most");
  if (has_very_few(dimension)) goals.push_back(fmt::format("{} = {}", d, extent));
  if (extent > 2048) goals.push_back(d + " long");
  if (extent > 2048 && extent % (8 * unit) != 0) goals.push_back(d + " long and ragged");
  return goals;
}

}  // namespace kerlab::session
