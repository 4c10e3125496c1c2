// What wgmma reads of shared memory, and registers that are touched while a wgmma may still write or read them. PTX ISA,
// "Asynchronous Warpgroup Level Matrix Instructions".

#include <fmt/format.h>

#include <algorithm>

#include "device/emu/ptx/control_flow.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

using ptx::Opcode;

/// Slices of a tile along k overlap as ranges: what the group reads already is not looked at again.
void Sanitizer::wgmma_issued(Warp& warp, const Op& op, std::uint32_t group, std::uint32_t begin, std::uint32_t end) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  if (own.operands_group != group) own.operands.clear();
  own.operands_group = group;
  const auto known = std::find_if(own.operands.begin(), own.operands.end(), [&](const OperandRange& range) {
    return begin >= range.begin && begin <= range.end;
  });
  if (known == own.operands.end()) {
    own.operands.push_back({begin, end});
  } else {
    begin = known->end;
    known->end = std::max(known->end, end);
  }
  if (begin >= end) return;
  Event event;
  event.warp = &warp;
  event.op = &op;
  event.shadow = &own;
  event.actor = own.actor + kWgmma;
  event.time = group + 1;
  event.site = infos_[index_of(op)].site;
  event.flags = kAsyncProxy;
  event.reads = true;
  event.mask = ~0u;
  access_range(shared_region(*warp.cta), begin, end - begin, event);
}

void Sanitizer::wgmma_waited(Warp& warp, std::uint32_t groups) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  own.now.known.raise((own.actor & kActorMask) + kWgmma, groups);
}

}  // namespace kerlab::emu
