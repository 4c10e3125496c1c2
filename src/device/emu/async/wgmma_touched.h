#pragma once
// Registers of a wgmma.mma_async that other instructions use while it may be under way, found in the kernel's text on
// all paths. The hardware gives them no protection: ptxas warns (C7517) and waits before the other instruction, or
// serialises all wgmma of the function (C7510), which costs most of their speed.

#include <cstdint>
#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

struct WgmmaTouch {
  std::int32_t wgmma = 0, by = 0;  ///< indices of instructions
  std::int32_t reg = 0;            ///< the first one, of Kernel::registers
  bool writes = false;             ///< else reads; A's registers may be read
  bool move = false;               ///< mov between registers: ptxas may give both one place, and then it is harmless
};

/// In order of `by`. A wgmma that has the same accumulators in the same order goes on adding: no touch.
std::vector<WgmmaTouch> wgmma_touched(const ptx::Kernel& kernel);

}  // namespace kerlab::emu
