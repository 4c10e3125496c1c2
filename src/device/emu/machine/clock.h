#pragma once
// %clock, %clock64 and %globaltimer: the number of instructions that the warp has executed in its block, counted from
// an instant as a GPU would have. No time at all, but it grows, and it is the same in every run.

#include "device/emu/machine/op.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

bool is_clock(ptx::Special special);
/// Writes the register into its constant slot, `width[0]` bits; `immediate`: instructions since the begin of the block.
Handler clock_handler(ptx::Special special);

}  // namespace kerlab::emu
