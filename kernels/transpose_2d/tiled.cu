// Rungs 1 to 3, tiled, padded, swizzled: 32 x 32 elements through shared memory.
//
// Idea      a block reads 32 rows of 32 elements along the rows of x, and writes 32 rows along those of y: both sides are
//           coalesced, the turn happens in shared memory. PLACEMENT says where an element lies there:
//           0 tiled     row by row: a column, which a warp reads, lies in one bank (fp32: 32 passes an access)
//           1 padded    rows of 33: a column lies in 32 banks, for 3 % more shared memory
//           2 swizzled  column c of row r at c xor r: 32 banks too, without a gap
// Parameters ROWS of the block's threads, 32 / ROWS elements of each.
// Expects   anything; tensors may have leading dimensions of their own.
// Lacks     wide accesses: 2 bytes a thread in 16-bit types, 64 bytes of a warp.
#include "bits.cuh"

__device__ __forceinline__ int place(int row, int column) {
  return PLACEMENT == 0 ? row * 32 + column : PLACEMENT == 1 ? row * 33 + column : row * 32 + (column ^ row);
}

extern "C" __global__ void __launch_bounds__(32 * ROWS)
transpose(const Bits* __restrict__ X, Bits* __restrict__ Y, long long M, long long N, long long pitch_X,
          long long pitch_Y) {
  __shared__ Bits tile[32 * 33];
  X += blockIdx.z * M * pitch_X;
  Y += blockIdx.z * N * pitch_Y;
  const long long across = (N + 31) / 32;
  const long long top = blockIdx.x / across * 32;
  const long long left = blockIdx.x % across * 32;
  const int lane = threadIdx.x;

#pragma unroll
  for (int r = threadIdx.y; r < 32; r += ROWS)
    if (top + r < M && left + lane < N) tile[place(r, lane)] = X[(top + r) * pitch_X + left + lane];
  __syncthreads();
#pragma unroll
  for (int r = threadIdx.y; r < 32; r += ROWS)
    if (left + r < N && top + lane < M) Y[(left + r) * pitch_Y + top + lane] = tile[place(lane, r)];
}
