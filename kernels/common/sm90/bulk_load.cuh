#pragma once
// Loads by bulk copies: a run of bytes from global to shared memory, past the registers. Wraps cp.async.bulk (PTX ISA,
// "Data Movement and Conversion Instructions: cp.async.bulk"). Needs sm_90. Unlike TmaLoad it wants no tensor map, and
// knows no edges.
#include "common/sm90/mbarrier.cuh"

/// One thread, after arrive_expect_tx of as many bytes: both addresses and bytes are whole 16. Who waits for the mbarrier
/// sees the bytes. Those who read what lay there before have passed a barrier with this thread.
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, Mbarrier& full) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(&full))
               : "memory");
}
