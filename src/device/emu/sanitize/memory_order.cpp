// Fences, and words of memory that warps synchronise through. PTX ISA, "Memory Consistency Model": a release pattern
// (a release, or a fence and a relaxed write) synchronises with an acquire pattern that reads what it wrote.

#include <algorithm>
#include <bit>

#include "device/emu/handlers/async_copies.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

using ptx::Opcode;
using ptx::Order;

namespace {

bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::sc;
}
bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::sc;
}

enum class OrderScope : std::uint8_t { block, cluster, device };

OrderScope reach_of(std::uint32_t flags) {
  return (flags & kBlockScope) != 0     ? OrderScope::block
         : (flags & kClusterScope) != 0 ? OrderScope::cluster
                                        : OrderScope::device;
}

void join_or_set(Clock& clock, const Clock& other, bool join) {
  if (join) {
    clock.join(other);
  } else {
    clock = other;
  }
}

/// `update`: of a read-modify-write, which lets pass what others released there before.
void publish(SyncWord& word, const WarpShadow& warp, const BlockShadow& block, bool release, OrderScope reach,
             bool update) {
  const Knowledge& now = warp.now;
  if (!update) word = SyncWord{};
  join_or_set(word.clock, release && reach == OrderScope::device ? now.known : now.released, update);
  join_or_set(word.cluster_clock, release && reach != OrderScope::block ? now.known : now.released_cluster,
              update && word.cluster == block.cluster);
  join_or_set(word.block_clock, release ? now.known : now.released_block, update && word.block == block.linear);
  join_or_set(word.fenced, now.fenced, update);
  word.cluster = block.cluster;
  word.block = block.linear;
}

/// A lane learns what the word was released with: of its own warp's other lanes as well.
void take_in_lane(const Clock& clock, WarpShadow& warp, std::size_t lane) {
  warp.lanes.begin(warp.now.known, warp.actor >> kActorBits);
  warp.lanes.join(lane, clock);
  warp.lane_knows[lane] = std::max(warp.lane_knows[lane], clock.time_of(warp.actor));
}

/// A read of a lane sees what was written to the word: at once where it acquires, else when a fence confirms it.
void take_in(const SyncWord& word, WarpShadow& warp, std::size_t lane, const BlockShadow& block, bool acquire,
             OrderScope reach) {
  Knowledge& now = warp.now;
  const bool same_block = word.block == block.linear, same_cluster = word.cluster == block.cluster;
  const bool meets = reach == OrderScope::device || same_block || (reach == OrderScope::cluster && same_cluster);
  if (acquire && meets) {
    take_in_lane(word.clock, warp, lane);
    if (same_cluster) take_in_lane(word.cluster_clock, warp, lane);
    now.known.join(word.clock);
    if (same_cluster) now.known.join(word.cluster_clock);
    now.fenced.join(word.fenced);
  }
  if (!acquire) {
    warp.lane_saw[lane] = std::max(warp.lane_saw[lane], word.clock.time_of(warp.actor));
    if (same_cluster) warp.lane_saw[lane] = std::max(warp.lane_saw[lane], word.cluster_clock.time_of(warp.actor));
    now.acquired.join(word.clock);
    if (same_cluster) now.acquired_cluster.join(word.clock);
    if (same_cluster) now.acquired_cluster.join(word.cluster_clock);
  }
  if (same_block) take_in_lane(word.block_clock, warp, lane);
  if (same_block) now.known.join(word.block_clock);
}

}  // namespace

void Sanitizer::synchronise(const Event& event, const Region& region) {
  BlockShadow& block = *event.warp->cta->shadow;
  SyncWords& words = region.block != nullptr ? region.block->words : words_;
  WarpShadow& warp = *event.shadow;
  const Order order = event.op->instruction->modifiers.order;
  const OrderScope reach = reach_of(event.flags);
  bool published = false;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const auto address = reinterpret_cast<std::uint64_t>(event.base) + event.offset[lane];
    if (event.reads) {
      const auto found = words.find(address);
      if (found != words.end()) take_in(found->second, warp, lane, block, acquires(order), reach);
    }
    if (!event.writes) continue;
    const bool anything = releases(order) || !warp.now.released.empty() || !warp.now.released_cluster.empty() ||
                          !warp.now.released_block.empty();
    if (!anything && (event.reads || words.find(address) == words.end())) continue;
    publish(words[address], warp, block, releases(order), reach, event.reads);
    published = true;
  }
  if (published) warp.advance();
}

void Sanitizer::fence(Warp& warp, const Op& op, std::uint32_t mask) {
  WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
  const ptx::Modifiers& modifiers = op.instruction->modifiers;
  Knowledge& now = shadow.now;
  confirm_seen(shadow, !modifiers.scope_cta, mask);
  if (!modifiers.scope_cta) {
    const Clock& confirmed = modifiers.scope_cluster ? now.acquired_cluster : now.acquired;
    for (std::uint32_t rest = mask; rest != 0 && !confirmed.empty(); rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      shadow.lanes.begin(now.known, shadow.actor >> kActorBits);
      shadow.lanes.join(lane, confirmed);
      shadow.lane_knows[lane] = std::max(shadow.lane_knows[lane], shadow.lane_saw[lane]);
    }
    now.known.join(now.acquired_cluster);
    if (!modifiers.scope_cluster) now.known.join(now.acquired);
    if (!modifiers.scope_cluster) now.released = now.known;
    now.released_cluster = now.known;
  }
  now.released_block = now.known;
  shadow.advance();
}

void Sanitizer::before(Warp& warp, const Op& op, std::uint32_t mask) {
  switch (op.instruction->opcode) {
    case Opcode::shfl:
      if (mask != ~0u) check_shuffle(warp, op, mask);  // it orders no memory, nor do vote, match and redux
      break;
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      sync_warp(warp);
      break;
    case Opcode::membar:
    case Opcode::fence:
      fence(warp, op, mask);
      break;
    case Opcode::fence_proxy: {
      WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
      const ptx::Proxy proxy = op.instruction->modifiers.proxy;
      if (proxy != ptx::Proxy::alias && proxy != ptx::Proxy::tensormap) shadow.now.fenced = shadow.now.known;
      shadow.advance();
      break;
    }
    case Opcode::fence_mbarrier_init: {
      WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
      shadow.now.inits = shadow.now.known;
      shadow.advance();
      break;
    }
    case Opcode::wgmma_fence:
      ++warp.cta->shadow->warps[warp.index].fences;
      break;
    case Opcode::barrier_cluster_arrive:
      cluster_arrive(warp, op);
      break;
    case Opcode::griddepcontrol:
      depend(warp, op, mask);
      break;
    case Opcode::cp_async_mbarrier_arrive:
      copies_arrive(warp, op, mask);
      break;
    default:
      break;
  }
}

void Sanitizer::after(Warp& warp, const Op& op, std::uint32_t mask) {
  WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
  const std::uint32_t place = (shadow.actor & kActorMask) + kAsyncCopy;
  switch (op.instruction->opcode) {
    case Opcode::ldmatrix:
    case Opcode::wmma_load:
      sync_warp(warp);
      break;
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
      shadow.advance();
      break;
    case Opcode::cp_async_bulk_wait_group:
      bulk_groups_waited(warp, op, mask);
      break;
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_wait_group: {
      const int lane = std::countr_zero(mask);
      std::uint32_t allowed = 0;
      if (op.instruction->opcode == Opcode::cp_async_wait_group)
        allowed = warp.slots[std::ptrdiff_t{op.slot[0]} * kLanes + lane];
      const std::uint32_t committed = warp.async != nullptr ? warp.async->committed[lane] : 0;
      if (committed > allowed && engines_ > 1) shadow.now.known.raise(place, committed - allowed);
      break;
    }
    default:
      break;
  }
}

}  // namespace kerlab::emu
