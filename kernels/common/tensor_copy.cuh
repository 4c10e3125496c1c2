#pragma once
// TMA: boxes of a tensor between global and shared memory, by one thread, past the registers. PTX
// ISA, "cp.async.bulk.tensor", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group". The tensor, the box and how
// it is swizzled are in the map (kernels/FORMAT.md, [[tensor_map]]); what of a box lies outside the tensor is read as
// zero and not written. Coordinates are elements, innermost first.
#include "common/mbarrier.cuh"

/// A tensor map; a kernel takes it as `const __grid_constant__ TensorMap map`.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

__device__ __forceinline__ void prefetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// `bytes` of global memory, both of whole 16, shall be in L2 soon. PTX ISA, "cp.async.bulk.prefetch".
__device__ __forceinline__ void l2_prefetch(const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

/// The box at (x, y) to shared memory at `to` (128 bytes aligned; of a swizzled box 1024); its bytes count at the
/// barrier.
__device__ __forceinline__ void load_box(unsigned to, const TensorMap& map, int x, int y, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
          "r"(to),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y)
      : "memory");
}
__device__ __forceinline__ void load_box(unsigned to, const TensorMap& map, int x, int y, int z, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
      "[%2];" ::"r"(to),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// The same to all blocks of the cluster whose bit is set in `ranks`: to the same place, counted at the same barrier of
/// each.
__device__ __forceinline__ void load_box_to(unsigned short ranks, unsigned to, const TensorMap& map, int x, int y,
                                            int z, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
      "{%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "h"(ranks)
      : "memory");
}

/// The box at (x, y, z) from shared memory. The thread that stores commits, and waits before the memory is used again.
__device__ __forceinline__ void store_box(const TensorMap& map, int x, int y, int z, unsigned from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
               "r"(from), "r"(x), "r"(y), "r"(z)
               : "memory");
}
__device__ __forceinline__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Until at most PENDING groups of this thread have not read their shared memory.
template <int PENDING>
__device__ __forceinline__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
