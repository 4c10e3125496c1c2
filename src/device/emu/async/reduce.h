#pragma once
// Reductions of the async proxy: cp.reduce.async.bulk and red.async, element by element.

#include <cstddef>

#include "device/emu/ptx/instruction_words.h"

namespace kerlab::emu {

/// to[i] = to[i] op from[i] for `bytes` bytes of the type. f32 sums in global memory flush subnormals, as red.add does
/// there (tensor copies do not: they pass false); sums of f16 and bf16 keep them (.noftz is part of the instruction).
void reduce(ptx::Atomic operation, ptx::Type type, bool global, std::byte* to, const std::byte* from,
            std::size_t bytes);
/// Whether there is such a reduction.
bool can_reduce(ptx::Atomic operation, ptx::Type type);

}  // namespace kerlab::emu
