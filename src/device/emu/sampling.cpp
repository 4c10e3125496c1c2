#include "device/emu/sampling.h"

#include <algorithm>
#include <set>

#include "common/recipe.h"

namespace kerlab::emu {
namespace {

/// Where a fraction (of 2^32) of an axis falls.
std::int64_t scale(std::uint64_t fraction, std::uint32_t extent) {
  return static_cast<std::int64_t>(((fraction & 0xFFFFFFFFu) * extent) >> 32);
}

std::int64_t linear(const Dim3& grid, std::int64_t x, std::int64_t y, std::int64_t z) {
  return (z * grid.y + y) * grid.x + x;
}

}  // namespace

std::vector<std::int64_t> sample_blocks(const Dim3& grid, int count, std::uint64_t seed) {
  const std::int64_t blocks = linear(grid, 0, 0, grid.z);
  const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, blocks));
  std::set<std::int64_t> chosen;
  const auto add = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    if (chosen.size() < wanted) chosen.insert(linear(grid, x, y, z));
  };
  // The last corner, the first, then the mixed ones.
  for (const int corner : {7, 0, 1, 2, 3, 4, 5, 6})
    add((corner & 1) != 0 ? grid.x - 1 : 0, (corner & 2) != 0 ? grid.y - 1 : 0, (corner & 4) != 0 ? grid.z - 1 : 0);
  const lab::u64 key = lab::stream_key(seed, 0);
  const auto draws = static_cast<lab::u64>(64 + 64 * wanted);
  for (lab::u64 draw = 0; draw < draws && chosen.size() < wanted; ++draw) {
    const lab::u64 xy = lab::random_word(key, draw, 0), zz = lab::random_word(key, draw, 1);
    add(scale(xy, grid.x), scale(xy >> 32, grid.y), scale(zz, grid.z));
  }
  // A small grid, nearly all of it wanted: whatever the draws have missed.
  for (std::int64_t block = 0; block < blocks && chosen.size() < wanted; ++block) chosen.insert(block);
  return {chosen.begin(), chosen.end()};
}

std::vector<std::int64_t> sample_clusters(const Dim3& grid, const Dim3& cluster, int count, std::uint64_t seed) {
  const std::int64_t blocks = linear(cluster, 0, 0, cluster.z);
  if (blocks == 1) return sample_blocks(grid, count, seed);
  const Dim3 clusters = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  const std::int64_t wanted = std::max<std::int64_t>((count + blocks - 1) / blocks, 2);
  std::vector<std::int64_t> chosen;
  for (const std::int64_t at : sample_blocks(clusters, static_cast<int>(wanted), seed)) {
    const std::int64_t x = at % clusters.x, y = at / clusters.x % clusters.y, z = at / clusters.x / clusters.y;
    for (std::int64_t rank = 0; rank < blocks; ++rank)
      chosen.push_back(linear(grid, x * cluster.x + rank % cluster.x, y * cluster.y + rank / cluster.x % cluster.y,
                              z * cluster.z + rank / cluster.x / cluster.y));
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace kerlab::emu
