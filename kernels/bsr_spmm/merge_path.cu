// Rung 2, merge_path: every warp takes as many ends of rows and blocks of A, together, as any other; 16-bit numbers on
// tensor cores.
//
// Idea       a warp walks through ITEMS of the merge (common/merge_search.cuh) with 64 columns of C: a block is added to
//            the sums of its row, an end of a row stores them. The next block is on its way, whichever row it is of.
//            A row that began with an earlier warp, or goes on with the next, is cut: its parts go to memory in fp32, and a
//            second launch adds them up, always in the same order.
// Parameters ITEMS of the merge a warp; WARPS of a block.
// Expects    M + Z below 2^31. Tensor cores want blocks of whole 16 rows and rows of B of whole 8 numbers; others take FMAs.
// Counted    ITEMS of work a warp, whatever the rows; up to 8 S bytes of parts a column and warp.
// Lacks      rows of B shared by warps: each reads those of its blocks from L2.
// Read       Yang, Buluc, Owens: Design principles for sparse matrix multiplication on the GPU, Euro-Par 2018.
#include "common/merge_search.cuh"
#if TENSOR
#include "tensor_sums.cuh"
#else
#include "lane_sums.cuh"
#endif

/// The parts of a cut row that a warp has: of the row that ends in it, and of that which goes on.
enum Part { kHead, kTail };
__device__ __forceinline__ float* part_of(float* parts, int piece, Part which, int slab, int slabs) {
  const long long index = (2LL * piece + which) * slabs + slab;
  return parts + index * kSums * 32 + threadIdx.x % 32;
}
__device__ __forceinline__ void keep(float* to, Sums& sums) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) to[32 * i] = sums.number(i);
}
__device__ __forceinline__ void add_kept(Sums& sums, const float* from) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) sums.number(i) += from[32 * i];
}

/// open[p]: the row in which piece p ends and the next begins; M behind the last row.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
merge_pieces(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
             const DTYPE* __restrict__ B, DTYPE* __restrict__ C, float* __restrict__ parts, int* __restrict__ open, int M, int N,
             int Z, int pieces) {
  __shared__ int column_of[WARPS][ITEMS], end_of[WARPS][ITEMS];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int piece = static_cast<int>(blockIdx.x) * WARPS + warp, slab = static_cast<int>(blockIdx.y);
  if (piece >= pieces) return;
  const int slabs = static_cast<int>(gridDim.y), column = slab * kColumns, end = min((piece + 1) * ITEMS, M + Z);
  const int first_row = warp_ends_before(starts + 1, M, 0, Z, piece * ITEMS);
  const int last_row = warp_ends_before(starts + 1, M, 0, Z, end);
  const int first = piece * ITEMS - first_row, last = end - last_row;
  for (int i = first + lane; i < last; i += 32) column_of[warp][i - first] = columns[i];
  for (int i = first_row + lane; i < last_row; i += 32) end_of[warp][i - first_row] = starts[i + 1];
  __syncwarp();

  Sums sums = {};
  int row = first_row, begin = first_row < M ? starts[first_row] : Z;  // of the row
  const auto end_rows = [&](int until) {
    for (; row < last_row && end_of[warp][row - first_row] <= until; ++row) {
      if (begin < first) keep(part_of(parts, piece, kHead, slab, slabs), sums);
      else sums.store(C + static_cast<long long>(row) * SIDE * N, N, column);
      sums = {};
      begin = end_of[warp][row - first_row];
    }
  };
  const auto load = [&](Step& step, int i, int part) {
    step.load(values + static_cast<long long>(i) * SIDE * SIDE,
              B + static_cast<long long>(column_of[warp][i - first]) * SIDE * N, part, N, column);
  };
  Step step, next;
  if (first < last) load(step, first, 0);
  for (int i = first; i < last; ++i) {
    end_rows(i);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (part + 1 < kParts) load(next, i, part + 1);
      else if (i + 1 < last) load(next, i + 1, 0);
      sums.add(step);
      step = next;
    }
  }
  end_rows(last);
  if (begin < last && row < M) keep(part_of(parts, piece, kTail, slab, slabs), sums);
  if (slab == 0 && lane == 0) open[piece] = row;
}

/// Who has the first part of a row that is cut adds the others to it: those of the warps behind it, up to the one it ends in.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
join_pieces(const int* __restrict__ starts, const int* __restrict__ open, float* __restrict__ parts, DTYPE* __restrict__ C, int M,
            int N, int Z, int pieces) {
  int piece = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.x) / 32;
  if (piece + 1 >= pieces) return;
  const int slab = static_cast<int>(blockIdx.y), slabs = static_cast<int>(gridDim.y);
  const int row = open[piece];
  if (row >= M) return;
  const int begin = starts[row], first = piece == 0 ? 0 : piece * ITEMS - open[piece - 1];
  if (begin < first || begin >= (piece + 1) * ITEMS - row) return;
  Sums sums = {};
  add_kept(sums, part_of(parts, piece, kTail, slab, slabs));
  for (++piece; open[piece] == row; ++piece) add_kept(sums, part_of(parts, piece, kTail, slab, slabs));
  add_kept(sums, part_of(parts, piece, kHead, slab, slabs));
  sums.store(C + static_cast<long long>(row) * SIDE * N, N, slab * kColumns);
}
