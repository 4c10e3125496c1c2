#include "device/emu/sampling.h"

#include <algorithm>
#include <set>

#include "catch.h"

using namespace kerlab;
using emu::sample_blocks;

namespace {

bool has(const std::vector<std::int64_t>& blocks, std::int64_t block) {
  return std::ranges::find(blocks, block) != blocks.end();
}

/// Where the sampled blocks of an x*y grid lie, corners left out, as fractions of the grid.
std::vector<std::pair<double, double>> places(const Dim3& grid, std::uint64_t seed) {
  std::vector<std::pair<double, double>> found;
  for (const std::int64_t block : sample_blocks(grid, 6, seed)) {
    const std::int64_t x = block % grid.x, y = block / grid.x;
    if ((x != 0 && x + 1 != grid.x) || (y != 0 && y + 1 != grid.y))
      found.emplace_back(double(x) / grid.x, double(y) / grid.y);
  }
  return found;
}

}  // namespace

TEST_CASE("sampling: corners, then others, each once, in order", "[emu][sampling]") {
  const auto blocks = sample_blocks({32, 16, 1}, 6, 1);
  REQUIRE(blocks.size() == 6);
  CHECK(std::ranges::is_sorted(blocks));
  CHECK(std::ranges::adjacent_find(blocks) == blocks.end());
  for (const std::int64_t corner : {0, 31, 15 * 32, 16 * 32 - 1}) CHECK(has(blocks, corner));
  CHECK(sample_blocks({32, 16, 1}, 6, 1) == blocks);
  CHECK(sample_blocks({32, 16, 1}, 6, 2) != blocks);
}

TEST_CASE("sampling: the last corner is the first to be chosen", "[emu][sampling]") {
  CHECK(sample_blocks({5, 3, 2}, 1, 1) == std::vector<std::int64_t>{29});
  CHECK(sample_blocks({5, 3, 2}, 2, 1) == std::vector<std::int64_t>{0, 29});
  const auto corners = sample_blocks({5, 3, 2}, 8, 1);
  CHECK(corners == std::vector<std::int64_t>{0, 4, 10, 14, 15, 19, 25, 29});
}

TEST_CASE("sampling: a small grid is taken whole", "[emu][sampling]") {
  CHECK(sample_blocks({1, 1, 1}, 6, 1) == std::vector<std::int64_t>{0});
  CHECK(sample_blocks({2, 3, 1}, 6, 1) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(sample_blocks({1000, 1, 1}, 1000, 1).size() == 1000);
  CHECK(sample_blocks({7, 1, 1}, 6, 9).size() == 6);
  CHECK(sample_blocks({7, 1, 1}, 0, 9).empty());
}

TEST_CASE("sampling: grids of other tile sizes are looked at in the same places", "[emu][sampling]") {
  const auto coarse = places({16, 16, 1}, 1), fine = places({64, 32, 1}, 1);
  REQUIRE(coarse.size() == 2);
  REQUIRE(fine.size() == 2);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1.0 / 16; };
  for (const auto& place : coarse)
    CHECK(std::ranges::any_of(
        fine, [&](const auto& other) { return near(place.first, other.first) && near(place.second, other.second); }));
}

TEST_CASE("sampling: the largest grid", "[emu][sampling]") {
  const auto blocks = sample_blocks({0x7fffffffu, 65535, 65535}, 6, 1);
  REQUIRE(blocks.size() == 6);
  CHECK(blocks.front() == 0);
  CHECK(blocks.back() < std::int64_t{0x7fffffff} * 65535 * 65535);
}

TEST_CASE("emu: sampling takes whole clusters", "[emu][sampling]") {
  const Dim3 grid = {8, 6, 2}, cluster = {2, 3, 1};
  const std::vector<std::int64_t> blocks = emu::sample_clusters(grid, cluster, 10, 1);
  CHECK(blocks.size() == 12);  // two clusters of six
  CHECK(std::ranges::is_sorted(blocks));
  std::set<std::int64_t> clusters;
  for (const std::int64_t block : blocks) clusters.insert(block / 48 * 8 + block / 8 % 6 / 3 * 4 + block % 8 / 2);
  CHECK(clusters.size() == 2);
  CHECK(clusters.contains(15));  // the last one
  CHECK(emu::sample_clusters(grid, {}, 10, 1) == emu::sample_blocks(grid, 10, 1));
  CHECK(emu::sample_clusters({2, 1, 1}, {2, 1, 1}, 1, 1) == std::vector<std::int64_t>{0, 1});
}
