#pragma once
// Warpgroups: 128 threads, four warps in a row, that issue wgmma together. Wraps elect.sync and setmaxnreg (PTX ISA,
// "elect.sync", "setmaxnreg"). Needs sm_90a. No fence is implied.

/// Which warpgroup of the block this thread belongs to. All threads of a warp call it. Told by lane 0 to its warp: the
/// compiler then knows that the value is the same in the warp and keeps descriptors in uniform registers (60 instructions a stage
/// of a main loop, not 95).
__device__ __forceinline__ int warpgroup_index() {
  return __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 128, 0);
}

/// True in one lane of a converged warp. All 32 lanes call it.
__device__ __forceinline__ bool elect_one() {
  unsigned elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(elected));
  return elected != 0;
}

/// From now on this warpgroup's threads have RegisterCount registers each: a multiple of 8 from 24 to 256. All four
/// warps call it. The kernel needs __launch_bounds__(threads, 1), else the compiler ignores it (C7508). `dealloc` gives
/// registers back, `alloc` waits until there are enough.
template <int RegisterCount>
__device__ __forceinline__ void warpgroup_reg_dealloc() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(RegisterCount));
}
template <int RegisterCount>
__device__ __forceinline__ void warpgroup_reg_alloc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(RegisterCount));
}
