#pragma once
// The wgmma.mma_async of a warp that have been issued and not waited for. Each computes when it is issued; what is
// remembered is what the hardware may still be reading and writing: shared memory of A and B, and the accumulators (the
// first operand of `op`). PTX ISA, "wgmma.commit_group" and "wgmma.wait_group".

#include <cstdint>
#include <vector>

#include "device/emu/machine/op.h"

namespace kerlab::emu {

/// Bytes of shared memory; empty for a matrix in registers.
struct SharedRange {
  std::uint32_t begin = 0, end = 0;
  [[nodiscard]] bool meets(std::uint32_t from, std::uint32_t to) const { return begin < to && from < end; }
};

struct WgmmaGroups {
  struct InFlight {
    const Op* op = nullptr;
    std::uint32_t group = 0;  ///< of its warp, from 0: the one that the next commit closes
    SharedRange a, b;         ///< what lies between the first and the last byte read
  };
  std::vector<InFlight> pending;  ///< in order of issue
  std::uint32_t committed = 0;    ///< groups

  void reset();
};

/// The one way in, each: the handlers of wgmma.mma_async, .commit_group and .wait_group call them, once for the warp.
void issue_wgmma(Warp& warp, const Op& op, const SharedRange& a, const SharedRange& b);
void commit_wgmma(Warp& warp, const Op& op);
/// All groups but the newest `allowed` have ended.
void wait_wgmma(Warp& warp, const Op& op, std::uint32_t allowed);

/// A wgmma of any warp of the block that may still read bytes [begin, end) of the block's shared memory; null: none.
const Op* wgmma_reading(const Cta& cta, std::uint32_t begin, std::uint32_t end);

/// wgmma.fence, .commit_group, .wait_group; null for other instructions.
Handler select_wgmma_groups(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
