// Rung 1, row_per_block: a block has one row of dX, of any length; then blocks have parts of columns of dG and dB.
//
// Idea      neighbouring threads read neighbouring vectors. Columns are added up in PARTS parts side by side, each over
//           every PARTS-th row, and the parts in a last launch, in their order: the same bits every time.
// Parameters THREADS per block; ACCESS bytes per load, VEC elements; UNROLL loads of each tensor in flight per thread;
//           PARTS of a column.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory: X and dY are read twice for dX, mostly from the cache the second time, and once more
//           for dG and dB (next rung).
// Gained    over naive, 4096 x 4096 bf16 on emu:h200: 60.7 us modelled instead of 1579.
#include "common/rows/column_sums.cuh"
#include "common/rows/row_reduce.cuh"
#include "gradient.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
gradients_of_rows(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                  const float* __restrict__ mean, const float* __restrict__ rstd, DTYPE* __restrict__ dX, int N,
                  long long pitch_x, long long pitch_dy, long long pitch_dx) {
  __shared__ Products words[THREADS / 32];
  const long long row = blockIdx.x;
  const auto* x = reinterpret_cast<const Chunk*>(X + row * pitch_x);
  const auto* dy = reinterpret_cast<const Chunk*>(dY + row * pitch_dy);
  const auto* gamma = reinterpret_cast<const Chunk*>(G);
  auto* dx = reinterpret_cast<Chunk*>(dX + row * pitch_dx);
  const int chunks = N / VEC;
  const float middle = mean[row], factor = rstd[row];

  Products products;
#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS)
    products = AddProducts()(products, products_of(x[i], dy[i], gamma[i], middle));
  const Line line = line_of(over_row<THREADS>(products, words, AddProducts()), factor, N);

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS)
    dx[i] = gradient_of(x[i], dy[i], gamma[i], middle, factor, line, [](int, float, float, float) {});
}

extern "C" __global__ void __launch_bounds__(THREADS)
parts_of_columns(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const float* __restrict__ mean,
                 const float* __restrict__ rstd, float* __restrict__ parts_of_gamma, float* __restrict__ parts_of_beta,
                 int M, int N, long long pitch_x, long long pitch_dy) {
  const int chunk = static_cast<int>(blockIdx.x * THREADS + threadIdx.x), chunks = N / VEC;
  if (chunk >= chunks) return;
  ColumnSums<VEC, 1, THREADS> of_gamma, of_beta;
#pragma unroll UNROLL
  for (long long row = blockIdx.y; row < M; row += gridDim.y) {
    const Chunk x = reinterpret_cast<const Chunk*>(X + row * pitch_x)[chunk];
    const Chunk dy = reinterpret_cast<const Chunk*>(dY + row * pitch_dy)[chunk];
    const float middle = mean[row], factor = rstd[row];
    float scaled[VEC];
    dy.each([&](int e, float value) {
      of_beta.at[e] += value;
      scaled[e] = value * factor;
    });
    x.each([&](int e, float value) { of_gamma.at[e] += (value - middle) * scaled[e]; });
  }
  of_gamma.store(parts_of_gamma + static_cast<long long>(blockIdx.y) * N, chunks, chunk);
  of_beta.store(parts_of_beta + static_cast<long long>(blockIdx.y) * N, chunks, chunk);
}

extern "C" __global__ void __launch_bounds__(512)
sums_of_columns(const float* __restrict__ parts_of_gamma, const float* __restrict__ parts_of_beta,
                float* __restrict__ dG, float* __restrict__ dB, int count, int N) {
  __shared__ float words[512];
  add_up_parts<16>(blockIdx.y == 0 ? parts_of_gamma : parts_of_beta, count, N, blockIdx.y == 0 ? dG : dB, words);
}
