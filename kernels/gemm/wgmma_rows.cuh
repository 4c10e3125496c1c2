#pragma once
// Sums of a warpgroup to a D whose rows begin anywhere: TMA writes aligned rows only. Each warp gathers its
// 16 rows in its part of the panels (wgmma_store.cuh) and writes them row by row, so that neighbouring lanes write
// neighbouring words: whole sectors, save at the ends. Nobody waits for the stores, and no warp for another.
#include "wgmma_store.cuh"

/// Word `word` of row `row` of a warpgroup's panels.
__device__ __forceinline__ unsigned word_of_panels(unsigned slab, int row, int word) {
  unsigned value;
  const unsigned at = slab + word / 32 * kPanelOutBytes + row * 128 + (word % 32 / 4 ^ row % 8) * 16 + word % 4 * 4;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}

/// A warp writes `count` (at most WIDTH) numbers of row `row` of the panels to `to` and what follows it. Words of D
/// hold the ends of two words of the panels where `to` is no multiple of 4 bytes; what is left of a word of D at either
/// end is written number by number.
template <int WIDTH>
__device__ __forceinline__ void write_row(unsigned slab, int row, Out* to, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int before = static_cast<int>(reinterpret_cast<unsigned long long>(to) % 4);  // bytes of the first word
  const int end = before + count * OUT_BYTES;
  unsigned* words = reinterpret_cast<unsigned*>(reinterpret_cast<char*>(to) - before);
#pragma unroll
  for (int pass = 0; pass < WIDTH * OUT_BYTES / 128; ++pass) {
    const int w = pass * 32 + lane;
    unsigned value = word_of_panels(slab, row, w);
    if (OUT_BYTES < 4 && before != 0)
      value = __funnelshift_l(word_of_panels(slab, row, w > 0 ? w - 1 : 0), value, before * 8);
    if (4 * w >= before && 4 * w + 4 <= end) words[w] = value;
  }
#if OUT_BYTES < 4
  const bool tail = lane >= 4;
  const int at = tail ? count - 1 - (lane - 4) : lane;  // lanes 0 to 3 at the begin, 4 to 7 at the end
  const int byte = before + at * OUT_BYTES;
  const bool at_begin = before > 0 && byte < 4;
  if (lane < 8 && at >= 0 && at < count && (tail ? byte >= end / 4 * 4 && !at_begin : at_begin)) {
    const unsigned word = word_of_panels(slab, row, at * OUT_BYTES / 4) >> at * OUT_BYTES % 4 * 8;
    to[at] = {static_cast<decltype(to->bits)>(word)};
  }
#endif
}

/// 64 rows from m0 on by COLUMNS columns from n0 on. `slab`: shared address of this warpgroup's panels.
template <int COLUMNS>
__device__ __forceinline__ void store_rows(const Sum (&sums)[COLUMNS / 2], unsigned slab, int m0, int n0, int M,
                                           const Epilogue& epilogue) {
  const int first_row = static_cast<int>(threadIdx.x) % 128 / 32 * 16;
  const int rows = M - m0 - first_row;  // of D, for this warp; more than 16 or none, perhaps
  constexpr int kWidth = COLUMNS < kPanelsOut * kPanelOut ? COLUMNS : kPanelsOut * kPanelOut;
#pragma unroll
  for (int column = 0; column < COLUMNS; column += kWidth) {
    __syncwarp();  // all lanes have read what was there
#pragma unroll
    for (int panel = 0; panel < kWidth / kPanelOut && column + panel * kPanelOut < COLUMNS; ++panel)
      fill_panel<COLUMNS>(sums, slab + panel * kPanelOutBytes, column + panel * kPanelOut, m0, n0, M, epilogue);
    __syncwarp();
    Out* to = epilogue.D + static_cast<long long>(m0 + first_row) * epilogue.N + n0 + column;
    const int width = column + kWidth > COLUMNS ? COLUMNS - column : kWidth;
    const int left = epilogue.N - n0 - column;
#pragma unroll 4
    for (int row = 0; row < 16; ++row, to += epilogue.N)
      if (row < rows) write_row<kWidth>(slab, first_row + row, to, left < width ? left : width);
  }
}
