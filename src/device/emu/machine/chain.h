#pragma once
// Dependences in straight-line code, as far as they cost time.

#include <cstdint>
#include <span>

#include "device/emu/ptx/ir.h"
#include "plan/stretch.h"

namespace kerlab::emu {

using Code = std::span<const ptx::Instruction* const>;

/// Sets `chain` and `awaited`. Chain: cycles from the first instruction to the moment when the last one has its
/// operands, if nothing but dependences through registers held them up (latencies: plan/stretch.h); and until a load
/// from global memory is there, if `after`, what may be executed next, reads it. Other results that nobody here waits
/// for cost nothing; asynchronous copies are their own matter.
void measure_chain(const ptx::Kernel& kernel, Code code, Code after, Stretch& stretch);

}  // namespace kerlab::emu
