#pragma once
// Tiles of matrices in shared memory, as TMA writes and wgmma reads them: swizzled by 128 bytes. PTX ISA, "Asynchronous
// Warpgroup Level Matrix Multiply-Accumulate: Shared Memory Matrix Layout", "Matrix Descriptor Format", "Tensor swizzle
// modes". Needs sm_90a. One thread calls what copies; descriptors and offsets are arithmetic, any thread. No fence is
// implied, save those of TmaLoad.
//
// Written once for both operands: "x" is a row of A or a column of B. A tile is Extent x by Bk k, in panels of 128
// bytes of the contiguous index, one after another; a panel is one box of the tensor map (128 bytes wide, swizzle =
// 128).
//   Major::K    k is contiguous: a panel is Extent rows of 128 bytes of k; 8 rows are an atom of 1024 bytes
//   Major::MN   x is contiguous (16-bit types only): a panel is Bk rows, one for each k, of 128 bytes of x
#include "common/sm90/tma.cuh"

enum class Major { K, MN };

/// Low word of a matrix descriptor: a shared address (of whole 16 bytes; in a cluster it carries the rank of its block
/// above the 18 bits that count here) and `leading`, the bytes to the next panel where x is contiguous. Both are in
/// units of 16 bytes, so that a sum of low words is a step in memory: descriptor_low(...) + bytes / 16.
__device__ __forceinline__ unsigned descriptor_low(unsigned address, unsigned leading) {
  return (address & 0x3ffff) / 16 | leading / 16 << 16;
}
/// The whole descriptor. The high word is the same for all tiles: atoms of 8 rows lie 1024 bytes apart, swizzle of 128.
__device__ __forceinline__ unsigned long long descriptor(unsigned low) {
  return static_cast<unsigned long long>(1024 / 16 | 1u << 30) << 32 | low;
}

template <typename T, int Extent, int Bk, Major Order>
struct SmemTile {
  static constexpr bool kAlongK = Order == Major::K;
  static constexpr int kPanel = 128 / static_cast<int>(sizeof(T));  // elements in a row of a panel
  static constexpr int kStepK = 32 / static_cast<int>(sizeof(T));   // k of one wgmma
  static constexpr int kSteps = Bk / kStepK;
  static constexpr int kBytes = Extent * Bk * static_cast<int>(sizeof(T));
  static constexpr int kPanels = (kAlongK ? Bk : Extent) / kPanel;
  static constexpr int kPanelRows = kAlongK ? Extent : Bk;
  static constexpr int kPanelBytes = kPanelRows * 128;
  static constexpr unsigned kLeading = kAlongK ? 16 : kPanelBytes;

  /// One thread copies the tile at shared address `to` (1024 bytes aligned) whose first x and k these are. `rest`:
  /// coordinates of further dimensions of the map (matrix of a batch, head). The box is kPanelRows high.
  template <typename... Rest>
  static __device__ __forceinline__ void load(unsigned to, const TensorMap& map, Mbarrier& full, int x, int k,
                                              Rest... rest) {
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel)
      TmaLoad::load(map, to + panel * kPanelBytes, full, (kAlongK ? k : x) + panel * kPanel, kAlongK ? x : k, rest...);
  }

  /// The same with an L2 cache hint.
  template <typename... Rest>
  static __device__ __forceinline__ void load(CachePolicy policy, unsigned to, const TensorMap& map, Mbarrier& full,
                                              int x, int k, Rest... rest) {
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel)
      TmaLoad::load(policy, map, to + panel * kPanelBytes, full, (kAlongK ? k : x) + panel * kPanel, kAlongK ? x : k,
                    rest...);
  }

  /// Calls copy(shared address, innermost coordinate, next coordinate) for the boxes of one of Parts parts of the tile:
  /// rows of every panel where k is contiguous, else whole panels. The box is as high as a part, or, above 256 rows,
  /// half of it.
  template <int Parts, typename Copy>
  static __device__ __forceinline__ void for_each_box(int part, unsigned to, int x, int k, Copy copy) {
    constexpr int kRows = kAlongK ? kPanelRows / Parts : kPanelRows;
    constexpr int kBox = kRows > 256 ? kRows / 2 : kRows;
    constexpr int kPanelsOfPart = kAlongK ? kPanels : kPanels / Parts;
#pragma unroll
    for (int i = 0; i < kPanelsOfPart; ++i)
#pragma unroll
      for (int box = 0; box < kRows; box += kBox) {
        const int panel = kAlongK ? i : part * kPanelsOfPart + i;
        const int row = kAlongK ? part * kRows + box : 0;
        copy(to + panel * kPanelBytes + row * 128, (kAlongK ? k : x) + panel * kPanel, kAlongK ? x + row : k);
      }
  }

  /// One thread of each of Parts blocks copies its part of the tile (for_each_box) to all `ranks` of the cluster.
  template <int Parts, typename... Rest>
  static __device__ __forceinline__ void load_part(int part, unsigned short ranks, unsigned to, const TensorMap& map,
                                                   Mbarrier& full, int x, int k, Rest... rest) {
    for_each_box<Parts>(part, to, x, k, [&](unsigned place, int along, int across) {
      if constexpr (Parts == 1)
        TmaLoad::load(map, place, full, along, across, rest...);
      else
        TmaLoad::multicast(map, place, full, ranks, along, across, rest...);
    });
  }

  /// The same, by rows of every panel whichever index is contiguous. The box is as high as a part.
  template <int Parts, typename... Rest>
  static __device__ __forceinline__ void load_rows(int part, unsigned short ranks, unsigned to, const TensorMap& map,
                                                   Mbarrier& full, int x, int k, Rest... rest) {
    const int row = part * (kPanelRows / Parts);
#pragma unroll
    for (int panel = 0; panel < kPanels; ++panel) {
      const int along = (kAlongK ? k : x) + panel * kPanel;
      const unsigned place = to + panel * kPanelBytes + row * 128;
      if constexpr (Parts == 1)
        TmaLoad::load(map, place, full, along, kAlongK ? x : k, rest...);
      else
        TmaLoad::multicast(map, place, full, ranks, along, (kAlongK ? x : k) + row, rest...);
    }
  }

  /// Bytes from the begin of the tile to the 32 bytes of k of step `step`, for the x from `x` on (a multiple of 8; of
  /// 64 where x is contiguous).
  static __device__ __forceinline__ unsigned offset(int x, int step) {
    if constexpr (kAlongK)
      return step * kStepK / kPanel * kPanelBytes + x * 128 + step * 32 % 128;
    else
      return x / kPanel * kPanelBytes + step * kStepK * 128;
  }
  /// Low word of the tile's descriptor; + offset(x, step) / 16 of a part of it.
  static __device__ __forceinline__ unsigned low(unsigned tile) {
    return descriptor_low(tile, kLeading);
  }
  static __device__ __forceinline__ unsigned long long describe(unsigned tile, int x, int step) {
    return descriptor(low(tile) + offset(x, step) / 16);
  }

  /// Byte of element (x, k) in the tile, for threads that write it themselves (then fence_proxy_async).
  static __device__ __forceinline__ unsigned place(int x, int k) {
    const int row = kAlongK ? x : k, along = kAlongK ? k : x;
    const int byte = along % kPanel * static_cast<int>(sizeof(T));
    return along / kPanel * kPanelBytes + row * 128 + (byte / 16 ^ row % 8) * 16 + byte % 16;
  }
};
