#pragma once
// The epilogue: accumulators of a warpgroup to D. They are gathered in shared memory in epilogue stages of OUT_ROWS
// rows by 128 bytes, swizzled so that neither side has bank conflicts. A stage whose rows are all the group's leaves by
// TMA; of others the threads write the group's rows: below them begins the next group.
#include "common/sm90/accumulator.cuh"
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/stmatrix.cuh"
#include "gemm/sm90_tile.cuh"

constexpr int kOutColumns = 64;  // 128 bytes
constexpr int kOutStageBytes = OUT_ROWS * 128;
constexpr int kOutStages = 2;  // of a warpgroup: one is written while the other is stored

/// What a warpgroup needs to write its accumulators.
struct GroupEpilogue {
  const TensorMap& map;  // of D: boxes of 64 columns by OUT_ROWS rows
  DTYPE* D;
  int N;
  unsigned stages;  // shared address of its epilogue stages, 1024 bytes aligned
  int barrier;      // its named barrier
  int next = 0;     // the stage that is next

  __device__ __forceinline__ int thread() const { return static_cast<int>(threadIdx.x) % 128; }

  /// The shared address of the next stage, free to be written.
  __device__ __forceinline__ unsigned open() {
    if (thread() == 0) tma_store_wait_read<kOutStages - 1>();
    NamedBarrier{barrier, 128}.sync();
    return stages + next * kOutStageBytes;
  }

  /// The stage is written, and belongs at row m and column n; `rows` of its rows are the group's.
  __device__ __forceinline__ void close(int m, int n, int rows) {
    const unsigned stage = stages + next * kOutStageBytes;
    fence_proxy_async();
    NamedBarrier{barrier, 128}.sync();
    if (rows < OUT_ROWS) {
      for (int i = thread(); i < rows * 8; i += 128) {
        const int row = i / 8, part = i % 8;
        if (n + part * 8 >= N) continue;
        uint4 four;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                     : "r"(stage + row * 128 + (part ^ row % 8) * 16)
                     : "memory");
        *reinterpret_cast<uint4*>(D + static_cast<long long>(m + row) * N + n + part * 8) = four;
      }
    } else if (thread() == 0) {
      TmaStore::store(map, stage, n, m, 0);
    }
    if (thread() == 0) tma_store_commit();  // one bulk group per stage, which may be empty
    next ^= 1;
  }

  /// Accumulators of 64 rows of D from m on, kColumns columns from n on; `rows` of the rows are the group's.
  __device__ __forceinline__ void store_rows(const Accumulator (&accumulators)[kColumns / 2], int m, int n, int rows) {
    const int lane = thread() % 32, row = thread() / 32 * 16 + lane % 16;
#pragma unroll
    for (int column = 0; column < kColumns; column += kOutColumns) {
      if (n + column >= N) break;
      const unsigned stage = open();
#pragma unroll
      for (int j = 0; j < kOutColumns / 16; ++j) {
        const Accumulator* x = accumulators + column / 2 + j * 8;
        stmatrix_x4(stage + row * 128 + ((j * 2 + lane / 16) ^ row % 8) * 16, pack_two<Out>(x[0], x[1]),
                    pack_two<Out>(x[2], x[3]), pack_two<Out>(x[4], x[5]), pack_two<Out>(x[6], x[7]));
      }
      close(m, n + column, rows);
    }
  }

  /// Accumulators of 64 columns of D from n on, kColumns rows from m on, which are the columns of wgmma; `rows` are the
  /// group's.
  __device__ __forceinline__ void store_columns(const Accumulator (&accumulators)[kColumns / 2], int m, int n,
                                                int rows) {
    const int lane = thread() % 32, part = thread() / 32 * 2 + lane / 8 % 2;
    if (n >= N) return;
#pragma unroll
    for (int first = 0; first < kColumns; first += OUT_ROWS) {
      if (first >= rows) break;
      const unsigned stage = open();
#pragma unroll
      for (int j = 0; j < OUT_ROWS / 16; ++j) {
        const Accumulator* x = accumulators + first / 2 + j * 8;
        const int row = j * 16 + lane / 16 * 8 + lane % 8;
        stmatrix_x4_trans(stage + row * 128 + (part ^ row % 8) * 16, pack_two<Out>(x[0], x[1]),
                          pack_two<Out>(x[2], x[3]), pack_two<Out>(x[4], x[5]), pack_two<Out>(x[6], x[7]));
      }
      close(m + first, n, rows - first);
    }
  }
};
