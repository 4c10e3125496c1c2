#pragma once
// TMA, the tensor memory accelerator: boxes of a tensor of 1 to 5 dimensions between global and shared memory, past the
// registers. Wraps cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch and createpolicy (PTX ISA,
// "Data Movement and Conversion Instructions: cp.async.bulk.tensor", "... cp.reduce.async.bulk.tensor",
// "createpolicy"). Needs sm_90. One thread issues each copy. Tensor, box and swizzle are in the tensor map
// (kernels/FORMAT.md, [[tensor_map]]); what of a box lies outside the tensor is read as zero and not written. Coordinates
// are elements, innermost first; the shared address is a multiple of 128 bytes, of a swizzled box of eight rows of it (128
// B: 1024). No call has a fence in it: which ones are needed stands at TmaLoad (none) and TmaStore (fence_proxy_async).
#include "common/sm90/mbarrier.cuh"

/// A tensor map; a kernel takes it as `const __grid_constant__ TensorMap map`.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

/// One thread: the map will be needed soon. It is far away at first.
__device__ __forceinline__ void prefetch_tensor_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// How long L2 shall keep what a copy touches. A thread makes a policy once and hands it to copies.
struct CachePolicy {
  unsigned long long bits;
  /// Read or written once: the first to go.
  static __device__ __forceinline__ CachePolicy evict_first() {
    CachePolicy policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy.bits));
    return policy;
  }
  /// Read again by other blocks: the last to go.
  static __device__ __forceinline__ CachePolicy evict_last() {
    CachePolicy policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy.bits));
    return policy;
  }
};

// A copy's text: of so many coordinates, which are its last operands.
#define KERLAB_TMA_LOAD(dims, coordinates, ...)                                                     \
  asm volatile("cp.async.bulk.tensor." dims                                                         \
               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" coordinates \
               "}], [%2];" ::"r"(to),                                                               \
               "l"(&map), "r"(barrier), __VA_ARGS__                                                 \
               : "memory")
#define KERLAB_TMA_HINTED(dims, coordinates, ...)                                                                  \
  asm volatile("cp.async.bulk.tensor." dims                                                                        \
               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {" coordinates \
               "}], [%2], %3;" ::"r"(to),                                                                          \
               "l"(&map), "r"(barrier), "l"(policy.bits), __VA_ARGS__                                              \
               : "memory")
#define KERLAB_TMA_MULTICAST(dims, coordinates, ...)                                                                   \
  asm volatile("cp.async.bulk.tensor." dims                                                                            \
               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" coordinates \
               "}], [%2], %3;" ::"r"(to),                                                                              \
               "l"(&map), "r"(barrier), "h"(ranks), __VA_ARGS__                                                        \
               : "memory")
#define KERLAB_TMA_MULTICAST_HINTED(dims, coordinates, ...)                                                         \
  asm volatile("cp.async.bulk.tensor." dims                                                                         \
               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], " \
               "[%1, {" coordinates "}], [%2], %3, %4;" ::"r"(to),                                                  \
               "l"(&map), "r"(barrier), "h"(ranks), "l"(policy.bits), __VA_ARGS__                                   \
               : "memory")

/// Global to shared memory. The bytes of the whole box (those outside the tensor too) count at the mbarrier; who waits
/// for it sees them, by wgmma too, without a fence. Before a stage is overwritten, its readers must have arrived
/// somewhere that this thread waited for (Pipeline::acquire).
struct TmaLoad {
  static __device__ __forceinline__ void load(const TensorMap& map, unsigned to, Mbarrier& full, int x, int y) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_LOAD("2d", "%3, %4", "r"(x), "r"(y));
  }
  static __device__ __forceinline__ void load(const TensorMap& map, unsigned to, Mbarrier& full, int x, int y, int z) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_LOAD("3d", "%3, %4, %5", "r"(x), "r"(y), "r"(z));
  }
  static __device__ __forceinline__ void load(const TensorMap& map, unsigned to, Mbarrier& full, int x, int y, int z,
                                              int u) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_LOAD("4d", "%3, %4, %5, %6", "r"(x), "r"(y), "r"(z), "r"(u));
  }
  static __device__ __forceinline__ void load(const TensorMap& map, unsigned to, Mbarrier& full, int x, int y, int z,
                                              int u, int v) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_LOAD("5d", "%3, %4, %5, %6, %7", "r"(x), "r"(y), "r"(z), "r"(u), "r"(v));
  }

  /// With an L2 cache hint.
  static __device__ __forceinline__ void load(CachePolicy policy, const TensorMap& map, unsigned to, Mbarrier& full,
                                              int x, int y) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_HINTED("2d", "%4, %5", "r"(x), "r"(y));
  }
  static __device__ __forceinline__ void load(CachePolicy policy, const TensorMap& map, unsigned to, Mbarrier& full,
                                              int x, int y, int z) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_HINTED("3d", "%4, %5, %6", "r"(x), "r"(y), "r"(z));
  }
  static __device__ __forceinline__ void load(CachePolicy policy, const TensorMap& map, unsigned to, Mbarrier& full,
                                              int x, int y, int z, int u) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_HINTED("4d", "%4, %5, %6, %7", "r"(x), "r"(y), "r"(z), "r"(u));
  }

  /// To all blocks of the cluster whose bit is set in `ranks`: to the same place, counted at the same mbarrier of each.
  /// Each of them announces all bytes that come to it, whoever copies them.
  static __device__ __forceinline__ void multicast(const TensorMap& map, unsigned to, Mbarrier& full,
                                                   unsigned short ranks, int x, int y) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_MULTICAST("2d", "%4, %5", "r"(x), "r"(y));
  }
  static __device__ __forceinline__ void multicast(const TensorMap& map, unsigned to, Mbarrier& full,
                                                   unsigned short ranks, int x, int y, int z) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_MULTICAST("3d", "%4, %5, %6", "r"(x), "r"(y), "r"(z));
  }
  static __device__ __forceinline__ void multicast(const TensorMap& map, unsigned to, Mbarrier& full,
                                                   unsigned short ranks, int x, int y, int z, int u) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_MULTICAST("4d", "%4, %5, %6, %7", "r"(x), "r"(y), "r"(z), "r"(u));
  }
  static __device__ __forceinline__ void multicast(CachePolicy policy, const TensorMap& map, unsigned to,
                                                   Mbarrier& full, unsigned short ranks, int x, int y, int z) {
    const unsigned barrier = shared_address(&full);
    KERLAB_TMA_MULTICAST_HINTED("3d", "%5, %6, %7", "r"(x), "r"(y), "r"(z));
  }
};
#undef KERLAB_TMA_LOAD
#undef KERLAB_TMA_HINTED
#undef KERLAB_TMA_MULTICAST
#undef KERLAB_TMA_MULTICAST_HINTED

#define KERLAB_TMA_STORE(instruction, coordinates, ...) \
  asm volatile(instruction " [%0, {" coordinates "}], [%1];" ::"l"(&map), "r"(from), __VA_ARGS__ : "memory")

/// Shared to global memory. Before: all threads that wrote the box call fence_proxy_async, then a barrier with the
/// thread that stores. That thread commits, and waits (tma_store_wait_read) before the memory is used again, and before
/// it exits.
struct TmaStore {
  static __device__ __forceinline__ void store(const TensorMap& map, unsigned from, int x, int y) {
    KERLAB_TMA_STORE("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", "%2, %3", "r"(x), "r"(y));
  }
  static __device__ __forceinline__ void store(const TensorMap& map, unsigned from, int x, int y, int z) {
    KERLAB_TMA_STORE("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group", "%2, %3, %4", "r"(x), "r"(y),
                     "r"(z));
  }
  static __device__ __forceinline__ void store(const TensorMap& map, unsigned from, int x, int y, int z, int u) {
    KERLAB_TMA_STORE("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group", "%2, %3, %4, %5", "r"(x), "r"(y),
                     "r"(z), "r"(u));
  }
  static __device__ __forceinline__ void store(const TensorMap& map, unsigned from, int x, int y, int z, int u, int v) {
    KERLAB_TMA_STORE("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group", "%2, %3, %4, %5, %6", "r"(x), "r"(y),
                     "r"(z), "r"(u), "r"(v));
  }

  /// With an L2 cache hint.
  static __device__ __forceinline__ void store(CachePolicy policy, const TensorMap& map, unsigned from, int x, int y,
                                               int z) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%2, %3, %4}], [%1], %5;" ::"l"(
            &map),
        "r"(from), "r"(x), "r"(y), "r"(z), "l"(policy.bits)
        : "memory");
  }

  /// Adds the box to what is in memory, element by element, in L2: atomic for each element, in any order, so that sums
  /// of floats differ from run to run. Types: those of the map (fp32, fp16, bf16, integers).
  static __device__ __forceinline__ void reduce_add(const TensorMap& map, unsigned from, int x, int y) {
    KERLAB_TMA_STORE("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", "%2, %3", "r"(x), "r"(y));
  }
  static __device__ __forceinline__ void reduce_add(const TensorMap& map, unsigned from, int x, int y, int z) {
    KERLAB_TMA_STORE("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group", "%2, %3, %4", "r"(x),
                     "r"(y), "r"(z));
  }
  static __device__ __forceinline__ void reduce_add(const TensorMap& map, unsigned from, int x, int y, int z, int u) {
    KERLAB_TMA_STORE("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group", "%2, %3, %4, %5", "r"(x),
                     "r"(y), "r"(z), "r"(u));
  }
};
#undef KERLAB_TMA_STORE

/// This thread's stores since the last call become one group.
__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Until at most Pending groups of this thread have not read their shared memory: then it may be written again.
template <int Pending>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
/// Until at most Pending groups of this thread are not in memory.
template <int Pending>
__device__ __forceinline__ void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

/// `bytes` of global memory, both of whole 16, shall be in L2 soon. Any thread.
__device__ __forceinline__ void l2_prefetch(const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
