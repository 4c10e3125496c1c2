#pragma once
// Sums of a warpgroup to D. They are gathered in shared memory in panels of OUT_ROWS rows by 128 bytes, swizzled so
// that neither side has bank conflicts. A panel whose rows are all the group's leaves by the copy engine; of others the
// threads write the group's rows: below them begins the next group.
#include "gemm/hopper_tile.cuh"
#include "gemm/matrix_store.cuh"

constexpr int kOutColumns = 64;  // 128 bytes
constexpr int kOutBytes = OUT_ROWS * 128;
constexpr int kOutPanels = 2;  // of a warpgroup: one is written while the other is stored

__device__ __forceinline__ unsigned two(Sum first, Sum second) {
  return from_sum(first).bits | static_cast<unsigned>(from_sum(second).bits) << 16;
}

/// What a warpgroup needs to write its sums.
struct Writer {
  const TensorMap& map;  // of D: boxes of 64 columns by OUT_ROWS rows
  DTYPE* D;
  int N;
  unsigned slab;  // shared address of its panels, 1024 bytes aligned
  int barrier;    // its named barrier
  int turn = 0;   // the panel that is next

  __device__ __forceinline__ int thread() const { return static_cast<int>(threadIdx.x) % 128; }

  /// The shared address of the next panel, free to be written.
  __device__ __forceinline__ unsigned open() {
    if (thread() == 0) wait_stores_read<kOutPanels - 1>();
    sync_threads(barrier, 128);
    return slab + turn * kOutBytes;
  }

  /// The panel is written, and belongs at row m and column n; `rows` of its rows are the group's.
  __device__ __forceinline__ void close(int m, int n, int rows) {
    const unsigned panel = slab + turn * kOutBytes;
    fence_for_async();
    sync_threads(barrier, 128);
    if (rows < OUT_ROWS) {
      for (int i = thread(); i < rows * 8; i += 128) {
        const int row = i / 8, part = i % 8;
        if (n + part * 8 >= N) continue;
        uint4 four;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                     : "r"(panel + row * 128 + (part ^ row % 8) * 16)
                     : "memory");
        *reinterpret_cast<uint4*>(D + static_cast<long long>(m + row) * N + n + part * 8) = four;
      }
    } else if (thread() == 0) {
      store_box(map, n, m, 0, panel);
    }
    if (thread() == 0) commit_stores();  // one group per panel, which may be empty
    turn ^= 1;
  }

  /// Sums of 64 rows of D from m on, kColumns columns from n on; `rows` of the rows are the group's.
  __device__ __forceinline__ void store_rows(const Sum (&sums)[kColumns / 2], int m, int n, int rows) {
    const int lane = thread() % 32, row = thread() / 32 * 16 + lane % 16;
#pragma unroll
    for (int column = 0; column < kColumns; column += kOutColumns) {
      if (n + column >= N) break;
      const unsigned panel = open();
#pragma unroll
      for (int j = 0; j < kOutColumns / 16; ++j) {
        const Sum* x = sums + column / 2 + j * 8;
        store_matrices(panel + row * 128 + ((j * 2 + lane / 16) ^ row % 8) * 16, two(x[0], x[1]), two(x[2], x[3]),
                       two(x[4], x[5]), two(x[6], x[7]));
      }
      close(m, n + column, rows);
    }
  }

  /// Sums of 64 columns of D from n on, kColumns rows from m on, which are the columns of wgmma; `rows` are the
  /// group's.
  __device__ __forceinline__ void store_columns(const Sum (&sums)[kColumns / 2], int m, int n, int rows) {
    const int lane = thread() % 32, part = thread() / 32 * 2 + lane / 8 % 2;
    if (n >= N) return;
#pragma unroll
    for (int first = 0; first < kColumns; first += OUT_ROWS) {
      if (first >= rows) break;
      const unsigned panel = open();
#pragma unroll
      for (int j = 0; j < OUT_ROWS / 16; ++j) {
        const Sum* x = sums + first / 2 + j * 8;
        const int row = j * 16 + lane / 16 * 8 + lane % 8;
        store_turned(panel + row * 128 + (part ^ row % 8) * 16, two(x[0], x[1]), two(x[2], x[3]), two(x[4], x[5]),
                     two(x[6], x[7]));
      }
      close(m + first, n, rows - first);
    }
  }
};
