#pragma once
// Tiles of A and B for wgmma: how TMA puts them into shared memory, and how wgmma is told where they lie.
// Written once for A and B: "x" is a row of A or a column of B; K_FIRST tells whether k is the contiguous index in
// memory. A tile is EXTENT x by BK k, in panels of 128 bytes of the contiguous index, one after another; a panel is a
// box of the tensor map, swizzled by 128 bytes.
#ifndef WGMMA_N  // rungs whose instruction is as wide as the tile of D
#define WGMMA_N BN
#endif
#include "common/tensor_copy.cuh"
#include "common/wgmma.cuh"
#include "numbers.cuh"

constexpr int kPanel = 128 / DTYPE_BYTES;  // elements in a row of a panel
constexpr int kStepK = 32 / DTYPE_BYTES;   // k of one wgmma
constexpr int kSteps = BK / kStepK;

template <int EXTENT, bool K_FIRST>
struct Tile {
  static constexpr int kBytes = EXTENT * BK * DTYPE_BYTES;
  static constexpr int kPanels = (K_FIRST ? BK : EXTENT) / kPanel;
  static constexpr int kPanelRows = K_FIRST ? EXTENT : BK;
  static constexpr int kPanelBytes = kPanelRows * 128;

  /// One thread copies the tile whose first x and k these are. Of a batch, matrix `z`.
  static __device__ __forceinline__ void load(unsigned to, const TensorMap& map, int x, int k, int z,
                                              Barrier* barrier) {
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      const int along = (K_FIRST ? k : x) + panel * kPanel;
      load_box(to + panel * kPanelBytes, map, along, K_FIRST ? x : k, z, barrier);
    }
  }

  /// One thread of each of PARTS blocks copies its part of the tile to all `ranks` of the cluster: rows of every panel
  /// where k is contiguous, else whole panels. The box of the map is as high as a part, or, above 256 rows, half of it.
  template <int PARTS>
  static __device__ __forceinline__ void load_part(int part, unsigned short ranks, unsigned to, const TensorMap& map,
                                                   int x, int k, int z, Barrier* barrier) {
    constexpr int kRows = K_FIRST ? kPanelRows / PARTS : kPanelRows;
    constexpr int kBox = kRows > 256 ? kRows / 2 : kRows;
    constexpr int kCopies = K_FIRST ? kPanels : kPanels / PARTS;
#pragma unroll
    for (int copy = 0; copy < kCopies; ++copy)
#pragma unroll
      for (int box = 0; box < kRows; box += kBox) {
        const int panel = K_FIRST ? copy : part * kCopies + copy;
        const int row = K_FIRST ? part * kRows + box : 0;
        const int along = (K_FIRST ? k : x) + panel * kPanel;
        const unsigned place = to + panel * kPanelBytes + row * 128;
        if (PARTS == 1)
          load_box(place, map, along, K_FIRST ? x + row : k, z, barrier);
        else
          load_box_to(ranks, place, map, along, K_FIRST ? x + row : k, z, barrier);
      }
  }

  /// The same, by rows of every panel whichever index is contiguous. The box of the map is as high as a part.
  template <int PARTS>
  static __device__ __forceinline__ void load_rows(int part, unsigned short ranks, unsigned to, const TensorMap& map,
                                                   int x, int k, int z, Barrier* barrier) {
    const int row = part * (kPanelRows / PARTS);
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      const int along = (K_FIRST ? k : x) + panel * kPanel;
      const unsigned place = to + panel * kPanelBytes + row * 128;
      if (PARTS == 1)
        load_box(place, map, along, K_FIRST ? x : k, z, barrier);
      else
        load_box_to(ranks, place, map, along, (K_FIRST ? x : k) + row, z, barrier);
    }
  }

  /// Bytes from the begin of the tile to the 32 bytes of k of step `step`, for the x from `x` on (a multiple of 8; of
  /// 64 unless K_FIRST).
  static __device__ __forceinline__ unsigned offset(int x, int step) {
    if (K_FIRST) return step * kStepK / kPanel * kPanelBytes + x * 128 + step * 32 % 128;
    return x / kPanel * kPanelBytes + step * kStepK * 128;
  }
  static constexpr unsigned kLeading = K_FIRST ? 16 : kPanelBytes;
  static __device__ __forceinline__ unsigned long long describe_step(unsigned tile, int x, int step) {
    return described(describe_low(tile, kLeading) + offset(x, step) / 16);
  }
};
