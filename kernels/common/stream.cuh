#pragma once
// Loads of data that are read once: they need not displace anything in L1. PTX ISA, "Data Movement and Conversion
// Instructions: ld.global.nc". Any thread; no fence.

/// 16 aligned bytes of memory that nobody writes while the kernel runs.
__device__ __forceinline__ uint4 load_once(const void* from) {
  uint4 four;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
               : "l"(from));
  return four;
}
