#pragma once
// Copies from global to shared memory past the registers (sm_80 and later). PTX ISA, "Data Movement and Conversion
// Instructions: Asynchronous copy", cp.async, cp.async.commit_group, cp.async.wait_group.
// Called by one thread each. No fence is implied: the thread itself sees the data after cp_async_wait, who else reads them
// waits at a barrier behind it.

#include "common/shared_address.cuh"

namespace sm80 {

/// 16 bytes, both ends aligned to 16, or 16 bytes of zeros: then `from` is not read and may point anywhere. Past L1.
__device__ __forceinline__ void cp_async_16(unsigned to, const void* from, bool wanted = true) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(wanted ? 16 : 0)
               : "memory");
}

/// 8 bytes, or 8 bytes of zeros (through L1: the other way knows 16 bytes only).
__device__ __forceinline__ void cp_async_8(unsigned to, const void* from, bool wanted) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(wanted ? 8 : 0) : "memory");
}

/// 4 bytes, or 4 bytes of zeros.
__device__ __forceinline__ void cp_async_4(unsigned to, const void* from, bool wanted) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(wanted ? 4 : 0) : "memory");
}

/// 16 bytes, or nothing. A predicate, not a branch, so that the instruction can stand between arithmetic.
__device__ __forceinline__ void cp_async_16_if(bool wanted, unsigned to, const void* from) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t"
      "@p cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n\t}" ::"r"(to),
      "l"(from), "r"(static_cast<int>(wanted))
      : "memory");
}

/// This thread's copies since the last call become one group.
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most Pending of this thread's groups are unfinished. Others see the data after a barrier.
template <int Pending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace sm80
