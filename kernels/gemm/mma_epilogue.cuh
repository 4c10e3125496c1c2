#pragma once
// From the sums as mma leaves them, two neighbours per lane, to whole lines of memory: each warp passes 16 rows at a
// time through a slab of shared memory of its own.
#include "mma_loop.cuh"
#include "epilogue.cuh"

constexpr int kSlabRow = WN + 8;  // sums; 8 more put the 8 rows that are written at once into different banks
constexpr int kSlabSums = 16 * kSlabRow;

/// Calls write(m, n, four) for every 4 neighbouring sums, or, when rows are not made of whole fours, write(m, n, one).
/// (m, n) is the place within D of the first; all of them lie within M x N.
template <bool FOURS, typename Write>
__device__ __forceinline__ void write_sums(const Sums& sums, const WarpPlace& warp, float4* shared, int m0, int n0,
                                           int M, int N, Write write) {
  using Two = Vector<Sum, 2>;
  using Four = Vector<Sum, 4>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Sum* slab = reinterpret_cast<Sum*>(shared) + static_cast<int>(threadIdx.x) / 32 * kSlabSums;
  m0 += warp.m;
  n0 += warp.n;
#pragma unroll
  for (int i = 0; i < kFragmentsM; ++i) {
    // Where rows g and g + 8 of a fragment, or columns g of two, are neighbours in D: see Operand::kNeighbours.
    constexpr int kFirst = OperandA::kNeighbours ? 2 * kSlabRow : kSlabRow;
    constexpr int kSecond = OperandA::kNeighbours ? kSlabRow : 8 * kSlabRow;
    Sum* place = slab + lane / 4 * kFirst + lane % 4 * (OperandB::kNeighbours ? 4 : 2);
#pragma unroll
    for (int j = 0; j < 2 * kFragmentsN; ++j) {
      const Sum(&s)[4] = sums[i][j];
      if (OperandB::kNeighbours) {
        if (j % 2 != 0) continue;
        const Sum(&t)[4] = sums[i][j + 1];
        *reinterpret_cast<Four*>(place + j * 8) = {s[0], t[0], s[1], t[1]};
        *reinterpret_cast<Four*>(place + kSecond + j * 8) = {s[2], t[2], s[3], t[3]};
      } else {
        *reinterpret_cast<Two*>(place + j * 8) = {s[0], s[1]};
        *reinterpret_cast<Two*>(place + kSecond + j * 8) = {s[2], s[3]};
      }
    }
    __syncwarp();
    constexpr int kWidth = FOURS ? 4 : 1;
#pragma unroll 2
    for (int part = 0; part < 16 * WN / (32 * kWidth); ++part) {
      const int at = part * 32 + lane;  // of WN / kWidth places in a row
      const int row = at / (WN / kWidth);
      const int column = at % (WN / kWidth) * kWidth;
      if (m0 + i * 16 + row < M && n0 + column < N) {
        if constexpr (FOURS)
          write(m0 + i * 16 + row, n0 + column, *reinterpret_cast<const Four*>(slab + row * kSlabRow + column));
        else
          write(m0 + i * 16 + row, n0 + column, slab[row * kSlabRow + column]);
      }
    }
    __syncwarp();
  }
}
