#include "device/emu/async/wgmma_groups.h"

#include <algorithm>

#include "device/emu/async/cluster.h"
#include "device/emu/machine/cta.h"
#include "device/emu/machine/pipes.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

WgmmaGroups& groups_of(Warp& warp) {
  std::vector<WgmmaGroups>& all = warp.cta->wgmma;
  if (warp.index >= all.size()) all.resize(warp.index + 1);
  return all[warp.index];
}

/// Orders registers and shared memory before what is issued next: nothing is late here that it could order.
void fence(Warp&, const Op&, std::uint32_t) {}

void commit_wgmma_group(Warp& warp, const Op& op, std::uint32_t) {
  commit_wgmma(warp, op);
}

void wait_wgmma_group(Warp& warp, const Op& op, std::uint32_t) {
  wait_wgmma(warp, op, static_cast<std::uint32_t>(op.instruction->operands[0].bits));
}

}  // namespace

void WgmmaGroups::reset() {
  pending.clear();
  committed = 0;
}

void issue_wgmma(Warp& warp, const Op& op, const SharedRange& a, const SharedRange& b) {
  WgmmaGroups& groups = groups_of(warp);
  groups.pending.push_back({&op, groups.committed, a, b});
  if (warp.cta->launch->count) warp.cta->pipeline.product(tensor_flops(*op.instruction));
  if (Sanitizer* const sanitizer = warp.cta->launch->sanitizer) {
    sanitizer->wgmma_issued(warp, op, groups.committed, a.begin, a.end);
    sanitizer->wgmma_issued(warp, op, groups.committed, b.begin, b.end);
    sanitizer->registers_taken(warp, op, groups.committed);
  }
}

void commit_wgmma(Warp& warp, const Op&) {
  ++groups_of(warp).committed;
  if (warp.cta->cluster != nullptr) warp.cta->cluster->changes++;  // others of the warpgroup may wait for this
}

void wait_wgmma(Warp& warp, const Op&, std::uint32_t allowed) {
  WgmmaGroups& groups = groups_of(warp);
  if (warp.cta->launch->count) warp.cta->pipeline.wait(std::min(groups.committed, allowed));
  if (groups.committed <= allowed) return;
  const std::uint32_t ended = groups.committed - allowed;
  std::erase_if(groups.pending, [&](const WgmmaGroups::InFlight& one) { return one.group < ended; });
  if (warp.cta->launch->sanitizer != nullptr) warp.cta->launch->sanitizer->wgmma_waited(warp, ended);
}

const Op* wgmma_reading(const Cta& cta, std::uint32_t begin, std::uint32_t end) {
  for (const WgmmaGroups& warp : cta.wgmma)
    for (const WgmmaGroups::InFlight& one : warp.pending)
      if (one.a.meets(begin, end) || one.b.meets(begin, end)) return one.op;
  return nullptr;
}

Handler select_wgmma_groups(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::wgmma_fence:
      return fence;
    case ptx::Opcode::wgmma_commit_group:
      return commit_wgmma_group;
    case ptx::Opcode::wgmma_wait_group:
      return wait_wgmma_group;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
