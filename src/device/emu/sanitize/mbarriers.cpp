// mbarriers and the barrier of a cluster: who learns what from whom, and what is done to a barrier that should not.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "device/emu/async/cluster.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/handlers/async_copies.h"
#include "device/emu/machine/place.h"
#include "device/emu/machine/warp_state.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

constexpr std::uint64_t kBytes = 0xff;  ///< of an mbarrier, in a line

bool works_through_copies(const Op& op) {
  return op.instruction->opcode == ptx::Opcode::cp_async_mbarrier_arrive;
}

MbarrierPhase no_arrivals(std::uint32_t cluster) {
  return {nothing(cluster), nothing(cluster), nothing(cluster)};
}

/// What a relaxed arrival tells: all that was known at the last fence whose scope has those who wait.
void tell_fenced(Knowledge& told, const Knowledge& now, bool remote) {
  told.known.join(remote ? now.released_cluster : now.released_block);
  told.fenced.join(now.fenced);
}

}  // namespace

MbarrierShadow& Sanitizer::mbarrier(const SharedPlace& at) {
  BlockShadow& block = *at.block->shadow;
  const auto [found, is_new] = block.mbarriers.try_emplace(at.offset);
  MbarrierShadow& shadow = found->second;
  if (is_new) {
    const auto most = static_cast<std::size_t>(kMbarriers - 1);
    const std::size_t number = std::min(block.mbarriers.size() - 1, most);
    shadow.place = first_mbarrier_ + at.block->rank * kMbarriers + static_cast<std::uint32_t>(number);
    shadow.gathered = shadow.completed = no_arrivals(block.cluster);
  }
  return shadow;
}

Line& Sanitizer::mbarrier_line(const SharedPlace& at) {
  return line_at(shared_region(*at.block), at.offset);
}

void Sanitizer::mbarrier_init(const Issuer& who, const SharedPlace& at) {
  MbarrierShadow& barrier = mbarrier(at);
  const ptx::Instruction& here = *who.op->instruction;
  if (barrier.live) {
    findings_.add(Hazard::transaction, &here, barrier.init, [&] {
      return fmt::format(
          "{} ({}) initialises {} again, which is in use since {}: mbarrier.inval is missing, or it is "
          "initialised by more than one thread; {}",
          here.text, findings_.place(&here), place_name(at), findings_.place(barrier.init),
          this->who(*who.warp, 1u << who.lane));
    });
  }
  const WarpShadow& warp = who.warp->cta->shadow->warps[who.warp->index];
  barrier.live = true;
  barrier.init = &here;
  barrier.actor = warp.actor;
  barrier.time = warp.time;
  barrier.lane = who.lane;
  // A new object begins with phase 0; the clock of the old one goes on.
  barrier.gathered = no_arrivals(at.block->shadow->cluster);
  Line& line = mbarrier_line(at);
  line.barriers |= kBytes << (at.offset % kLineBytes);
}

void Sanitizer::mbarrier_invalidate(const SharedPlace& at) {
  mbarrier(at).live = false;
  mbarrier_line(at).barriers &= ~(kBytes << (at.offset % kLineBytes));
}

/// Whoever uses a barrier must know of its initialisation; a copy, through the async proxy.
void Sanitizer::check_init(const Warp& warp, const Op& op, int lane, const SharedPlace& at, bool copy) {
  const MbarrierShadow& barrier = mbarrier(at);
  if (barrier.init == nullptr) return;
  const WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const bool same_lanes = barrier.actor == own.actor && barrier.time >= own.synced && barrier.lane != lane &&
                          barrier.time > own.lane_knows[static_cast<std::size_t>(lane)];
  const ptx::Instruction& here = *op.instruction;
  if (!own.now.known.knows(barrier.actor, barrier.time) || same_lanes) {
    findings_.add(Hazard::shared_race, &here, barrier.init, [&] {
      return fmt::format("{} ({}) uses {}, and nothing orders it behind its initialisation ({}): {} is missing; {}",
                         here.text, findings_.place(&here), place_name(at), findings_.place(barrier.init),
                         at.block == warp.cta ? "__syncthreads()"
                                              : "barrier.cluster, behind fence.mbarrier_init if it arrives .relaxed,",
                         who(warp, 1u << lane));
    });
    return;
  }
  const bool fenced =
      own.now.fenced.knows(barrier.actor, barrier.time) || own.now.inits.knows(barrier.actor, barrier.time);
  if ((!copy && at.block == warp.cta) || fenced) return;
  if (!copy && barrier.actor >> kActorBits == own.actor >> kActorBits && own.cluster_synced) return;
  findings_.add(Hazard::proxy_fence, &here, barrier.init, [&] {
    return fmt::format(
        "{} ({}) uses {}, whose initialisation ({}) is not fenced: fence.mbarrier_init.release.cluster "
        "or fence.proxy.async is missing behind mbarrier.init; {}",
        here.text, findings_.place(&here), place_name(at), findings_.place(barrier.init), who(warp, 1u << lane));
  });
}

void Sanitizer::mbarrier_arrive(const Issuer& who, const SharedPlace& at) {
  if (works_through_copies(*who.op)) return;  // told when it was issued
  check_init(*who.warp, *who.op, who.lane, at, false);
  WarpShadow& warp = who.warp->cta->shadow->warps[who.warp->index];
  MbarrierShadow& barrier = mbarrier(at);
  note_remote(*who.warp, *who.op, *at.block, warp.actor, warp.time, &barrier);
  if (barrier.last_arrival != warp.actor || barrier.last_time != warp.time) {
    const bool remote = at.block != who.warp->cta;
    const std::uint32_t scope = remote ? infos_[index_of(*who.op)].flags & (kBlockScope | kClusterScope) : 0;
    MbarrierPhase& phase = barrier.gathered;
    Knowledge& told = scope == 0 ? phase.near : scope == kClusterScope ? phase.cluster : phase.block;
    if (who.op->instruction->modifiers.order == ptx::Order::relaxed) {
      tell_fenced(told, warp.now, remote);
    } else {
      told.join(warp.now);
    }
  }
  barrier.last_arrival = warp.actor;
  barrier.last_time = warp.time;
}

void Sanitizer::mbarrier_used(const Issuer& who, const SharedPlace& at) {
  check_init(*who.warp, *who.op, who.lane, at, false);
  if (at.block != who.warp->cta) check_runs(*who.warp, *who.op, *at.block);
}

/// An arrival once the warp's cp.async copies are there.
void Sanitizer::copies_arrive(Warp& warp, const Op& op, std::uint32_t mask) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  each_lane(warp, op, mask, [&](const Issuer& who) {
    const SharedPlace at = shared_place(who, 0, reach_of(*op.instruction), 8, 8);
    check_init(warp, op, who.lane, at, false);
    MbarrierShadow& barrier = mbarrier(at);
    barrier.gathered.near.join(own.now);
    const std::uint32_t groups = warp.async == nullptr ? 0 : warp.async->committed[who.lane];
    barrier.gathered.near.known.raise((own.actor & kActorMask) + kAsyncCopy, groups + 1);
  });
  own.advance();
}

void Sanitizer::phase_ended(const Issuer& who, const SharedPlace& at) {
  MbarrierShadow& barrier = mbarrier(at);
  ++barrier.phase;
  barrier.completed = std::move(barrier.gathered);
  barrier.completed.near.known.raise(barrier.place, barrier.phase);
  barrier.gathered = no_arrivals(at.block->shadow->cluster);
  barrier.last_arrival = ~0u;
  for (const BulkCopy& copy : at.block->cluster->pending) {
    const bool here = copy.on_mbarrier && copy.mbarrier == at.offset && (copy.targets >> at.block->rank & 1) != 0;
    if (!here || copy.done || copy.kind == BulkKind::arrival) continue;
    const ptx::Instruction& issued = *copy.op->instruction;
    findings_.add(Hazard::transaction, &issued, who.op->instruction, [&] {
      return fmt::format(
          "{} ({}) of {} bytes is still under way when the phase of {} ends ({}): fewer bytes were "
          "expected (expect_tx) than the copies of the phase bring; {}",
          issued.text, findings_.place(&issued), copy.bytes, place_name(at), findings_.place(who.op->instruction),
          block_name(at.block->index));
    });
  }
}

/// These lanes are behind what arrivals have told, those of other lanes of their warp included.
void Sanitizer::take_arrivals(WarpShadow& warp, const Knowledge& told, std::uint32_t lanes) const {
  const std::uint32_t place = warp.actor & kActorMask;
  warp.now.join(told);
  if (warp.lanes.differs) warp.lanes.all.join(told.known);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    warp.lane_knows[lane] = std::max(warp.lane_knows[lane], told.known.own(place));
    if (engines_ > 1) warp.lane_copies[lane] = std::max(warp.lane_copies[lane], told.known.own(place + kAsyncCopy));
  }
}

/// A fence behind a relaxed wait acquires what that has seen; `far`: of other blocks as well.
void Sanitizer::confirm_seen(WarpShadow& warp, bool far, std::uint32_t lanes) const {
  const auto confirm = [&](Knowledge& seen) {
    if (seen.known.empty()) return;
    take_arrivals(warp, seen, lanes);
    seen = nothing(warp.actor >> kActorBits);
  };
  confirm(warp.seen);
  if (far) confirm(warp.seen_far);
}

/// An acquire takes what the arrivals of the phase have told, a relaxed wait only sees it.
void Sanitizer::mbarrier_waited(Warp& warp, const Op& op, std::uint32_t lanes) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const std::uint32_t flags = infos_[index_of(op)].flags;
  const bool relaxed = op.instruction->modifiers.order == ptx::Order::relaxed;
  while (lanes != 0) {
    const Issuer first{&warp, &op, std::countr_zero(lanes)};
    const SharedPlace at = shared_place(first, 1, reach_of(*op.instruction), 8, 8);
    const std::uint32_t there = alike(first, 1, lanes);
    lanes &= ~there;
    check_init(warp, op, first.lane, at, false);
    const MbarrierPhase& completed = mbarrier(at).completed;
    const auto take = [&](const Knowledge& told, Knowledge& seen) {
      if (relaxed) {
        seen.join(told);
      } else if (!told.known.empty()) {
        take_arrivals(own, told, there);
      }
    };
    take(completed.near, own.seen);
    if ((flags & kBlockScope) == 0) take(completed.cluster, own.seen_far);
    if ((flags & (kBlockScope | kClusterScope)) == 0) take(completed.block, own.seen_far);
  }
}

/// Lanes that wait for a phase in a deadlock.
void Sanitizer::stuck_at_mbarrier(const Warp& warp, const ptx::Instruction& here, std::uint32_t lanes,
                                  const SharedPlace& at, const std::string& what) {
  const ptx::Instruction* const init = mbarrier(at).init;
  findings_.add(Hazard::transaction, &here, init, [&] {
    return fmt::format(
        "{} ({}) waits in vain {} (initialised at {}): the wrong parity, an arrival that is missing, or bytes "
        "expected that no copy brings; {}",
        here.text, findings_.place(&here), what, findings_.place(init), who(warp, lanes));
  });
}

void Sanitizer::cluster_arrive(Warp& warp, const Op& op) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  ClusterShadow& cluster = clusters_[warp.cta->cluster];
  const std::uint32_t phase = warp.cta->cluster->barrier.phase;
  ClusterPhase& gathered = cluster.phases[phase & 1];
  if (gathered.phase != phase) gathered = {phase, nothing(own.actor >> kActorBits)};
  if (op.instruction->modifiers.order == ptx::Order::relaxed) {
    gathered.gathered.known.join(own.now.released);
    gathered.gathered.known.join(own.now.inits);
    gathered.gathered.inits.join(own.now.inits);
    gathered.gathered.fenced.join(own.now.fenced);
  } else {
    gathered.gathered.join(own.now);
  }
  own.advance();
}

void Sanitizer::cluster_waited(Warp& warp, std::uint32_t lanes) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const auto& state = static_cast<const WarpState&>(warp);
  const std::uint32_t parity = state.cluster_parity >> std::countr_zero(lanes) & 1;
  own.now.join(clusters_[warp.cta->cluster].phases[parity].gathered);
  own.cluster_synced = true;
  own.sync_lanes();
  own.cluster_met = std::min(own.cluster_met, own.time);
}

/// Shared memory of a block that has not begun may not be touched, and blocks of a cluster need not begin together: the
/// warp must know of something that the block has done, or of a barrier.cluster that somebody has passed. That it runs
/// is no matter of memory: a relaxed arrival tells it as well.
void Sanitizer::check_runs(const Warp& warp, const Op& op, const Cta& target) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  if ((own.running >> target.rank & 1) != 0) return;
  own.running |= 1u << target.rank;  // told once
  const auto knows = [&](const WarpShadow& other, std::uint32_t time) {
    const Knowledge& now = own.now;
    const Clock* const clocks[] = {&now.known, &now.acquired, &now.acquired_cluster, &own.seen.known,
                                   &own.seen_far.known};
    return std::any_of(std::begin(clocks), std::end(clocks),
                       [&](const Clock* clock) { return clock->knows(other.actor, time); });
  };
  for (const Cta* const block : warp.cta->cluster->blocks) {
    for (const WarpShadow& other : block->shadow->warps) {
      if (knows(other, block == &target ? 1 : other.cluster_met)) return;
    }
  }
  const ptx::Instruction& here = *op.instruction;
  findings_.add(Hazard::shared_race, &here, nullptr, [&] {
    return fmt::format(
        "{} ({}) uses the shared memory of {}, which need not have begun: barrier.cluster, arrival and wait, is "
        "missing at the beginning of the kernel; {}, warp {}",
        here.text, findings_.place(&here), block_name(target.index), block_name(warp.cta->index), warp.index);
  });
}

}  // namespace kerlab::emu
