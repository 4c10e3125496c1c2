#include "session/shapes/tiles.h"

#include <algorithm>

namespace kerlab::session {
namespace {

constexpr int kHuge = 1 << 20;  // SMs: more than any grid asks for

}  // namespace

std::vector<std::int64_t> tiles_of(const Family& family, const Variant& variant, const Problem& problem,
                                   const Configuration& configuration, const DeviceInfo& device) {
  const auto blocks_on = [&](int sms) {
    const DeviceInfo other = device.with_sms(sms);
    std::vector<std::int64_t> blocks;
    for (const Launch& launch : instantiate(family, variant, problem, configuration, other).plan.launches)
      blocks.push_back(std::int64_t{launch.grid.x} * launch.grid.y * launch.grid.z);
    return blocks;
  };
  std::vector<std::int64_t> tiles = blocks_on(device.sms);
  try {
    const std::vector<std::int64_t> large = blocks_on(kHuge), larger = blocks_on(2 * kHuge);
    if (large.size() != tiles.size() || larger.size() != tiles.size())
      return std::vector<std::int64_t>(tiles.size(), 0);
    for (std::size_t i = 0; i < tiles.size(); ++i)
      tiles[i] = large[i] <= tiles[i] ? 0 : large[i] == larger[i] ? large[i] : -1;
  } catch (const Error&) {
    std::ranges::fill(tiles, 0);  // no such device can be: then nothing is said of it
  }
  return tiles;
}

}  // namespace kerlab::session
