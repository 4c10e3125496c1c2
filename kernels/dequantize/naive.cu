// Rung 0, naive: one thread an element.
//
// Idea      the definition. Neighbouring threads take neighbouring codes of a row; the scale is one for most of them.
// Expects   anything; Q and Y may have leading dimensions of their own.
// Lacks     wide accesses: a thread loads one byte and stores two, and reads a scale for each.
#include "out_type.cuh"

extern "C" __global__ void __launch_bounds__(256)
dequantize(const DTYPE* __restrict__ Q, const Scale* __restrict__ S, Out* __restrict__ Y, int M, int N, int in_row,
           long long pitch_q, long long pitch_y) {
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= N) return;
  for (long long row = blockIdx.y; row < M; row += gridDim.y) {
    const float scale = number_of(S[row * in_row + (GROUP ? column / kGroup : 0)]);
    Y[row * pitch_y + column] = from_float<Out>(to_float(Q[row * pitch_q + column]) * scale);
  }
}
