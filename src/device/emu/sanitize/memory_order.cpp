// Fences, and words of memory that warps synchronise through. PTX ISA, "Memory Consistency Model": a release pattern
// (a release, or a fence and a relaxed write) synchronises with an acquire pattern that reads what it wrote.

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

/// `update`: of a read-modify-write, which lets pass what others released there before.
void publish(SyncWord& word, const WarpShadow& warp, std::int64_t block, bool release, bool block_scope, bool update) {
  const Knowledge& now = warp.now;
  if (!update) word = SyncWord{};
  const Clock& all = release && !block_scope ? now.known : now.released;
  const Clock& near = release ? now.known : now.released_block;
  if (update) {
    word.clock.join(all);
  } else {
    word.clock = all;
  }
  if (word.block == block && update) {
    word.block_clock.join(near);
  } else {
    word.block_clock = near;
  }
  word.block = block;
}

}  // namespace

void Sanitizer::synchronise(const Event& event, const Region& region) {
  BlockShadow& block = *event.warp->cta->shadow;
  SyncWords& words = region.block != nullptr ? region.block->words : words_;
  WarpShadow& warp = *event.shadow;
  const Order order = event.op->instruction->modifiers.order;
  const bool block_scope = (event.flags & kBlockScope) != 0;
  bool published = false;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const auto address = reinterpret_cast<std::uint64_t>(event.base) + event.offset[std::countr_zero(rest)];
    if (event.reads) {
      const auto found = words.find(address);
      if (found != words.end()) {
        SyncWord& word = found->second;
        const bool near = word.block == block.linear;
        if (acquires(order) && (near || !block_scope)) warp.now.known.join(word.clock);
        if (!acquires(order)) warp.now.acquired.join(word.clock);
        if (near) warp.now.known.join(word.block_clock);
      }
    }
    if (!event.writes) continue;
    const bool anything = releases(order) || !warp.now.released.empty() || !warp.now.released_block.empty();
    if (!anything && (event.reads || words.find(address) == words.end())) continue;
    publish(words[address], warp, block.linear, releases(order), block_scope, event.reads);
    published = true;
  }
  if (published) warp.advance();
}

void Sanitizer::fence(Warp& warp, const Op& op) {
  WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
  Knowledge& now = shadow.now;
  if (!op.instruction->modifiers.scope_cta) {
    now.known.join(now.acquired);
    now.released = now.known;
  }
  now.released_block = now.known;
  shadow.advance();
}

void Sanitizer::before(Warp& warp, const Op& op, std::uint32_t mask) {
  switch (op.instruction->opcode) {
    case Opcode::shfl:
      if (mask != ~0u) check_shuffle(warp, op, mask);
      sync_warp(warp);
      break;
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      sync_warp(warp);
      break;
    case Opcode::membar:
    case Opcode::fence:
      fence(warp, op);
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
