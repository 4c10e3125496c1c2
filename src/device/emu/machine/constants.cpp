// What the constant slots of a warp hold: immediates, addresses of variables and special registers (PTX ISA, section
// Special Registers).

#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/emu/machine/block_runner.h"
#include "device/emu/machine/clock.h"
#include "device/emu/machine/place.h"

namespace kerlab::emu {
namespace {

using ptx::Special;

bool depends_on_block(Special special) {
  switch (special) {
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z:
    case Special::cluster_ctarank:
    case Special::clusterid_x:
    case Special::clusterid_y:
    case Special::clusterid_z:
    case Special::smid:
      return true;
    default:
      return false;
  }
}

void write_lane(const WarpState& warp, const Constant& constant, int lane, std::uint64_t value) {
  std::byte* const slot = reinterpret_cast<std::byte*>(warp.slots + std::ptrdiff_t{constant.slot} * kLanes);
  if (constant.wide) {
    std::memcpy(slot + 8 * lane, &value, 8);
  } else {
    std::memcpy(slot + 4 * lane, &value, 4);
  }
}

Dim3 modulo(const Dim3& a, const Dim3& b) {
  return {a.x % b.x, a.y % b.y, a.z % b.z};
}
Dim3 divide(const Dim3& a, const Dim3& b) {
  return {a.x / b.x, a.y / b.y, a.z / b.z};
}

std::uint32_t component(const Dim3& value, Special special, Special first) {
  const int i = static_cast<int>(special) - static_cast<int>(first);
  return i == 0 ? value.x : i == 1 ? value.y : value.z;
}

/// Where a block runs: those that follow each other are far apart, so that the blocks of a small grid are on low and on
/// high ones, and as many blocks as there are multiprocessors have one each.
std::int64_t multiprocessor_of(std::int64_t block, std::int64_t count) {
  std::int64_t stride = (5 * count + 7) / 8;
  while (std::gcd(stride, count) != 1) ++stride;
  return block % count * stride % count;
}

bool is_one_of(Special special, Special first) {
  return special >= first && static_cast<int>(special) < static_cast<int>(first) + 3;
}

}  // namespace

std::uint64_t BlockRunner::special(Special special, const WarpState& warp, int lane) const {
  const LaunchState& launch = *setting_.launch;
  const Dim3& cluster = setting_.cluster;
  const Dim3 in_cluster = modulo(cta_.index, cluster);
  const std::pair<Special, Dim3> vectors[] = {
      {Special::tid_x, unlinear(std::int64_t{warp.index} * kLanes + lane, launch.block)},
      {Special::ntid_x, launch.block},
      {Special::ctaid_x, cta_.index},
      {Special::nctaid_x, launch.grid},
      {Special::cluster_ctaid_x, in_cluster},
      {Special::cluster_nctaid_x, cluster},
      {Special::clusterid_x, divide(cta_.index, cluster)},
      {Special::nclusterid_x, divide(launch.grid, cluster)}};
  for (const auto& [first, value] : vectors) {
    if (is_one_of(special, first)) return component(value, special, first);
  }
  const std::uint32_t bit = 1u << lane;
  switch (special) {
    case Special::laneid:
      return static_cast<std::uint64_t>(lane);
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return warps_.size();
    case Special::smid:
      return static_cast<std::uint64_t>(multiprocessor_of(linear_, setting_.multiprocessors));
    case Special::nsmid:
      return static_cast<std::uint64_t>(setting_.multiprocessors);
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_ge:
      return ~(bit - 1);
    case Special::lanemask_gt:
      return ~(bit | (bit - 1));
    case Special::dynamic_smem_size:
      return setting_.dynamic_shared;
    case Special::total_smem_size:
      return cta_.shared_bytes;
    case Special::cluster_ctarank:
      return in_cluster.x + std::uint64_t{cluster.x} * (in_cluster.y + std::uint64_t{cluster.y} * in_cluster.z);
    case Special::cluster_nctarank:
      return std::uint64_t{cluster.x} * cluster.y * cluster.z;
    case Special::is_explicit_cluster:
      return cluster == Dim3{} ? 0 : 1;
    case Special::envreg1:
      return launch.grid_workspace >> 32;
    case Special::envreg2:
      return static_cast<std::uint32_t>(launch.grid_workspace);
    default:
      return 0;  // clocks are written when they are read
  }
}

void BlockRunner::fill_constants() {
  for (WarpState& warp : warps_) {
    warp.predicates[program_.false_predicate] = 0;
    warp.predicates[program_.true_predicate] = ~0u;
    warp.predicates[program_.cluster_predicate] = special(Special::is_explicit_cluster, warp, 0) != 0 ? ~0u : 0;
    for (const Constant& constant : program_.constants) {
      const bool is_special = constant.kind == Constant::Kind::special;
      const std::uint64_t begin = constant.kind == Constant::Kind::shared ? cta_.shared_begin() : 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        write_lane(warp, constant, lane, is_special ? special(constant.special, warp, lane) : begin + constant.bits);
      }
    }
  }
}

void BlockRunner::fill_block_constants() {
  for (const Constant& constant : program_.constants) {
    if (constant.kind != Constant::Kind::special || !depends_on_block(constant.special)) continue;
    const std::uint64_t value = special(constant.special, warps_.front(), 0);
    for (const WarpState& warp : warps_) {
      for (int lane = 0; lane < kLanes; ++lane) write_lane(warp, constant, lane, value);
    }
  }
}

}  // namespace kerlab::emu
