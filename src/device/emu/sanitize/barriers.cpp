// Named barriers and what else synchronises a warp.

#include "device/emu/machine/warp_state.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

/// bar is barrier.aligned: all threads of the warp execute the same one.
bool is_aligned(const Op& op) {
  const ptx::Instruction& instruction = *op.instruction;
  return instruction.opcode == ptx::Opcode::bar || instruction.text.find(".aligned") != std::string::npos;
}

}  // namespace

void Sanitizer::sync_warp(Warp& warp) {
  warp.cta->shadow->warps[warp.index].sync_lanes();
}

void Sanitizer::reset(Cta& cta, int barrier) {
  BlockShadow& block = *cta.shadow;
  BarrierShadow& shadow = block.barriers[static_cast<std::size_t>(barrier)];
  shadow.gathered = nothing(block.cluster);
  shadow.arrivals.assign(block.warps.size(), {});
}

void Sanitizer::arrive(Warp& warp, const Op& op, int barrier, std::uint32_t lanes) {
  BlockShadow& block = *warp.cta->shadow;
  BarrierShadow& shadow = block.barriers[static_cast<std::size_t>(barrier)];
  WarpShadow& own = block.warps[warp.index];
  shadow.gathered.join(own.now);
  own.advance();
  BarrierArrival& arrival = shadow.arrivals[warp.index];
  if (arrival.op != nullptr && arrival.op != &op && is_aligned(op))
    report_divergence(warp, *arrival.op, op, barrier, arrival.lanes, lanes);
  if (arrival.op == nullptr) arrival.op = &op;
  arrival.lanes |= lanes;
}

void Sanitizer::pass(Warp& warp, int barrier) {
  BlockShadow& block = *warp.cta->shadow;
  WarpShadow& own = block.warps[warp.index];
  own.now.join(block.barriers[static_cast<std::size_t>(barrier)].gathered);
  own.sync_lanes();
}

}  // namespace kerlab::emu
