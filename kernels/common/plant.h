#pragma once
// What recipes plant over their base: outliers, ramps, masks, numbers that are none. Like the base a pure integer
// function of (seed, recipe, tensor, index), with the same bits on host and device.

#include "common/base_value.h"

namespace kerlab::lab {

/// An element's index, and where that is: rows count through all matrices, `row_in_matrix` from the first of its own.
struct Cell {
  u64 index, row, column, matrix, row_in_matrix;
};
KERLAB_BOTH Cell cell_of(const FillArguments& a, u64 index) {
  const u64 columns = static_cast<u64>(a.columns), rows = static_cast<u64>(a.rows);
  const u64 row = index / columns, matrix = row / rows;
  return {index, row, index - row * columns, matrix, row - matrix * rows};
}
/// That of the next element, without a division.
KERLAB_BOTH void to_next(const FillArguments& a, Cell& cell) {
  ++cell.index;
  if (++cell.column < static_cast<u64>(a.columns)) return;
  cell.column = 0, ++cell.row;
  if (++cell.row_in_matrix < static_cast<u64>(a.rows)) return;
  cell.row_in_matrix = 0, ++cell.matrix;
}

/// Where an element lies: `at` of `length` places along line `line` of its tensor.
struct Place {
  u64 line, at, length;
};

KERLAB_BOTH Place place_of(const FillArguments& a, bool along_columns, const Cell& cell) {
  const u64 columns = static_cast<u64>(a.columns), rows = static_cast<u64>(a.rows);
  if (!along_columns) return {cell.row, cell.column, columns};
  return {cell.matrix * columns + cell.column, cell.row_in_matrix, rows};
}

/// Index of the element at another place of the same line.
KERLAB_BOTH u64 index_at(const FillArguments& a, bool along_columns, u64 index, const Place& place, u64 at) {
  return along_columns ? index + at * static_cast<u64>(a.columns) - place.at * static_cast<u64>(a.columns)
                       : index + at - place.at;
}

KERLAB_BOTH bool has_line(const Plant& plant, const Place& place) {
  return plant.every == 1 ? plant.phase == 0
                          : place.line % static_cast<u64>(plant.every) == static_cast<u64>(plant.phase);
}

/// Of lines by turns at random: the first place, among the first 32, the last, among the last 8, anywhere. What is
/// begun with, ended with, and done in a ragged tile differs.
KERLAB_BOTH u64 place_of_one(u64 key, const Place& place) {
  const u64 bits = random_word(key, place.line, 0), draw = bits >> 8;
  const u64 first = place.length < 32 ? place.length : 32, last = place.length < 8 ? place.length : 8;
  switch (bits & 7) {
    case 0:
      return 0;
    case 1:
    case 2:
      return draw % first;
    case 3:
      return place.length - 1;
    case 4:
    case 5:
      return place.length - 1 - draw % last;
    default:
      return draw % place.length;
  }
}

/// The last element, or one of count - 1 random ones.
KERLAB_BOTH bool is_point(const FillArguments& a, const Plant& plant, u64 key, u64 index) {
  const u64 elements = static_cast<u64>(a.count);
  bool found = index == elements - 1;
  KERLAB_ROLLED for (i64 j = 1; j < plant.count; ++j) {
    found = found || random_word(key, static_cast<u64>(j), 1) % elements == index;
  }
  return found;
}

/// Which of the ends an element holds; kEndNumbers: none. Each has a place of its own, as far as there are so many.
inline constexpr u64 kEndNumbers = 8;
KERLAB_BOTH u64 end_index(const FillArguments& a, u64 key, u64 end) {
  const u64 elements = static_cast<u64>(a.count);
  const u64 first = random_word(key, 0, 1) % elements, step = elements / kEndNumbers;
  return (first + end * (step == 0 ? 1 : step)) % elements;
}
KERLAB_BOTH u64 end_at(const FillArguments& a, u64 key, u64 index) {
  KERLAB_ROLLED for (u64 j = 0; j < kEndNumbers; ++j)
    if (end_index(a, key, j) == index) return j;
  return kEndNumbers;
}

/// The largest number of the type and its smallest: subnormal, normal, and 0, of both signs. Of integers the ends.
KERLAB_BOTH Value end_of(const Format& f, u64 which) {
  const bool negative = (which & 1) != 0;
  if (!f.is_float) return {negative, negative ? f.maximum + 1 : f.maximum, 0};
  if (which >= 6) return {negative, 0, kSignedZero};
  if (which >= 4) return {negative, 1, f.minimum_exponent};
  Value v = value_of(decode(f, (which >= 2 ? u64{1} : f.maximum) << f.shift));
  v.negative = negative;
  return v;
}

/// From -value to value in steps of 2^-10.
KERLAB_BOTH Value ramp(double value, const Place& place) {
  const Value v = value_of(value);
  const i64 size = static_cast<i64>(shift_round(v.magnitude, -10 - v.exponent)) * (v.negative ? -1 : 1);
  const i64 last = static_cast<i64>(place.length) - 1;
  return signed_value(last <= 0 ? 0 : size * (2 * static_cast<i64>(place.at) - last) / last, -10);
}

/// In steps of 2^-30; what is beyond 2^32, or no number, stays what it is.
KERLAB_BOTH Value shifted(const Value& v, double by) {
  const Value w = value_of(by);
  if (v.magnitude != 0 && 63 - leading_zeros(v.magnitude) + v.exponent > 31) return v;
  const i64 x = static_cast<i64>(shift_round(v.magnitude, -30 - v.exponent)) * (v.negative ? -1 : 1);
  const i64 y = static_cast<i64>(shift_round(w.magnitude, -30 - w.exponent)) * (w.negative ? -1 : 1);
  return signed_value(x + y, -30);
}

KERLAB_BOTH Value scaled(const Value& v, i64 exponent) {
  return {v.negative, v.magnitude, v.exponent < kInfinite ? v.exponent + static_cast<int>(exponent) : v.exponent};
}

/// An exponent between 0 and `most`, which may be negative.
KERLAB_BOTH i64 spread_of(u64 key, const Place& place, i64 most) {
  const u64 size = static_cast<u64>(most < 0 ? -most : most);
  const i64 e = static_cast<i64>((random_word(key, place.line, 0) >> 16) % (size + 1));
  return most < 0 ? -e : e;
}

/// NaN has either sign and several patterns of bits, from place to place: by some arithmetic on bits only the usual one
/// stays a NaN, and of several none is larger. That of all bits is positive: with its sign it would be what outputs are
/// poisoned with.
KERLAB_BOTH Value planted_number(const Plant& plant, u64 key, u64 index) {
  const Value v = value_of(plant.value);
  if (v.magnitude == 0 && v.negative) return {true, 0, kSignedZero};
  if (v.exponent != kNotANumber) return v;
  const u64 bits = random_word(key, index, 1), kind = 1 + drawn_below(bits, kNanKinds);
  const bool negative = (bits & 1) != 0;
  return {negative, negative && kind == kNanOfAllBits ? u64{1} : kind, kNotANumber};
}

/// What a plant makes of an element of one of its lines. `key` is the plant's own.
KERLAB_BOTH Value plant_over(const Format& f, const Plant& plant, u64 key, u64 index, const Place& place,
                             const Value& v) {
  bool replaced = true;
  switch (plant.what) {
    case kPlantValue:
      break;
    case kPlantOne:
      replaced = place.at == place_of_one(key, place);
      break;
    case kPlantOneHot:
      return {false, place.at == ((random_word(key, place.line, 0) >> 32) * place.length) >> 32 ? u64{1} : u64{0}, 0};
    case kPlantRamp:
      return ramp(plant.value, place);
    case kPlantMask:
      replaced = (random_word(key, index, 0) & 1) != 0;
      break;
    case kPlantTail:
      replaced = place.at > (random_word(key, place.line, 0) >> 8) % place.length;
      break;
    case kPlantScale:
      return scaled(v, static_cast<i64>(plant.value));
    case kPlantSpread:
      return scaled(v, spread_of(key, place, static_cast<i64>(plant.value)));
    case kPlantShift:
      return shifted(v, plant.value);
    case kPlantSubnormal:
      return f.is_float ? scaled(v, f.minimum_exponent - 2) : v;
    default:
      return v;
  }
  return replaced ? planted_number(plant, key, index) : v;
}

/// Where the base's value comes from: elsewhere under a mirror, and then perhaps with the other sign.
struct Origin {
  u64 index;
  bool negated;
};
KERLAB_BOTH Origin origin_of(const FillArguments& a, const Cell& cell, u32 plants) {
  Origin origin{cell.index, false};
  KERLAB_ROLLED for (u32 i = 0; i < a.plants; ++i) {
    const Plant& plant = a.plant[i];
    if (plant.what != kPlantMirror || (plants >> i & 1) == 0) continue;
    const Place place = place_of(a, plant.along_columns != 0, cell);
    if (2 * place.at < place.length || !has_line(plant, place)) continue;
    origin = {index_at(a, plant.along_columns != 0, cell.index, place, place.length - 1 - place.at), plant.value < 0};
  }
  return origin;
}

/// Whether a plant is of single elements, found by their hashes: most elements are none of them.
KERLAB_BOTH bool is_of_points(const Plant& plant) {
  return plant.what == kPlantPoints || plant.what == kPlantEnds;
}
KERLAB_BOTH u64 plant_key(u64 key, u32 plant) {
  return mix(key ^ (u64{plant} + 1));
}

inline constexpr u32 kAllPlants = ~u32{0};
/// The base with all that is planted over it. `plants`: the bit of one that is known not to be here may be 0.
KERLAB_BOTH Value planted_value(const Format& f, const FillArguments& a, u64 key, const Cell& cell, u32 plants) {
  const Origin origin = origin_of(a, cell, plants);
  Value v = base_value(f, a, key, origin.index);
  v.negative = v.negative != origin.negated;
  KERLAB_ROLLED for (u32 i = 0; i < a.plants; ++i) {
    const Plant& plant = a.plant[i];
    if ((plants >> i & 1) == 0) continue;
    const u64 own_key = plant_key(key, i);
    if (plant.what == kPlantPoints) {
      if (is_point(a, plant, own_key, cell.index)) v = planted_number(plant, own_key, cell.index);
      continue;
    }
    if (plant.what == kPlantEnds) {
      const u64 end = end_at(a, own_key, cell.index);
      if (end < kEndNumbers) v = end_of(f, end);
      continue;
    }
    const Place place = place_of(a, plant.along_columns != 0, cell);
    if (has_line(plant, place)) v = plant_over(f, plant, own_key, cell.index, place, v);
  }
  return v;
}

/// Without plants the base.
KERLAB_BOTH Value planted_value(const Format& f, const FillArguments& a, u64 key, u64 index) {
  return a.plants == 0 ? base_value(f, a, key, index) : planted_value(f, a, key, cell_of(a, index), kAllPlants);
}

/// `put(index)` for the elements that such a plant may have changed, and perhaps a few more of them.
template <typename Put> KERLAB_BOTH void for_each_point(const FillArguments& a, const Plant& plant, u64 key, const Put& put) {
  const u64 elements = static_cast<u64>(a.count);
  if (plant.what == kPlantPoints) {
    put(elements - 1);
    for (i64 j = 1; j < plant.count; ++j) put(random_word(key, static_cast<u64>(j), 1) % elements);
  } else if (plant.what == kPlantEnds) {
    for (u64 j = 0; j < kEndNumbers; ++j) put(end_index(a, key, j));
  }
}

}  // namespace kerlab::lab
