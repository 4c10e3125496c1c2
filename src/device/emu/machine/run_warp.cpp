// The run loop: fragments of a warp, block by block. The fragment at the lowest block runs until it reaches another
// one, which it joins; so diverged lanes come together at the first block that all of them reach.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "device/emu/machine/block_runner.h"
#include "device/emu/machine/place.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

std::uint32_t BlockRunner::guarded(const WarpState& warp, const Block& block, std::uint32_t lanes) {
  return block.guard < 0 ? lanes : (warp.predicates[block.guard] ^ block.flip) & lanes;
}

void BlockRunner::run_guarded(WarpState& warp, const Block& block, std::uint32_t lanes) {
  const Op* const first = program_.ops.data();
  for (const Op* op = block.begin; op != block.end; ++op) {
    if (op->guard < 0) {
      op->run(warp, *op, lanes);
      continue;
    }
    const std::uint32_t guard = warp.predicates[op->guard];
    const std::uint32_t active = (op->guard_negated ? ~guard : guard) & lanes;
    if (active == 0) continue;
    Executions& count = counted_[static_cast<std::size_t>(program_.counted[static_cast<std::size_t>(op - first)])];
    count.warps++;
    count.lanes += popcount(active);
    op->run(warp, *op, active);
  }
}

/// The sanitizer is told of what does more than compute or access memory.
void BlockRunner::run_watched(WarpState& warp, const Block& block, std::uint32_t lanes) {
  Sanitizer& sanitizer = *setting_.launch->sanitizer;
  for (const Op* op = block.begin; op != block.end; ++op) {
    std::uint32_t active = lanes;
    if (op->guard >= 0) {
      const std::uint32_t guard = warp.predicates[op->guard];
      active &= op->guard_negated ? ~guard : guard;
      if (active == 0) continue;
    }
    sanitizer.look_at_registers(warp, *op);
    if (!sanitizer.watches(*op)) {
      op->run(warp, *op, active);
      continue;
    }
    sanitizer.before(warp, *op, active);
    op->run(warp, *op, active);
    sanitizer.after(warp, *op, active);
  }
}

inline void BlockRunner::run_straight(WarpState& warp, const Block& block, std::uint32_t lanes) {
  if (setting_.launch->sanitizer != nullptr) {
    run_watched(warp, block, lanes);
    return;
  }
  if (block.guarded) {
    run_guarded(warp, block, lanes);
    return;
  }
  for (const Op *op = block.begin, *end = block.end; op != end; ++op) op->run(warp, *op, lanes);
}

/// Some lanes branch and some do not: the lower block goes on, the other waits for its turn.
void BlockRunner::split(WarpState& warp, const Block& block, std::uint32_t taken, std::uint32_t& lanes,
                        std::int32_t& next, std::int32_t& limit) {
  count_divergence(cta_, *block.op);
  const bool low_is_taken = block.taken < block.next;
  const std::int32_t high = low_is_taken ? block.next : block.taken;
  next = low_is_taken ? block.taken : block.next;
  warp.add_ready(high, low_is_taken ? lanes & ~taken : taken);
  lanes = low_is_taken ? taken : lanes & ~taken;
  limit = std::min(limit, high);
}

void BlockRunner::run_turn(WarpState& warp) {
  const std::int64_t before = warp.executed;
  run_fragments(warp);
  spent_ += warp.executed - before;
  if (setting_.instruction_budget == 0 || spent_ < setting_.instruction_budget || warp.resume_above < 0) return;
  const ptx::Instruction* at = instruction_of(program_.blocks[static_cast<std::size_t>(warp.resume_above)]);
  throw MachineFault(FaultKind::timeout,
                     fmt::format("{} executed {} warp instructions without ending: an endless loop? Warp {} is {}",
                                 block_name(cta_.index), spent_, warp.index, place(at, program_.files)),
                     at);
}

void BlockRunner::run_fragments(WarpState& warp) {
  const Block* const blocks = program_.blocks.data();
  Executions* const executions = executions_.data();
  const std::int64_t budget = setting_.instruction_budget;
  const std::int64_t turn = budget > 0 ? std::min(turn_, budget - spent_) : turn_;
  std::int64_t until = warp.executed + turn;
  bool gives_way = false;
  for (int chosen = warp.choose(); chosen >= 0; chosen = warp.choose()) {
    const Fragment fragment = warp.fragments[static_cast<std::size_t>(chosen)];
    warp.remove(chosen);
    // A fragment that has its turn out of order does not stop where the others wait.
    std::int32_t limit = warp.resume_above >= 0 ? INT32_MAX : warp.lowest_ready();
    warp.resume_above = -1;
    std::int32_t at = fragment.block;
    std::uint32_t lanes = fragment.lanes;
    int width = popcount(lanes);
    for (;;) {
      const Block& block = blocks[at];
      executions[at].warps++;
      executions[at].lanes += width;
      cta_.effects += block.effects;
      run_straight(warp, block, lanes);
      warp.executed += block.instructions;
      std::int32_t next = block.next;
      if (block.kind == End::branch) {
        const std::uint32_t taken = guarded(warp, block, lanes);
        if (taken == lanes) {
          next = block.taken;
        } else if (taken != 0 && block.taken != block.next) {
          split(warp, block, taken, lanes, next, limit);
          width = popcount(lanes);
        }
      } else if (block.kind != End::next && (block.kind != End::converge || lanes != warp.live)) {
        lanes = end_block(warp, at, lanes);
        limit = std::min(limit, warp.lowest_ready());
        if (lanes == 0) break;
        width = popcount(lanes);
        if (block.kind == End::yield || (block.kind == End::mbarrier_wait && warp.polled != nullptr)) {
          until = warp.executed;
          gives_way = true;
        }
      }
      if (next <= at) until -= block.spin;
      if (warp.executed >= until) {
        warp.add_ready(next, lanes);
        warp.resume_above = at;
        if (!gives_way) warp.polled = nullptr;  // it is busy
        return;
      }
      if (next >= limit) {
        warp.add_ready(next, lanes);
        break;
      }
      at = next;
    }
  }
}

}  // namespace kerlab::emu
