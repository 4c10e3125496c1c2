#pragma once
// Sums of a warpgroup to D through shared memory and TMA: finished in registers, gathered into panels of 64
// rows by 128 bytes, swizzled so that neither side has bank conflicts, and stored while the warpgroup goes on.
#include "common/sm90/accumulator.cuh"
#include "epilogue.cuh"
#include "matrix_store.cuh"
#include "wgmma_tile.cuh"

constexpr int kPanelOut = 128 / OUT_BYTES;  // columns of D in a panel
constexpr int kPanelOutBytes = 64 * 128;
constexpr int kPanelsOut = 2;  // of a warpgroup: one is written while the other is stored

/// Numbers `at` and `at + 1` of a thread's sums, which belong at (m, n) and (m, n + 1), finished but not yet rounded to
/// D's type.
__device__ __forceinline__ Vector<Sum, 2> finish_two(const Epilogue& epilogue, int m, int n, int M, Sum first,
                                                     Sum second) {
  Vector<Added, 2> bias = {}, c = {};
  const int N = epilogue.N;
  if (BIAS) {
    if (n < N) bias.at[0] = epilogue.bias[n];
    if (n + 1 < N) bias.at[1] = epilogue.bias[n + 1];
  }
  if (epilogue.beta != Sum(0) && m < M) {
    const long long at = static_cast<long long>(m) * N + n;
    if (n < N) c.at[0] = epilogue.C[at];
    if (n + 1 < N) c.at[1] = epilogue.C[at + 1];
  }
  return {epilogue.unrounded(m, n, first, bias.at[0], c.at[0]),
          epilogue.unrounded(m, n + 1, second, bias.at[1], c.at[1])};
}

/// Sums of columns `column` to column + kPanelOut of the tile, finished, to the panel of 64 rows at the shared address
/// `to`: 16 bytes i of row r lie at r * 128 + (i ^ r % 8) * 16. A warp writes its own 16 rows. (m0, n0): of the tile.
template <int COLUMNS>
__device__ __forceinline__ void fill_panel(const Sum (&sums)[COLUMNS / 2], unsigned to, int column, int m0, int n0,
                                           int M, const Epilogue& epilogue) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  const int lane = thread % 32;
  const int first_row = thread / 32 * 16;
  const int m = m0 + first_row + lane / 4;
  const int n = n0 + column + lane % 4 * 2;
#if OUT_BYTES == 2
#pragma unroll
  for (int j = 0; j < kPanelOut / 16; ++j) {
    unsigned words[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int at = (column / 8 + j * 2 + e / 2) * 4 + e % 2 * 2;
      const Vector<Sum, 2> two = finish_two(epilogue, m + e % 2 * 8, n + j * 16 + e / 2 * 8, M, sums[at], sums[at + 1]);
      words[e] = pack_two<Out>(two.at[0], two.at[1]);  // one instruction for both
    }
    const int row = first_row + lane % 16;
    store_matrices(to + row * 128 + ((j * 2 + lane / 16) ^ row % 8) * 16, words[0], words[1], words[2], words[3]);
  }
#else  // the two numbers of a thread are 8 bytes, or (fp8) 2
#pragma unroll
  for (int j = 0; j < kPanelOut / 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = (column / 8 + j) * 4 + half * 2;
      const int row = first_row + lane / 4 + half * 8;
      const Vector<Sum, 2> finished = finish_two(epilogue, m + half * 8, n + j * 8, M, sums[at], sums[at + 1]);
      const Vector<Out, 2> two = {from_sum(finished.at[0]), from_sum(finished.at[1])};
      const int byte = (j * 8 + lane % 4 * 2) * OUT_BYTES;
      const unsigned place = to + row * 128 + (byte / 16 ^ row % 8) * 16 + byte % 16;
#if OUT_BYTES == 1
      const unsigned short both = *reinterpret_cast<const unsigned short*>(&two);
      asm volatile("st.shared.b16 [%0], %1;" ::"r"(place), "h"(both) : "memory");
#else
      const uint2 words = *reinterpret_cast<const uint2*>(&two);
      asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(place), "r"(words.x), "r"(words.y) : "memory");
#endif
    }
#endif
}

/// 64 rows from m0 on by COLUMNS columns from n0 on. `slab`: shared address of this warpgroup's panels, 1024 bytes
/// aligned; `barrier`: its named barrier. The caller waits for the last stores (wait_stores_read) before it exits.
template <int COLUMNS>
__device__ __forceinline__ void store_sums(const Sum (&sums)[COLUMNS / 2], unsigned slab, int barrier,
                                           const TensorMap& map, int m0, int n0, int M, const Epilogue& epilogue) {
  // Panels are used in turn; after an odd number of them the next call begins with the one that was stored last.
  static_assert(COLUMNS % kPanelOut == 0, "constraint panels_of_d");
  constexpr int kStillRead = COLUMNS / kPanelOut % kPanelsOut == 0 ? kPanelsOut - 1 : 0;
  const bool stores = threadIdx.x % 128 == 0;
#pragma unroll
  for (int panel = 0; panel < COLUMNS / kPanelOut; ++panel) {
    const unsigned to = slab + panel % kPanelsOut * kPanelOutBytes;
    if (stores) wait_stores_read<kStillRead>();
    sync_threads(barrier, 128);  // the panel is free
    fill_panel<COLUMNS>(sums, to, panel * kPanelOut, m0, n0, M, epilogue);
    fence_for_async();
    sync_threads(barrier, 128);  // the panel is whole
    if (stores) {
      store_box(map, n0 + panel * kPanelOut, m0, static_cast<int>(blockIdx.z), to);
      commit_stores();
    }
  }
}
