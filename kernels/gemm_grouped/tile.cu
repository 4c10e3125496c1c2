// Rung 1, tile: tiles of D in shared memory, tensor cores, whatever the groups.
//
// Idea      a block computes 64 rows by 64 columns of D, wherever groups begin and end among these rows. For each group
//           that has some of them it multiplies all 64 rows by the group's columns, and writes those that are the
//           group's: nothing to schedule, and no row is read for another's sake but those of the same tile.
//           Both tiles lie in shared memory with k contiguous, 4 warps multiply 32 x 32 each with mma.sync.
// Expects   anything.
// Operations each group's rows rounded up to tiles at both ends: up to 2 (groups - 1) more products than tiles.
// Lacks     wide loads, copies that overlap with products; small groups multiply 64 rows for a few.
#include "common/shared_address.cuh"
#include "common/sm80/ldmatrix.cuh"
#include "common/sm80/mma_sync.cuh"
#include "groups.cuh"

constexpr int kTile = 64, kStep = 32;
constexpr int kRow = kStep + 8;  // padded: rows 80 bytes apart, which ldmatrix reads without bank conflicts

extern "C" __global__ void __launch_bounds__(128)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const int* __restrict__ offsets,
         DTYPE* __restrict__ D, int tokens, int N, int K, int groups) {
  __shared__ __align__(16) DTYPE a_tile[kTile][kRow];
  __shared__ __align__(16) DTYPE b_tile[kTile][kRow];  // column n, k
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int m0 = static_cast<int>(blockIdx.y) * kTile, n0 = static_cast<int>(blockIdx.x) * kTile;
  const int row = thread / 64 * 32, column = thread / 32 % 2 * 32;  // of this warp
  const int end = tokens - m0 < kTile ? tokens : m0 + kTile;
  for (int g = group_of(offsets, groups, m0); g < groups && offsets[g] < end; ++g) {
    const int first = offsets[g], behind = offsets[g + 1];
    if (behind <= m0 || behind == first) continue;
    float accumulators[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += kStep) {
      __syncthreads();
      for (int i = thread; i < kTile * kStep; i += 128) {
        const int m = i / kStep, k = i % kStep;
        const bool inside = m0 + m < end && k0 + k < K;
        a_tile[m][k] = inside ? A[static_cast<long long>(m0 + m) * K + k0 + k] : DTYPE{};
        const int n = TRANS_B ? m : i % kTile, b_k = TRANS_B ? k : i / kTile;
        b_tile[n][b_k] = n0 + n < N && k0 + b_k < K ? b_at(B, g, k0 + b_k, n0 + n, N, K) : DTYPE{};
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kStep; k += 16) {
        unsigned a[2][4], b[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          sm80::ldmatrix_x4(a[i], shared_address(&a_tile[row + i * 16 + lane % 16][k + lane / 16 * 8]));
          sm80::ldmatrix_x4(b[i],
                            shared_address(&b_tile[column + i * 16 + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]));
        }
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j)
            sm80::mma_m16n8<DTYPE>(accumulators[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      const int i = e / 16, j = e / 4 % 4, c = e % 4;
      const int m = m0 + row + i * 16 + lane / 4 + c / 2 * 8, n = n0 + column + j * 8 + lane % 4 * 2 + c % 2;
      if (m >= first && m < behind && m < end && n < N)
        D[static_cast<long long>(m) * N + n] = from_accumulator(accumulators[i][j][c]);
    }
  }
}
