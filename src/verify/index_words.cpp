// Sets of indices in words.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "verify/error_map.h"

namespace kerlab::verify {
namespace {

constexpr std::size_t kMostListed = 6;
constexpr std::int64_t kLongestPeriod = 256;

constexpr double kNearly = 0.75;

/// Indices with these rests: [low, high] of every `period`.
struct Rhythm {
  std::int64_t low = 0, high = 0, period = 0;
};

bool is_nearly(const std::vector<std::int64_t>& indices, std::int64_t all) {
  return static_cast<double>(indices.size()) >= kNearly * static_cast<double>(all);
}

std::int64_t count_of(const Rhythm& rhythm, std::int64_t extent) {
  std::int64_t count = 0;
  for (std::int64_t rest = rhythm.low; rest <= rhythm.high; ++rest)
    count += (extent - rest + rhythm.period - 1) / rhythm.period;
  return count;
}

/// The shortest rhythm that they nearly fill.
std::optional<Rhythm> rhythm_of(const std::vector<std::int64_t>& indices, std::int64_t extent) {
  for (std::int64_t period = 2; period <= kLongestPeriod && 2 * period <= extent; period *= 2) {
    Rhythm rhythm{period, -1, period};
    for (const std::int64_t index : indices) {
      rhythm.low = std::min(rhythm.low, index % period);
      rhythm.high = std::max(rhythm.high, index % period);
    }
    if (rhythm.high - rhythm.low + 1 < period && is_nearly(indices, count_of(rhythm, extent))) return rhythm;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> completed(const std::vector<std::int64_t>& indices, std::int64_t extent) {
  if (indices.size() < 2) return indices;
  std::vector<std::int64_t> all;
  if (is_nearly(indices, indices.back() - indices.front() + 1)) {
    for (std::int64_t i = indices.front(); i <= indices.back(); ++i) all.push_back(i);
    return all;
  }
  const auto rhythm = rhythm_of(indices, extent);
  if (!rhythm) return indices;
  for (std::int64_t i = 0; i < extent; ++i)
    if (i % rhythm->period >= rhythm->low && i % rhythm->period <= rhythm->high) all.push_back(i);
  return all;
}

IndexWords describe_indices(const std::vector<std::int64_t>& indices, std::int64_t extent, const std::string& name) {
  const auto count = static_cast<std::int64_t>(indices.size());
  if (count == 0 || count == extent) return {};
  const std::int64_t first = indices.front(), last = indices.back();
  if (count == 1) {
    if (first == 0) return {"first " + name};
    return {first == extent - 1 ? "last " + name : fmt::format("{} {}", name, first)};
  }
  if (last - first + 1 == count) {
    if (last == extent - 1) return {fmt::format("{}s from {} on (the last {})", name, first, count)};
    if (first == 0) return {fmt::format("{}s up to {}", name, last)};
    return {fmt::format("{}s {}..{}", name, first, last)};
  }
  if (const auto rhythm = rhythm_of(indices, extent); rhythm && count_of(*rhythm, extent) == count)
    return {rhythm->low == rhythm->high
                ? fmt::format("{}s {} of every {}", name, rhythm->low, rhythm->period)
                : fmt::format("{}s {}..{} of every {}", name, rhythm->low, rhythm->high, rhythm->period),
            true};
  const bool complete = indices.size() <= kMostListed;
  const std::vector<std::int64_t> listed(
      indices.begin(), complete ? indices.end() : indices.begin() + static_cast<std::ptrdiff_t>(kMostListed));
  return {fmt::format("{}s {}{}", name, fmt::join(listed, ", "),
                      complete ? "" : fmt::format(" and {} more", indices.size() - kMostListed)),
          false, complete};
}

}  // namespace kerlab::verify
