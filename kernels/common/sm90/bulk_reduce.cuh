#pragma once
// Sums in memory by bulk copies: a run of floats in shared memory is added to one in global memory, past the
// registers. Wraps cp.reduce.async.bulk (PTX ISA, "Data Movement and Conversion Instructions:
// cp.reduce.async.bulk"). Needs sm_90. Unlike TmaStore::reduce_add it wants no tensor map, and knows no edges.
#include "common/sm90/tma.cuh"

/// Adds `bytes` of floats, both addresses and bytes of whole 16: atomic for each float, in any order, so that sums
/// differ from run to run; sums below 2^-126 count as 0. Before: all threads that wrote the floats call
/// fence_proxy_async, then a barrier with the thread that calls this. That thread commits, and waits, as after a
/// TmaStore.
__device__ __forceinline__ void bulk_reduce_add(float* to, unsigned from, unsigned bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
}
