#pragma once
// Registers to shared memory, as wgmma and mma.sync leave their accumulators. Wraps stmatrix (PTX ISA, "Warp-level
// matrix store instruction: stmatrix"). Needs sm_90. All 32 lanes of a warp call it. No fence is implied: before TMA
// stores what was written, fence_proxy_async.

/// Four 8 x 8 matrices of 16-bit numbers to rows of 16 bytes; lane i gives the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void stmatrix_x4(unsigned address, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}
/// The same, each matrix transposed on its way.
__device__ __forceinline__ void stmatrix_x4_trans(unsigned address, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}
