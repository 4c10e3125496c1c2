#pragma once
// The multiplications that mma.sync and wmma.mma are made of: D = A B + C, in the lanes of the mask.

#include "device/emu/handlers/matrix_registers.h"

namespace kerlab::emu::KERLAB_ISA {

/// What operands are.
enum class FloatKind { f16, bf16, tf32, e4m3, e5m2 };

/// m16n8 with k of 256 bits: k16 of f16 and bf16, k8 of tf32, k32 of fp8. Accumulators are f32 or f16. Exists (in
/// matrix_float.inc) for what mma.sync knows: A like B except with fp8, which mixes; f16 accumulators with f16 and fp8.
template <FloatKind kA, FloatKind kB, bool kF16Accumulators>
void multiply_floats(const Registers& d, const Registers& a, const Registers& b, const Registers& c, u32 mask);

/// m16n8k16 of bytes (matrix_integer.inc).
void multiply_bytes(const Registers& d, const Registers& a, const Registers& b, const Registers& c, u32 mask,
                    bool is_signed, bool saturate);

}  // namespace kerlab::emu::KERLAB_ISA
