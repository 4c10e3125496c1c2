// A row kernel is a statistic and a map: the headers bring the rest.
//
// Idea      a thread's share of the row stays in registers between the sum of the squares and the product, so that the
//           row is read once and written once.
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
l2_normalise(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, float epsilon, long long pitch_x,
             long long pitch_y) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  RowTile<DTYPE, VEC, ROUNDS, LANES> x;
  x.load(X + row * pitch_x, chunks, lane, 0.0f);

  float squares = 0.0f;
  x.each([&](int, float value) { squares += value * value; });  // the statistic
  const float factor = rsqrt_fast(over_row<LANES>(squares, words, Sum()) + epsilon);
  x.store_map(Y + row * pitch_y, chunks, lane, [&](float value) { return value * factor; });  // the map
}
