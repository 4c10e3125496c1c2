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

}  // namespace

MbarrierShadow& Sanitizer::mbarrier(const SharedPlace& at) {
  BlockShadow& block = *at.block->shadow;
  const auto [found, is_new] = block.mbarriers.try_emplace(at.offset);
  MbarrierShadow& shadow = found->second;
  if (is_new) {
    const auto most = static_cast<std::size_t>(kMbarriers - 1);
    const std::size_t number = std::min(block.mbarriers.size() - 1, most);
    shadow.place = first_mbarrier_ + at.block->rank * kMbarriers + static_cast<std::uint32_t>(number);
    shadow.gathered = shadow.completed = nothing(block.cluster);
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
  barrier.gathered = nothing(at.block->shadow->cluster);
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
  note_remote(*who.warp, *who.op, *at.block, warp.actor, warp.time);
  MbarrierShadow& barrier = mbarrier(at);
  if (barrier.last_arrival != warp.actor || barrier.last_time != warp.time) barrier.gathered.join(warp.now);
  barrier.last_arrival = warp.actor;
  barrier.last_time = warp.time;
}

/// An arrival once the warp's cp.async copies are there.
void Sanitizer::copies_arrive(Warp& warp, const Op& op, std::uint32_t mask) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  each_lane(warp, op, mask, [&](const Issuer& who) {
    const SharedPlace at = shared_place(who, 0, reach_of(*op.instruction), 8, 8);
    check_init(warp, op, who.lane, at, false);
    MbarrierShadow& barrier = mbarrier(at);
    barrier.gathered.join(own.now);
    const std::uint32_t groups = warp.async == nullptr ? 0 : warp.async->committed[who.lane];
    barrier.gathered.known.raise((own.actor & kActorMask) + kAsyncCopy, groups + 1);
  });
  own.advance();
}

void Sanitizer::phase_ended(const Issuer& who, const SharedPlace& at) {
  MbarrierShadow& barrier = mbarrier(at);
  ++barrier.phase;
  barrier.completed = std::move(barrier.gathered);
  barrier.completed.known.raise(barrier.place, barrier.phase);
  barrier.gathered = nothing(at.block->shadow->cluster);
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

/// A lane that has waited is behind all arrivals of the phase, those of other lanes of its warp included.
void Sanitizer::mbarrier_waited(Warp& warp, const Op& op, std::uint32_t lanes) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const std::uint32_t place = own.actor & kActorMask;
  SharedPlace last;
  each_lane(warp, op, lanes, [&](const Issuer& who) {
    const SharedPlace at = shared_place(who, 1, reach_of(*op.instruction), 8, 8);
    const Knowledge& completed = mbarrier(at).completed;
    if (!(at == last)) {
      check_init(warp, op, who.lane, at, false);
      own.now.join(completed);
      if (own.lanes.differs) own.lanes.all.join(completed.known);
    }
    last = at;
    const auto lane = static_cast<std::size_t>(who.lane);
    own.lane_knows[lane] = std::max(own.lane_knows[lane], completed.known.own(place));
    if (engines_ > 1) own.lane_copies[lane] = std::max(own.lane_copies[lane], completed.known.own(place + kAsyncCopy));
  });
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
}

}  // namespace kerlab::emu
