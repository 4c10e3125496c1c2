#pragma once
// Fragments of matrices from shared memory, a warp at a time. PTX ISA, "Warp-level matrix load instruction: ldmatrix".
// Called by all threads of a warp together. No fence is implied: what other threads, or cp.async, wrote is there after
// their cp_async_wait and a barrier.

namespace sm80 {

/// Four 8 x 8 matrices of 16-bit numbers; lane l gives the address of row l % 8 of matrix l / 8 and receives, in
/// register m, numbers 2 (l % 4) and the next of row l / 4 of matrix m.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// The same, each matrix transposed: numbers of column l / 4, rows 2 (l % 4) and the next.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// One word of shared memory, by its address in the shared window.
__device__ __forceinline__ unsigned load_shared_word(unsigned address) {
  unsigned word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
  return word;
}

}  // namespace sm80
