// Rung 6, pipelined: persistent blocks take row after row from a ring that bulk copies fill.
//
// Idea      a block of row_tile loads a row, and while it reduces and writes nothing comes, unless another block of
//           the SM loads meanwhile: of a row of 32768 numbers there is no room for one. Here STAGES groups of rows are in
//           shared memory or on their way to it, past the registers. Exponentials are taken below each thread's
//           largest element, found in pairs, and the threads' sums are scaled when they meet: a row costs one barrier.
//           exp(x - max) is ex2((x - max) log2 e), once an element.
// Parameters LANES threads a row; ROWS per block; STAGES; BLOCKS an SM.
// Expects   sm_90; rows of whole 16 bytes that fit the stages, at most 64 elements a thread.
// Lacks     rows beyond a stage: see online and cluster. The last rows leave some SMs idle: of 8192 rows 0.985 is used.
// Should gain over row_tile, 8192 x 32768 bf16 on emu:h200: 250 us modelled instead of 342 (measured 316): 128 KB an SM
//           are on their way at any time, at 10.5 instructions an element.
// Measured on an H100, bf16: it loses. 8192 x 32768 378 us, 2.84 TB/s (row_tile 363, which is a copy's speed there);
//           16384 x 16384 381 us (cluster 360), 32768 x 4096 192 us (cluster 182). Not yet on an H200.
#include "common/rows/row_peak.cuh"
#include "common/rows/row_ring.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;
using Ring = RowRing<DTYPE, STAGES, ROWS, ROUNDS * LANES * VEC>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS, BLOCKS)
softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N) {
  extern __shared__ __align__(128) unsigned char slots[];
  __shared__ Mbarrier full[STAGES];
  __shared__ Peak words[2][LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES, group = static_cast<int>(threadIdx.x) / LANES;
  Ring ring = {reinterpret_cast<DTYPE*>(slots), full, {{X, N}}, M, static_cast<unsigned>(N * sizeof(DTYPE)),
               blockIdx.x, gridDim.x};
  ring.begin();
  for (int odd = 0; ring.has_rows(); ring.advance(), odd ^= 1) {
    const long long row = ring.row(group);
    const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
    ring.wait();
    Tile x;
    x.load(ring.at(group), chunks, lane, -infinity());

    Peak own = {largest_of(x), 0.0f};
    float powers[Tile::kElements];
    x.each([&](int place, float value) { own.sum += powers[place] = exp_below(value, own.largest); });
    const Peak whole = peak_of_row<LANES>(own, words[odd]);
    ring.refill();
    const float factor = exp_below(own.largest, whole.largest) / whole.sum;
    Tile::store(Y + row * N, chunks, lane, [&](int place) { return powers[place] * factor; });
  }
}
