#pragma once
// From accumulators as mma leaves them, two neighbours a lane, to whole lines of memory: each warp passes 16 rows at a
// time through an epilogue tile of its own in shared memory. PTX ISA, "Matrix Fragments for mma.m16n8k16". All threads
// of a warp call it together. Implied: __syncwarp between writing and reading; no barrier of the block.
#include "common/sm80/mainloop.cuh"

namespace sm80 {

template <typename Loop, int Wn, bool NeighboursM, bool NeighboursN>
struct EpilogueTile {
  using Accumulator = typename Loop::Accumulator;
  static constexpr int kRow = Wn + 8;  // 8 more put the 8 rows that are written at once into different banks
  static constexpr int kAccumulators = 16 * kRow;

  using Two = Vector<Accumulator, 2>;
  using Four = Vector<Accumulator, 4>;

  /// Calls write(m, n, four) for every 4 neighbouring accumulators of a warp's tile at (m0, n0) of D, or, where rows of
  /// D are not made of whole fours, write(m, n, one). All of them lie within M x N. `shared`: the tiles of all warps.
  template <bool Fours, typename Write>
  static __device__ __forceinline__ void store(const typename Loop::Accumulators& accumulators, float4* shared, int m0,
                                               int n0, int M, int N, Write write) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    Accumulator* tile = reinterpret_cast<Accumulator*>(shared) + static_cast<int>(threadIdx.x) / 32 * kAccumulators;
#pragma unroll
    for (int i = 0; i < Loop::kFragmentsM; ++i) {
      // Where rows g and g + 8 of a fragment, or columns g of two, are neighbours in D: see OperandTile::kNeighbours.
      constexpr int kFirst = NeighboursM ? 2 * kRow : kRow;
      constexpr int kSecond = NeighboursM ? kRow : 8 * kRow;
      Accumulator* place = tile + lane / 4 * kFirst + lane % 4 * (NeighboursN ? 4 : 2);
#pragma unroll
      for (int j = 0; j < 2 * Loop::kFragmentsN; ++j) {
        const Accumulator(&s)[4] = accumulators[i][j];
        if (NeighboursN) {
          if (j % 2 != 0) continue;
          const Accumulator(&t)[4] = accumulators[i][j + 1];
          *reinterpret_cast<Four*>(place + j * 8) = {s[0], t[0], s[1], t[1]};
          *reinterpret_cast<Four*>(place + kSecond + j * 8) = {s[2], t[2], s[3], t[3]};
        } else {
          *reinterpret_cast<Two*>(place + j * 8) = {s[0], s[1]};
          *reinterpret_cast<Two*>(place + kSecond + j * 8) = {s[2], s[3]};
        }
      }
      __syncwarp();
      constexpr int kWidth = Fours ? 4 : 1;
#pragma unroll 2
      for (int part = 0; part < 16 * Wn / (32 * kWidth); ++part) {
        const int at = part * 32 + lane;  // of Wn / kWidth places in a row
        const int row = at / (Wn / kWidth);
        const int column = at % (Wn / kWidth) * kWidth;
        if (m0 + i * 16 + row < M && n0 + column < N) {
          if constexpr (Fours)
            write(m0 + i * 16 + row, n0 + column, *reinterpret_cast<const Four*>(tile + row * kRow + column));
          else
            write(m0 + i * 16 + row, n0 + column, tile[row * kRow + column]);
        }
      }
      __syncwarp();
    }
  }
};

}  // namespace sm80
