#include "device/emu/async/register_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/emu/async/shared_place.h"

namespace kerlab::emu {
namespace {

[[noreturn]] void fail(const WarpState& warp, const Op& op, const std::string& what) {
  raise(FaultKind::launch_failed, warp, op, 0, what.c_str());
}

}  // namespace

void set_register_limit(std::vector<WarpState>& warps, WarpState& warp, const Op& op) {
  const auto limit = static_cast<std::uint32_t>(lane_value({&warp, &op, 0}, 0));
  if (limit < 24 || limit > 256 || limit % 8 != 0) {
    fail(warp, op, fmt::format("asks for {} registers; multiples of 8 from 24 to 256 are possible", limit));
  }
  if (warps.size() % kWarpgroup != 0) fail(warp, op, "needs blocks of whole warpgroups: 128, 256, ... threads");
  const bool increase = op.instruction->modifiers.increase;
  if (warp.register_limit != 0 && (increase ? limit < warp.register_limit : limit > warp.register_limit)) {
    fail(warp, op, fmt::format("goes from {} registers to {}: the wrong direction", warp.register_limit, limit));
  }
  warp.register_limit = limit;
  warp.register_limit_op = &op;
  std::int64_t sum = 0;
  for (const WarpState& other : warps) sum += std::int64_t{other.register_limit} * kLanes;
  const auto threads = static_cast<std::int64_t>(warps.size()) * kLanes;
  const std::int64_t pool = std::min<std::int64_t>(kRegisterFile / threads / 8 * 8, 256) * threads;
  if (sum <= pool) return;
  fail(warp, op, fmt::format("takes the warps of the block to {} registers together; there are {}", sum, pool));
}

void check_register_limits(const std::vector<WarpState>& warps) {
  for (const WarpState& warp : warps) {
    const WarpState& first = warps[warp.index / kWarpgroup * kWarpgroup];
    if (warp.register_limit == first.register_limit) continue;
    const bool first_more = first.register_limit_op != nullptr;
    const WarpState& executed = first_more ? first : warp;
    fail(executed, *executed.register_limit_op,
         fmt::format("was not executed alike by the warps of its warpgroup: warp {} ended with {} registers, warp {} "
                     "with {} (0: never asked)",
                     first.index, first.register_limit, warp.index, warp.register_limit));
  }
}

}  // namespace kerlab::emu
