#pragma once
// To which pipe an instruction belongs and how much arithmetic it does: what the counts are made of.

#include "device/emu/ptx/ir.h"
#include "plan/counts.h"

namespace kerlab::emu {

Pipe pipe(const ptx::Instruction& instruction);
/// Of one lane: add, mul 1, fma 2; packed halves double.
std::int64_t flops(const ptx::Instruction& instruction);
/// Of one warp: 2 m n k.
std::int64_t tensor_flops(const ptx::Instruction& instruction);

}  // namespace kerlab::emu
