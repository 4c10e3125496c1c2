#pragma once
// Integers of a range that have an order within their row: permutations, ids of which no two are equal, the columns of a
// sparse matrix. Any element without the ones before it, like all inputs.

#include "common/base_value.h"

namespace kerlab::lab {

/// Where an element stands: of a tensor's rows, or of the parts that a tensor of offsets makes of it.
struct RowPlace {
  u64 row, place, length;
};

KERLAB_BOTH u64 offset_at(const FillArguments& a, u64 i) {
  if (a.offset_bytes == 4) return reinterpret_cast<const u32*>(a.offsets)[i];
  return reinterpret_cast<const u64*>(a.offsets)[i];
}

/// The part that holds the element, by bisection of the offsets.
KERLAB_BOTH RowPlace row_place(const FillArguments& a, u64 index) {
  if (a.offset_bytes == 0) {
    const u64 columns = static_cast<u64>(a.columns);
    return {index / columns, index % columns, columns};
  }
  u64 row = 0, end = static_cast<u64>(a.parts);
  while (row + 1 < end) {
    const u64 middle = (row + end) / 2;
    if (offset_at(a, middle) <= index)
      row = middle;
    else
      end = middle;
  }
  const u64 first = offset_at(a, row), next = offset_at(a, row + 1);
  return {row, index - first, next > first ? next - first : 1};
}

/// A permutation of 0 .. range - 1: four rounds of a Feistel network over the next even number of bits, walked until it
/// comes back into the range (Black and Rogaway, Ciphers with arbitrary finite domains, 2002).
KERLAB_BOTH u64 permuted(u64 key, u64 index, u64 range) {
  int half = 1;
  while (half < 31 && (u64{1} << (2 * half)) < range) ++half;
  const u64 mask = (u64{1} << half) - 1;
  u64 x = index;
  do {
    u64 left = x >> half, right = x & mask;
    for (u64 round = 0; round < 4; ++round) {
      const u64 next = left ^ (mix(key + (round << 32 | right) * kGolden) & mask);
      left = right;
      right = next;
    }
    x = left << half | right;
  } while (x >= range);
  return x;
}

/// No two of a row are the same: it has at most `range`.
KERLAB_BOTH u64 distinct_offset(const FillArguments& a, u64 key, const RowPlace& at, u64 range) {
  switch (a.pattern) {
    case kRamp: return at.place;
    case kSorted: return at.place * (range / at.length);
    case kReversed: return (at.length - 1 - at.place) * (range / at.length);
    case kEnds: return (at.place & 1) != 0 ? range - 1 - at.place / 2 : at.place / 2;
    case kEqual: return range - 1 - at.place;  // the largest first
    case kBanded: return (at.row + at.place) % range;
    default: return permuted(mix(key ^ mix(at.row)), at.place, range);
  }
}

/// One of each of `length` equal pieces of [first, first + room): never falling, and no two the same where there is room.
KERLAB_BOTH u64 one_of_piece(u64 word, u64 place, u64 length, u64 first, u64 room) {
  const u64 begin = place * room / length, end = (place + 1) * room / length;
  return first + begin + (end > begin + 1 ? word % (end - begin) : 0);
}

/// Never falling along a row; no two the same where the row is no longer than the range.
KERLAB_BOTH u64 rising_offset(const FillArguments& a, u64 key, u64 index, const RowPlace& at, u64 range) {
  const u64 word = random_word(key, index, 0), length = at.length;
  const u64 run = length < range ? length : range;  // side by side
  switch (a.pattern) {
    case kSkewed: return one_of_piece(word, at.place, length, drawn_below(mix(key ^ mix(at.row)), range - run + 1), run);
    case kRamp: return one_of_piece(0, at.place, length, 0, run);
    case kSorted:
    case kReversed: return one_of_piece(0, at.place, length, 0, range);
    case kEnds: {
      const u64 x = one_of_piece(0, at.place, length, 0, run);
      return x < run / 2 ? x : range - run + x;
    }
    case kEqual: return one_of_piece(0, at.place, length, range - run, run);
    case kBanded: {  // within twice its length of the diagonal
      const u64 band = 2 * run < range ? 2 * run : range, rows = static_cast<u64>(a.parts > 0 ? a.parts : a.count / a.columns);
      const u64 diagonal = at.row * range / (rows > 0 ? rows : 1);
      const u64 least = diagonal > band / 2 ? diagonal - band / 2 : 0;
      return one_of_piece(word, at.place, length, least < range - band ? least : range - band, band);
    }
    default: return one_of_piece(word, at.place, length, 0, range);
  }
}

/// Above the least, below `range`.
KERLAB_BOTH u64 ordered_offset(const FillArguments& a, u64 key, u64 index) {
  const RowPlace at = row_place(a, index);
  const u64 range = static_cast<u64>(a.range);
  return a.order == kDistinct ? distinct_offset(a, key, at, range) : rising_offset(a, key, index, at, range);
}

}  // namespace kerlab::lab
