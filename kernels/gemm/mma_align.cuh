#pragma once
// cp.async, ldmatrix and TMA move 16 aligned bytes. An operand whose rows are not multiples of 16 bytes is therefore
// copied once, to a workspace where they are, at the speed of memory; the main loop stays the same. A piece of 16 bytes
// comes from two aligned loads and a shift.
#include "common/types.cuh"
#include "shift.cuh"

/// An operand to be copied: `rows` rows of `length` elements, one after another, to rows of whole 16 bytes, each behind
/// `front` zeros. What follows a row's last element up to 16 bytes is anything.
struct UnalignedRows {
  const DTYPE* from;
  DTYPE* to;
  long long rows;
  int length, front;
};

constexpr int kPieceElements = 16 / DTYPE_BYTES;
constexpr int kPiecesAtOnce = 4;  // of a thread: so many pairs of loads are in flight
constexpr int kPiecesOfBlock = 256 * kPiecesAtOnce;

/// 16 bytes of an operand, element by element: at the ends of the tensor, and where there are zeros in front.
__device__ __forceinline__ void align_piece_slowly(const UnalignedRows& operand, long long row, int first, DTYPE* to) {
  const DTYPE* source = operand.from + row * operand.length;
  Vector<DTYPE, kPieceElements> elements;
#pragma unroll
  for (int e = 0; e < kPieceElements; ++e)
    elements.at[e] = first + e >= 0 && first + e < operand.length ? source[first + e] : DTYPE{};
  *reinterpret_cast<Vector<DTYPE, kPieceElements>*>(to) = elements;
}

/// Copies A, and B where it has rows: both in one launch, the blocks of A first. A thread moves kPiecesAtOnce pieces of
/// 16 bytes, all of which it loads before it stores the first; a warp's pieces are neighbours.
extern "C" __global__ void __launch_bounds__(256)
    align_rows(const DTYPE* __restrict__ A, DTYPE* __restrict__ to_a, long long rows_a, int length_a, int front_a,
               const DTYPE* __restrict__ B, DTYPE* __restrict__ to_b, long long rows_b, int length_b, int front_b) {
  const long long pieces_a = rows_a * ((length_a - 1) / kPieceElements + 1);
  const long long blocks_a = (pieces_a + kPiecesOfBlock - 1) / kPiecesOfBlock;
  const bool second = static_cast<long long>(blockIdx.x) >= blocks_a;
  const UnalignedRows operand{second ? B : A, second ? to_b : to_a, second ? rows_b : rows_a,
                              second ? length_b : length_a, second ? front_b : front_a};
  const int pieces_of_row = (operand.length - 1) / kPieceElements + 1;
  const long long pieces = operand.rows * pieces_of_row;
  const long long first_piece = (blockIdx.x - (second ? blocks_a : 0)) * kPiecesOfBlock + threadIdx.x;
  const char* begin = reinterpret_cast<const char*>(operand.from);
  const char* end = begin + operand.rows * operand.length * DTYPE_BYTES;

  long long row[kPiecesAtOnce];
  int column[kPiecesAtOnce];
  unsigned shift[kPiecesAtOnce];
  bool whole[kPiecesAtOnce];
  uint4 low[kPiecesAtOnce], high[kPiecesAtOnce];
  row[0] = first_piece / pieces_of_row;
  column[0] = static_cast<int>(first_piece - row[0] * pieces_of_row);
#pragma unroll
  for (int i = 0; i < kPiecesAtOnce; ++i) {
    if (i > 0) {
      row[i] = row[i - 1];
      column[i] = column[i - 1] + 256;
      if (column[i] >= pieces_of_row) {
        row[i] += column[i] / pieces_of_row;
        column[i] %= pieces_of_row;
      }
    }
    const long long element = row[i] * operand.length + (column[i] * kPieceElements - operand.front);
    const char* source = begin + element * DTYPE_BYTES;
    shift[i] = static_cast<unsigned>(reinterpret_cast<unsigned long long>(source)) % 16;
    const uint4* aligned = reinterpret_cast<const uint4*>(source - shift[i]);
    // What is read must lie within the tensor; of the row before none may come along.
    whole[i] = (column[i] > 0 || operand.front == 0) && source - shift[i] >= begin &&
               reinterpret_cast<const char*>(aligned + (shift[i] != 0 ? 2 : 1)) <= end;
    if (whole[i]) {
      low[i] = aligned[0];
      high[i] = shift[i] != 0 ? aligned[1] : low[i];
    }
  }
#pragma unroll
  for (int i = 0; i < kPiecesAtOnce; ++i) {
    const long long piece = first_piece + i * 256;
    if (piece >= pieces) break;
    DTYPE* to = operand.to + piece * kPieceElements;
    if (whole[i])
      *reinterpret_cast<uint4*>(to) = shifted(low[i], high[i], shift[i]);
    else
      align_piece_slowly(operand, row[i], column[i] * kPieceElements - operand.front, to);
  }
}
