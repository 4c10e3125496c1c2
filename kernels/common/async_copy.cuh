#pragma once
// cp.async: copies from global to shared memory that bypass the registers (sm_80 and later). PTX ISA, "Data Movement
// and Conversion Instructions: Asynchronous copy", cp.async, cp.async.commit_group, cp.async.wait_group. Ours instead
// of cuda_pipeline.h, which costs ten times as long to parse.
#include "common/shared_address.cuh"

/// 16 bytes, both ends aligned to 16. Past L1 (.cg): what is shared by a block is not wanted there a second time.
__device__ __forceinline__ void copy_16(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// The same, or nothing. A predicate, not a branch, so that the instruction can stand between arithmetic.
__device__ __forceinline__ void copy_16_if(bool wanted, unsigned to, const void* from) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t"
      "@p cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n\t}" ::"r"(to),
      "l"(from), "r"(static_cast<int>(wanted))
      : "memory");
}

/// The same, or 16 bytes of zeros; then `from` is not read and may point anywhere.
__device__ __forceinline__ void copy_16_or_zero(bool wanted, unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(wanted ? 16 : 0)
               : "memory");
}

/// 8 bytes, or 8 bytes of zeros (through L1, .ca).
__device__ __forceinline__ void copy_8_or_zero(bool wanted, unsigned to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(wanted ? 8 : 0) : "memory");
}

/// 4 bytes, or 4 bytes of zeros (through L1, .ca: .cg knows 16 bytes only).
__device__ __forceinline__ void copy_4_or_zero(bool wanted, unsigned to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(wanted ? 4 : 0) : "memory");
}

/// This thread's copies since the last call become one group.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most PENDING of this thread's groups are unfinished. Others see the data after a barrier.
template <int PENDING>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
