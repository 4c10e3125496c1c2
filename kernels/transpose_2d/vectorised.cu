// Rung 4, vectorised: 16 bytes an access on both sides and in shared memory.
//
// Idea      a thread loads VEC lines of 16 bytes, all in flight at once, and turns these VEC x VEC elements in registers.
//           Written as they are, a line would be half a sector of y. So they go through shared memory, 16 bytes at a time:
//           HIGH lines of a row of y lie side by side there, 128 bytes and more that HIGH threads write together. Tiles one
//           below the other are done one after the other, so that what is written at a time is whole rows of y.
// Banks     line g of a row of y lies at g xor (its column's packet mod 8): eight threads that store (one g, eight
//           packets) and eight that load (eight g, one packet) have eight different 16 bytes of 128.
// Parameters WIDE packets of 16 bytes across a tile, HIGH down it; RASTER: 0 tiles along rows of x, 1 along rows of y.
// Expects   M and N multiples of VEC, 16 bytes; tensors may have leading dimensions of their own.
// Lacks     other shapes, which swizzled takes.
// Measured  on an H200, 16384^2: fp32 519 us, 4.13 TB/s (WIDE=16 HIGH=16 RASTER=1; HIGH=8 RASTER=0: 580 us); bf16 262 us (290).
#include "turn.cuh"

extern "C" __global__ void __launch_bounds__(HIGH * WIDE)
transpose(const Bits* __restrict__ X, Bits* __restrict__ Y, long long M, long long N, long long pitch_X,
          long long pitch_Y) {
  __shared__ Line tile[WIDE * VEC * HIGH];
  X += blockIdx.z * M * pitch_X;
  Y += blockIdx.z * N * pitch_Y;
  const long long across = (N + WIDE * VEC - 1) / (WIDE * VEC);
  const long long down = (M + HIGH * VEC - 1) / (HIGH * VEC);
  const long long top = (RASTER == 0 ? blockIdx.x / across : blockIdx.x % down) * (HIGH * VEC);
  const long long left = (RASTER == 0 ? blockIdx.x % across : blockIdx.x / down) * (WIDE * VEC);

  const int packet = threadIdx.x % WIDE;
  const int group = threadIdx.x / WIDE;
  if (top + group * VEC < M && left + packet * VEC < N) {
    const Bits* x = X + (top + group * VEC) * pitch_X + left + packet * VEC;
    Line held[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) held[k] = *reinterpret_cast<const Line*>(x + k * pitch_X);
#pragma unroll
    for (int k = 0; k < VEC; ++k) tile[(packet * VEC + k) * HIGH + (group ^ packet % 8)] = turned(held, k);
  }
  __syncthreads();

  const int line = threadIdx.x % HIGH;
#pragma unroll
  for (int k = 0; k < VEC; ++k) {
    const int row = threadIdx.x / HIGH + k * WIDE;  // of y
    if (left + row < N && top + line * VEC < M)
      *reinterpret_cast<Line*>(Y + (left + row) * pitch_Y + top + line * VEC) = tile[row * HIGH + (line ^ row / VEC % 8)];
  }
}
