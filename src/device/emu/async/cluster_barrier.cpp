#include "device/emu/async/cluster_barrier.h"

#include "device/emu/async/cluster.h"

namespace kerlab::emu {
namespace {

/// Ends the phase when all have arrived.
void settle(Cluster& cluster) {
  ClusterBarrier& barrier = cluster.barrier;
  cluster.changes++;
  if (barrier.arrived < barrier.live || barrier.live == 0) return;
  barrier.arrived = 0;
  barrier.phase++;
}

/// Of lanes that have arrived and not waited: those whose phase is the present one.
std::uint32_t in_present_phase(const WarpState& warp, std::uint32_t lanes) {
  const std::uint32_t odd = (warp.cta->cluster->barrier.phase & 1) != 0 ? ~0u : 0u;
  return lanes & ~(warp.cluster_parity ^ odd);
}

}  // namespace

void arrive_at_cluster_barrier(Warp& base, const Op& op, std::uint32_t lanes) {
  auto& warp = static_cast<WarpState&>(base);
  Cluster& cluster = *warp.cta->cluster;
  if (const std::uint32_t twice = lanes & warp.cluster_arrived; twice != 0) {
    raise(FaultKind::launch_failed, warp, op, __builtin_ctz(twice), "arrives again without barrier.cluster.wait");
  }
  warp.cluster_arrived |= lanes;
  warp.cluster_parity = (cluster.barrier.phase & 1) != 0 ? warp.cluster_parity | lanes : warp.cluster_parity & ~lanes;
  cluster.barrier.arrived += popcount(lanes);
  warp.cta->counts.barriers++;
  settle(cluster);
}

std::uint32_t past_cluster_barrier(const WarpState& warp, const Op& op, std::uint32_t lanes) {
  if (const std::uint32_t early = lanes & ~warp.cluster_arrived; early != 0) {
    raise(FaultKind::launch_failed, warp, op, __builtin_ctz(early), "waits without barrier.cluster.arrive");
  }
  return lanes & ~in_present_phase(warp, lanes);
}

void leave_cluster_barrier(WarpState& warp, std::uint32_t lanes) {
  warp.cluster_arrived &= ~lanes;
}

void exit_cluster(WarpState& warp, std::uint32_t lanes) {
  Cluster& cluster = *warp.cta->cluster;
  cluster.barrier.live -= popcount(lanes);
  cluster.barrier.arrived -= popcount(in_present_phase(warp, lanes & warp.cluster_arrived));
  if (cluster.barrier.arrived > 0) settle(cluster);
  cluster.changes++;
}

}  // namespace kerlab::emu
