#include "session/shapes/far_tries.h"

#include <algorithm>

#include "plan/sparse_tensor.h"

namespace kerlab::session {

namespace {

// Of the other dimensions, where they are no shorter: no power of two, so that an offset of 32 bits does not lead to
// the same place of another row or matrix; whole tiles for those who take no others.
constexpr std::int64_t kShort[] = {264, 520, 256, 512};
constexpr std::int64_t kFew = 8;                            // so long that several of them are far from each other
constexpr std::int64_t kLongOfTwo = std::int64_t{1} << 17;  // nobody keeps it in 16 bits
constexpr std::int64_t kFewOfWhole = 3;                     // of a batch

/// What the other dimensions of samples may be. Quiet ones are 1, and as asked for, since there are tensors that are
/// short without them: the side of a block, a filter's radius.
std::vector<Extents> short_extents(const Family& family, const Problem& asked) {
  std::vector<Extents> all;
  for (const bool quiet_is_own : {false, true})
    for (const std::int64_t most : {std::int64_t{0}, kShort[0], kShort[1], kShort[2], kShort[3], kFew}) {
      Extents extents;
      for (std::size_t d = 0; d < asked.dimensions.size(); ++d) {
        const Dimension& dimension = family.dimensions[d];
        const std::int64_t own = asked.dimensions[d].second, few = quiet_is_own ? own : std::min<std::int64_t>(own, 1);
        const std::int64_t extent = dimension.quiet ? few : most == 0 ? std::min(own, kShort[0]) : most;
        extents[dimension.name] = std::clamp(extent, dimension.minimum, dimension.maximum);
      }
      if (std::ranges::find(all, extents) == all.end()) all.push_back(std::move(extents));
    }
  return all;
}

/// Each dimension alone, and pairs of those that are not quiet.
std::vector<std::vector<std::string>> directions(const Family& family) {
  std::vector<std::vector<std::string>> all;
  const auto& dimensions = family.dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    all.push_back({dimensions[i].name});
    for (std::size_t j = i + 1; j < dimensions.size(); ++j)
      if (!dimensions[i].quiet && !dimensions[j].quiet) all.push_back({dimensions[i].name, dimensions[j].name});
  }
  return all;
}

}  // namespace

std::vector<FarTry> tries_of_samples(const Family& family, const Problem& asked, double elements) {
  std::vector<FarTry> tries;
  for (const Extents& others : short_extents(family, asked))
    for (const std::vector<std::string>& along : directions(family)) tries.push_back({others, along, elements});
  return tries;
}

std::vector<FarTry> tries_of_whole(const Family& family, const Problem& asked, bool alone) {
  // What wide loads and tensor maps ask for, rows of whole 16 bytes.
  const std::int64_t step = std::max<std::int64_t>(8, elements_in(asked.dtype, 16));
  const bool has_quiet = std::ranges::any_of(family.dimensions, &Dimension::quiet);
  std::vector<FarTry> tries;
  for (std::int64_t times = 1; times <= (has_quiet ? 2 : 1); ++times)
    for (const Dimension& second : family.dimensions)
      for (const Dimension& along : family.dimensions) {
        if (second.quiet || along.quiet || alone != (second.name == along.name)) continue;
        Extents extents;
        for (std::size_t d = 0; d < asked.dimensions.size(); ++d) {
          const Dimension& dimension = family.dimensions[d];
          const std::int64_t extent = dimension.quiet ? std::min(asked.dimensions[d].second * times, kFewOfWhole)
                                      : dimension.name == second.name ? kLongOfTwo + step
                                                                      : step;
          extents[dimension.name] = std::clamp(extent, dimension.minimum, dimension.maximum);
        }
        tries.push_back({std::move(extents), {along.name}, static_cast<double>(times * kFarElements)});
      }
  return tries;
}

}  // namespace kerlab::session
