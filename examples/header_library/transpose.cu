// Includes a library that lies elsewhere: --include examples/header_library/include.
#include <tiles/access/load.hpp>
#include <tiles/order/layout.hpp>

/// Each thread takes a vector of a row of x; ORDER says which threads are neighbours.
template <class Vector, bool ReadOnly>
__global__ void transpose(const float* x, float* y, int M, int N) {
  constexpr int kWidth = static_cast<int>(tiles::width<Vector>);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const tiles::Layout<tiles::ORDER> layout{M, N / kWidth};
  if (i >= M * (N / kWidth)) return;
  const auto [m, n] = layout.place(i);
  const auto numbers = tiles::load<ReadOnly>(reinterpret_cast<const Vector*>(x + m * N) + n);
  for (int k = 0; k < kWidth; ++k) y[(n * kWidth + k) * M + m] = numbers[k];
}
