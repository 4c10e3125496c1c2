#pragma once
// A consumer's accumulators to a D whose rows begin anywhere: TMA writes aligned rows only. Each warp fills its
// epilogue stages (sm90_epilogue.cuh) with its 16 rows and writes them row by row, so that neighbouring lanes write
// neighbouring words: whole sectors, save at the ends. A word of D is made of two words of the row by a funnel shift.
// Nobody waits for the stores, and no warp for another.
#include "sm90_epilogue.cuh"

static_assert(OUT_WIDTH == 128 && OUT_ROWS == 16 && !SWAP_AB, "a warp has 16 rows of 128 bytes");

/// Word `word` of row `row` of a warp's epilogue stages, which hold a row side by side.
__device__ __forceinline__ unsigned word_of_row(unsigned stages, int row, int word) {
  unsigned value;
  const unsigned at = in_out_stage(stages + word / 32 * kOutStageBytes, row, word % 32 / 4) + word % 4 * 4;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}

/// A warp writes `count` (at most Width) elements of row `row` of its epilogue stages to `to` and what follows it. What
/// of a word of D lies outside at either end is left alone: the rest of it is written element by element.
template <int Width>
__device__ __forceinline__ void write_row(unsigned stages, int row, Out* to, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int before = static_cast<int>(reinterpret_cast<unsigned long long>(to) % 4);  // bytes of the first word
  const int end = before + count * OUT_BYTES;
  unsigned* words = reinterpret_cast<unsigned*>(reinterpret_cast<char*>(to) - before);
#pragma unroll
  for (int pass = 0; pass < Width * OUT_BYTES / 128; ++pass) {
    const int w = pass * 32 + lane;
    unsigned value = word_of_row(stages, row, w);
    if (OUT_BYTES < 4 && before != 0)
      value = __funnelshift_l(word_of_row(stages, row, w > 0 ? w - 1 : 0), value, before * 8);
    if (4 * w >= before && 4 * w + 4 <= end) words[w] = value;
  }
#if OUT_BYTES < 4
  const bool tail = lane >= 4;
  const int at = tail ? count - 1 - (lane - 4) : lane;  // lanes 0 to 3 at the begin, 4 to 7 at the end
  const int byte = before + at * OUT_BYTES;
  const bool at_begin = before > 0 && byte < 4;
  if (lane < 8 && at >= 0 && at < count && (tail ? byte >= end / 4 * 4 && !at_begin : at_begin)) {
    const unsigned word = word_of_row(stages, row, at * OUT_BYTES / 4) >> at * OUT_BYTES % 4 * 8;
    to[at] = {static_cast<decltype(to->bits)>(word)};
  }
#endif
}

/// 64 rows of wgmma whose first element of D is at (m0, n0), through the epilogue stages of this consumer.
__device__ __forceinline__ void store_by_rows(const Accumulator (&accumulators)[kColumns / 2], unsigned out_stages,
                                              int m0, int n0, int M, const Epilogue& epilogue) {
  constexpr int kWidth = kColumns < kOutStages * kOutColumns ? kColumns : kOutStages * kOutColumns;
  const int warp = static_cast<int>(threadIdx.x) % 128 / 32;
  const unsigned stages = out_stages + warp * kOutStages * kOutStageBytes;
  const int rows = M - m0 - warp * 16;  // of D, for this warp; more than 16 or none, perhaps
#pragma unroll
  for (int column = 0; column < kColumns; column += kWidth) {
    __syncwarp();  // all lanes have read what was there
#pragma unroll
    for (int stage = 0; stage < kWidth / kOutColumns && column + stage * kOutColumns < kColumns; ++stage)
      fill_out_stage(accumulators, stages + stage * kOutStageBytes, column + stage * kOutColumns, m0, n0, M, epilogue);
    __syncwarp();
    Out* to = epilogue.D + static_cast<long long>(m0 + warp * 16) * epilogue.N + n0 + column;
    const int width = column + kWidth > kColumns ? kColumns - column : kWidth;
    const int left = epilogue.N - n0 - column;
#pragma unroll 4
    for (int row = 0; row < 16; ++row, to += epilogue.N)
      if (row < rows) write_row<kWidth>(stages, row, to, left < width ? left : width);
  }
}
