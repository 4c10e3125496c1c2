#pragma once
// Which operands of mma.sync hold what an earlier one of the same block read: their handler keeps fragments decoded.

#include "device/emu/machine/program.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

/// Sets Op::unchanged of all operations.
void mark_unchanged(const ptx::Kernel& kernel, const ptx::RegisterPlaces& places, Program& program);

}  // namespace kerlab::emu
