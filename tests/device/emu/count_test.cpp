// Costs of accesses against their definition, written without looking: sets of sectors, sets of words in banks.

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

#include "catch.h"
#include "device/emu/handlers/access.h"

namespace kerlab::emu {
namespace {

struct Pattern {
  std::vector<std::uint64_t> offset;
  std::uint32_t mask = ~0u;
  int bytes = 4;
};

/// Ramps, broadcasts, permutations and noise, aligned to what a lane accesses.
Pattern draw(std::mt19937& random) {
  Pattern pattern;
  pattern.bytes = 1 << random() % 6;
  if (random() % 3 == 0) pattern.mask = static_cast<std::uint32_t>(random()) | 1u << random() % 32;
  const auto unit = static_cast<std::uint64_t>(pattern.bytes);
  const std::uint64_t base = random() % 64 * unit, step = random() % 40 * unit;
  const std::uint64_t divide = std::uint64_t{1} << random() % 6, kind = random() % 4;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t noise = random() % 64 * unit;
    const std::uint64_t choices[] = {lane * step, lane / divide * step, lane % divide * step, noise};
    pattern.offset.push_back(base + choices[kind]);
  }
  return pattern;
}

std::set<std::uint64_t> sectors_of(const Pattern& p) {
  std::set<std::uint64_t> sectors;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((p.mask >> lane & 1) != 0) sectors.insert(p.offset[lane] / 32);
  return sectors;
}

/// Lanes [begin, end) in one phase: the most distinct words that any bank holds.
int wavefronts_of(const Pattern& p, unsigned begin, unsigned end) {
  std::set<std::uint64_t> banks[32];
  std::size_t most = 0;
  for (unsigned lane = begin; lane < end; ++lane) {
    if ((p.mask >> lane & 1) == 0) continue;
    for (std::uint64_t at = p.offset[lane] / 4; at <= (p.offset[lane] + static_cast<unsigned>(p.bytes) - 1) / 4; ++at) {
      banks[at % 32].insert(at);
      most = std::max(most, banks[at % 32].size());
    }
  }
  return static_cast<int>(most);
}

bool share(const Pattern& p, unsigned begin, unsigned end, unsigned other) {
  for (unsigned lane = begin; lane < end; ++lane)
    if ((p.mask >> lane & p.mask >> (lane ^ other) & 1) != 0 && p.offset[lane] != p.offset[lane ^ other]) return false;
  return true;
}

/// Wavefronts, and phases with an active lane.
AccessCost shared_cost(const Pattern& p) {
  const unsigned lanes = p.bytes <= 4 ? 32 : 128 / static_cast<unsigned>(p.bytes);
  AccessCost cost;
  for (unsigned begin = 0; begin < 32;) {
    unsigned end = begin + lanes;
    const bool pairs = (p.bytes == 8 || p.bytes == 16) && begin % (2 * lanes) == 0;
    if (pairs && (share(p, begin, end + lanes, 1) || share(p, begin, end + lanes, 2))) end += lanes;
    const int wavefronts = wavefronts_of(p, begin, end);
    cost.taken += wavefronts;
    cost.least += wavefronts > 0 ? 1 : 0;
    begin = end;
  }
  return cost;
}

TEST_CASE("Costs of random accesses are those of the definition", "[emu][memory][count]") {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const Pattern p = draw(random);
    const std::vector<std::uint32_t> narrow(p.offset.begin(), p.offset.end());
    const AccessCost shared = shared_wavefronts(p.offset.data(), p.mask, p.bytes), right = shared_cost(p);
    const std::int64_t bytes = std::int64_t{std::popcount(p.mask)} * p.bytes;
    const AccessCost global = global_sectors(p.offset.data(), p.mask, bytes);
    const AccessCost shared32 = shared_wavefronts(narrow.data(), p.mask, p.bytes);
    const AccessCost global32 = global_sectors(narrow.data(), p.mask, bytes);
    INFO(i << ": " << p.bytes << " bytes, mask " << p.mask << ", lane 0 at " << p.offset[0] << ", 1 at "
           << p.offset[1]);
    REQUIRE(shared.taken == right.taken);
    REQUIRE(shared.least == right.least);
    REQUIRE(global.taken == static_cast<int>(sectors_of(p).size()));
    REQUIRE((global.least >= 1 && global.least <= global.taken));
    REQUIRE((shared32.taken == shared.taken && shared32.least == shared.least));
    REQUIRE((global32.taken == global.taken && global32.least == global.least));
  }
}

TEST_CASE("The fewest sectors are those that the distinct bytes fill", "[emu][memory][count]") {
  const auto least = [](auto of_lane, int bytes, std::uint32_t mask = ~0u) {
    std::uint32_t offset[32];
    for (int lane = 0; lane < 32; ++lane) offset[lane] = static_cast<std::uint32_t>(of_lane(lane));
    const AccessCost cost = global_sectors(offset, mask, std::int64_t{std::popcount(mask)} * bytes);
    return std::vector<int>{cost.taken, cost.least};
  };
  CHECK(least([](int lane) { return 4 * lane; }, 4) == std::vector{4, 4});
  CHECK(least([](int lane) { return 16 + 4 * lane; }, 4) == std::vector{5, 4});
  CHECK(least([](int lane) { return 128 * lane; }, 4) == std::vector{32, 4});
  CHECK(least([](int) { return 64; }, 4) == std::vector{1, 1});
  CHECK(least([](int lane) { return lane / 16 * 4096; }, 4) == std::vector{2, 1});  // two words
  CHECK(least([](int lane) { return lane % 16 * 4; }, 4) == std::vector{2, 2});     // the same twice
  CHECK(least([](int lane) { return 4096 * lane; }, 16, 0x3) == std::vector{2, 1});
}

}  // namespace
}  // namespace kerlab::emu
