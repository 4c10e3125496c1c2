#pragma once
// Which handler executes an instruction. Every family exists twice, built from the same source: portable, and for
// x86-64-v3 (AVX2, FMA); the processor decides once. Results are bit-identical.

#include <string_view>

#include "device/emu/machine/op.h"

namespace kerlab::emu {

/// Returns null for an instruction that the family does not execute. Never throws.
using Select = Handler (*)(const ptx::Instruction& instruction);

struct HandlerSet {
  std::string_view name;  ///< "portable", "x86-64-v3", "x86-64-v4" (AVX-512: wgmma alone)
  Select integer;         ///< integer, logic, shifts, moves, selp, prmt, setp/set of integers, lop3, dp4a
  Select floating;        ///< f32, f64, f16(x2), bf16(x2) arithmetic, setp/set of floats, testp, copysign, fma
  Select approximate;     ///< ex2, lg2, sin, cos, tanh, rcp/sqrt/rsqrt (approx and rounded), div of floats
  Select convert;         ///< cvt
  Select memory;          ///< ld, st, ldmatrix, stmatrix, cp.async, prefetch, cvta, isspacep
  Select atomic;          ///< atom, red
  Select warp;            ///< shfl, vote, match, activemask, redux, elect (all named lanes are there), movmatrix
  Select matrix;          ///< mma, wmma.mma, wmma.load, wmma.store
  Select wgmma;           ///< wgmma.mma_async
};

/// mbarriers, bulk copies, clusters and what else is not arithmetic: built once (async/).
Handler select_async(const ptx::Instruction& instruction);

/// The best set of this processor; KERLAB_EMU_ISA names a lesser one.
const HandlerSet& handlers();

}  // namespace kerlab::emu
