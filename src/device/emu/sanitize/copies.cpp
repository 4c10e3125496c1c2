// Bulk copies and the end of a block: what copies read and write belongs to them from their issue to the wait that
// tells that they are done.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "device/emu/async/cluster.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/machine/place.h"
#include "device/emu/sanitize/sanitizer.h"
#include "device/emu/tma/box.h"

namespace kerlab::emu {

using ptx::Opcode;

Region Sanitizer::shared_region(const Cta& block) {
  const auto begin = reinterpret_cast<std::uint64_t>(block.shared);
  return {&block.shadow->shared, begin, begin + block.shared_bytes, block.shadow};
}

/// `bytes` side by side, of no lane in particular.
void Sanitizer::access_range(const Region& region, std::uint64_t offset, std::uint64_t bytes, const Event& event) {
  const std::uint64_t end = offset + bytes;
  while (offset < end) {
    const std::uint64_t line = offset / kLineBytes * kLineBytes;
    const std::uint64_t last = std::min(end, line + kLineBytes);
    Touch touch;
    const std::uint64_t count = last - offset;
    touch.bytes = (count == kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << (offset - line);
    touch.lane.fill(kUnknownLane);
    this->touch(region, line, touch, event);
    offset = last;
  }
}

Event Sanitizer::event_of(const BulkCopy& copy, Warp& warp) {
  Event event;
  event.warp = &warp;
  event.op = copy.op;
  event.shadow = &warp.cta->shadow->warps[copy.warp];
  event.site = infos_[index_of(*copy.op)].site;
  event.flags = kCopy;
  if (copy.kind == BulkKind::copy) event.flags |= kAsyncProxy;
  event.mask = 1u << copy.lane;
  return event;
}

void Sanitizer::copy_issued(Cluster& cluster, const BulkCopy& copy) {
  if (copy.kind == BulkKind::arrival) return;
  Cta& issuer = *cluster.blocks[copy.rank];
  Warp warp;
  warp.index = copy.warp;
  warp.cta = &issuer;
  const Event base = event_of(copy, warp);
  WarpShadow& own = *base.shadow;
  for (std::uint32_t rest = copy.targets; rest != 0 && copy.on_mbarrier; rest &= rest - 1) {
    Cta& target = *cluster.blocks[static_cast<std::size_t>(std::countr_zero(rest))];
    const SharedPlace at{&target, copy.mbarrier};
    check_init(warp, *copy.op, static_cast<int>(copy.lane), at, copy.kind == BulkKind::copy);
    const MbarrierShadow& barrier = mbarrier(at);
    Event event = base;
    event.actor = own.actor >> kActorBits << kActorBits | barrier.place;
    event.time = barrier.phase + 1;
    event.writes = true;
    note_remote(warp, *copy.op, target, event.actor, event.time);
    if (copy.reduce) {
      event.reads = true;
      event.flags |= kStrong;
    }
    access_range(shared_region(target), copy.target, shared_bytes(copy), event);
    event.writes = false;
    event.reads = true;
    event.flags = base.flags;
    if (rest != copy.targets) continue;  // it reads once
    if (copy.direction == BulkDirection::to_shared && copy.kind == BulkKind::copy) access_global(copy, event);
    if (copy.direction == BulkDirection::between_shared && copy.kind == BulkKind::copy)
      access_range(shared_region(issuer), copy.shared, shared_bytes(copy), event);
  }
  if (copy.direction != BulkDirection::to_global) return;
  Event event = base;
  event.time = copy.group + 1;
  event.actor = own.actor + kBulkRead;
  event.reads = true;
  access_range(shared_region(issuer), copy.shared, shared_bytes(copy), event);
  event.actor = own.actor + kBulkWrite;
  event.reads = copy.reduce;
  event.writes = true;
  if (copy.reduce) event.flags |= kStrong;
  access_global(copy, event);
}

void Sanitizer::access_global(std::uint64_t address, std::uint64_t bytes, const Event& event) {
  if (bytes == 0) return;
  const Region region = region_of(*event.warp, reinterpret_cast<const std::byte*>(address), 0);
  if (region.shadow != nullptr) access_range(region, address - region.begin, bytes, event);
}

/// The one range of a plain copy, or the rows of the box that are inside the tensor.
void Sanitizer::access_global(const BulkCopy& copy, const Event& event) {
  if (!copy.tensor) return access_global(copy.global, copy.bytes, event);
  each_row(copy.map, copy.coordinate, info(copy.map.dtype).bytes,
           [&](const BoxRow& row) { access_global(row.address, row.last - row.first, event); });
}

void Sanitizer::bulk_groups_waited(Warp& warp, const Op& op, std::uint32_t mask) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const std::uint32_t place = own.actor & kActorMask;
  each_lane(warp, op, mask, [&](const Issuer& who) {
    const std::uint32_t committed =
        warp.cta->bulk_groups[std::size_t{warp.index} * kLanes + static_cast<std::size_t>(who.lane)];
    const std::uint64_t allowed = lane_value(who, 0);
    if (committed <= allowed) return;
    const auto done = static_cast<std::uint32_t>(committed - allowed);
    own.now.known.raise(place + kBulkRead, done);
    if (!op.instruction->modifiers.read) own.now.known.raise(place + kBulkWrite, done);
  });
}

/// Another block's shared memory was used: it must be there by now, and still be there.
void Sanitizer::note_remote(const Warp& warp, const Op& op, const Cta& target, ActorId actor, std::uint32_t time,
                            const MbarrierShadow* arrived) {
  if (&target == warp.cta) return;
  check_runs(warp, op, target);
  std::vector<RemoteUse>& uses = target.shadow->remote;
  const std::uint32_t phase = arrived == nullptr ? 0 : arrived->phase + 1;
  for (RemoteUse& use : uses) {
    if (use.actor != actor || use.at != op.instruction) continue;
    use = {actor, time, op.instruction, arrived, phase};
    return;
  }
  uses.push_back({actor, time, op.instruction, arrived, phase});
}

void Sanitizer::end_block(Cta& cta) {
  if (cta.shadow->waited && !cta.shadow->triggered_early) late_ = true;
  const auto early = [&](const ptx::Instruction& at, auto message) {
    findings_.add(Hazard::early_exit, &at, nullptr, message);
  };
  for (const BulkCopy& copy : cta.cluster->pending) {
    if (copy.done || copy.kind == BulkKind::arrival) continue;
    const ptx::Instruction& at = *copy.op->instruction;
    if (copy.on_mbarrier && (copy.targets >> cta.rank & 1) != 0) {
      early(at, [&] {
        return fmt::format(
            "{} ({}) is still under way into the shared memory of {}, which has ended: nobody waited for "
            "its mbarrier",
            at.text, findings_.place(&at), block_name(cta.index));
      });
    } else if (copy.rank == cta.rank && copy.direction != BulkDirection::to_shared && copy.held.empty()) {
      early(at, [&] {
        return fmt::format(
            "{} ({}) still reads the shared memory of {}, which has ended: "
            "cp.async.bulk.wait_group.read is missing",
            at.text, findings_.place(&at), block_name(cta.index));
      });
    }
  }
  BlockShadow& block = *cta.shadow;
  Clock all(block.cluster, 0);
  for (const WarpShadow& warp : block.warps) {
    all.join(warp.now.known);
    all.join(warp.seen.known);  // who has waited has not ended, whatever he may read
    all.join(warp.seen_far.known);
  }
  for (const RemoteUse& use : block.remote) {
    const bool arrived = use.arrived != nullptr && all.own(use.arrived->place) >= use.phase;
    if (arrived || all.knows(use.actor, use.time)) continue;
    early(*use.at, [&] {
      return fmt::format(
          "{} ({}) uses the shared memory of {}, and nothing keeps that from ending before: "
          "barrier.cluster is missing at the end of the kernel, or is .relaxed, which orders nothing",
          use.at->text, findings_.place(use.at), block_name(cta.index));
    });
  }
  for (const auto& [offset, barrier] : block.mbarriers) {
    std::uint64_t bits = 0;
    std::copy_n(cta.shared + offset, sizeof bits, reinterpret_cast<std::byte*>(&bits));
    const std::optional<MbarrierState> state = MbarrierState::unpack(bits);
    if (!barrier.live || !state || state->transactions == 0 || has_pending(cta, offset)) continue;
    findings_.add(Hazard::transaction, barrier.init, nullptr, [&] {
      return fmt::format(
          "{} ends with {} bytes of its last phase {}: expect_tx and the sizes of the copies disagree; {}",
          place_name({&cta, offset}), std::abs(state->transactions),
          state->transactions > 0 ? "expected and not brought" : "brought and not expected", block_name(cta.index));
    });
  }
}

bool Sanitizer::has_pending(const Cta& cta, std::uint32_t mbarrier) {
  return std::any_of(cta.cluster->pending.begin(), cta.cluster->pending.end(), [&](const BulkCopy& copy) {
    return !copy.done && copy.on_mbarrier && copy.mbarrier == mbarrier && (copy.targets >> cta.rank & 1) != 0;
  });
}

std::string Sanitizer::place_name(const SharedPlace& at) const {
  Warp warp;
  warp.cta = at.block;
  return "the mbarrier at " + address_name(shared_region(*at.block), at.offset, warp);
}

}  // namespace kerlab::emu
