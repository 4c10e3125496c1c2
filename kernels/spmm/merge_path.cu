// Rung 3, merge_path: every warp takes as many ends of rows and non-zeros, together, as any other.
//
// Idea       a warp walks through ITEMS of the merge (common/merge_search.cuh), its lanes side by side over 32 VEC columns:
//            a non-zero is a product added to VEC sums, an end of a row stores them. The row in which a warp begins may have
//            begun with an earlier one: head and carry, what it has of its first row and of its last, go to memory in fp32,
//            and a second launch adds up the rows that were cut, always in the same order.
// Parameters VEC columns a lane; ITEMS of the merge a warp; WARPS of a block.
// Expects    rows of B and C of whole VEC numbers; M + Z below 2^31.
// Counted    ITEMS of work a warp, whatever the rows; 8 / ITEMS bytes of heads and carries for the E bytes of B a product.
// Lacks      one warp adds up all carries of a row: there are Z / ITEMS of a row of Z non-zeros.
// Read       Yang, Buluc, Owens: Design principles for sparse matrix multiplication on the GPU, Euro-Par 2018.
#include "common/merge_search.cuh"
#include "piece.cuh"

using Sums = Packet<float, VEC>;

/// VEC sums of a piece, in `heads` or `carries`.
__device__ __forceinline__ Sums* sums_at(float* all, int piece, int N, int n) {
  return reinterpret_cast<Sums*>(all + static_cast<long long>(piece) * N + n);
}

__device__ __forceinline__ void add(float (&sums)[VEC], const Sums more) {
#pragma unroll
  for (int v = 0; v < VEC; ++v) sums[v] += more.at[v];
}

/// last_row[p]: the row in which piece p ends, and piece p + 1 begins; M behind the last row.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
merge_pieces(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
             const DTYPE* __restrict__ B, DTYPE* __restrict__ C, float* __restrict__ heads, float* __restrict__ carries,
             int* __restrict__ last_row, int M, int N, int Z, int pieces) {
  const int piece = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.x) / 32;
  const int n = (static_cast<int>(blockIdx.y) * 32 + static_cast<int>(threadIdx.x) % 32) * VEC;
  if (piece >= pieces || n >= N) return;
  int item = piece * ITEMS;
  const int last = min(item + ITEMS, M + Z);
  const int first_row = ends_before(starts + 1, M, 0, Z, item);
  int row = first_row, i = item - row;
  float sums[VEC] = {};
  while (true) {
    const int products = min(starts[min(row + 1, M)] - i, last - item);
#pragma unroll 4
    for (int e = 0; e < products; ++e)
      add_product(sums, to_float(values[i + e]), B + static_cast<long long>(columns[i + e]) * N + n);
    i += products;
    item += products;
    if (item == last) break;
    if (row == first_row) *sums_at(heads, piece, N, n) = packet_of<float, VEC>(sums);
    else store(C + static_cast<long long>(row) * N + n, sums);
#pragma unroll
    for (int v = 0; v < VEC; ++v) sums[v] = 0;
    ++row;
    ++item;
  }
  *sums_at(carries, piece, N, n) = packet_of<float, VEC>(sums);
  if (n == 0) last_row[piece] = row;
}

/// Each piece in which its first row ends adds to the head what the pieces before it carried out.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
join_pieces(const int* __restrict__ starts, float* __restrict__ heads, float* __restrict__ carries,
            const int* __restrict__ last_row, DTYPE* __restrict__ C, int N, int pieces) {
  const int piece = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.x) / 32;
  const int n = (static_cast<int>(blockIdx.y) * 32 + static_cast<int>(threadIdx.x) % 32) * VEC;
  if (piece >= pieces || n >= N) return;
  const int row = piece == 0 ? 0 : last_row[piece - 1];
  if (row == last_row[piece]) return;
  const int first = (starts[row] + row) / ITEMS;  // the piece in which the row begins
  float sums[VEC] = {};
#pragma unroll 8
  for (int before = first; before < piece; ++before) add(sums, *sums_at(carries, before, N, n));
  add(sums, *sums_at(heads, piece, N, n));
  store(C + static_cast<long long>(row) * N + n, sums);
}
