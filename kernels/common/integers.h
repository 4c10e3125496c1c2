#pragma once
// Integers of a range: ids of rows, labels of classes. Like all inputs a pure function of (seed, recipe, tensor, index).

#include "common/ordered.h"

namespace kerlab::lab {

/// 3 of 8 are the same number, 1 the least and 1 the largest: neighbours that collide, and counters that do.
KERLAB_BOTH u64 skewed_integer(u64 key, u64 index, u64 range) {
  const u64 word = random_word(key, index, 0);
  switch (word & 7) {
    case 0:
      return 0;
    case 1:
      return range - 1;
    case 2:
    case 3:
    case 4:
      return drawn_below(mix(key), range);
    default:
      return drawn_below(word, range);
  }
}

/// Never falling: runs of one number, or where there are more numbers than elements every so many of them.
KERLAB_BOTH u64 sorted_integer(u64 index, u64 count, u64 range) {
  if (count <= range) return index * (range / count);
  return index / ((count + range - 1) / range);
}

/// Sorted runs side by side, each from the least up: what a merge sort must not take for sorted. Runs are whole where
/// parts of a power of two begin.
KERLAB_BOTH u64 sawtooth_integer(u64 index, u64 range) {
  constexpr u64 kTooth = 128;
  return range < kTooth ? index % range : index % kTooth * (range / kTooth);
}

/// Within 32 of its place's share of the range.
KERLAB_BOTH u64 banded_integer(u64 word, u64 index, u64 count, u64 range) {
  const u64 band = range < 65 ? range : u64{65};
  const u64 diagonal = count <= 0xFFFFFFFFull ? index * range / count : index / (count / range + 1);
  const u64 least = diagonal > band / 2 ? diagonal - band / 2 : 0;
  return (least < range - band ? least : range - band) + word % band;
}

/// Above the least, below `range`.
KERLAB_BOTH u64 integer_offset(const FillArguments& a, u64 key, u64 index) {
  const u64 range = static_cast<u64>(a.range);
  if (a.order != kNoOrder) return ordered_offset(a, key, index);
  switch (a.pattern) {
    case kSkewed:
      return skewed_integer(key, index, range);
    case kRamp:
      return index % range;
    case kSorted:
      return sorted_integer(index, static_cast<u64>(a.count), range);
    case kReversed:
      return sorted_integer(static_cast<u64>(a.count) - 1 - index, static_cast<u64>(a.count), range);
    case kSawtooth:
      return sawtooth_integer(index, range);
    case kEnds:
      return (random_word(key, index, 0) & 1) != 0 ? range - 1 : u64{0};
    case kEqual:
      return range - 1;
    case kBanded:
      return banded_integer(random_word(key, index, 0), index, static_cast<u64>(a.count), range);
    default:
      return drawn_below(random_word(key, index, 0), range);
  }
}

/// One of every 8 elements in a row, each time another.
KERLAB_BOTH bool is_ignored(u64 key, u64 index) {
  return index % 8 == (random_word(key, index / 8, 1) & 7);
}

KERLAB_BOTH Value integer_value(const FillArguments& a, u64 key, u64 index) {
  if (a.ignores != 0 && is_ignored(key, index))
    return signed_value(a.ignored[drawn_below(random_word(key, index / 8, 0), a.ignores)], 0);
  return signed_value(a.least + static_cast<i64>(integer_offset(a, key, index)), 0);
}

}  // namespace kerlab::lab
