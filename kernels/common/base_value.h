#pragma once
// The distributions that recipes start from, element by element, before their one rounding. See common/recipe.h.

#include "common/number.h"

namespace kerlab::lab {

/// Mixes 64 bits so that every input bit flips every output bit with probability near 1/2.
KERLAB_BOTH u64 mix(u64 x) {
  x ^= x >> 32;
  x *= 0xE9846AF9B1A615Dull;
  x ^= x >> 32;
  x *= 0xE9846AF9B1A615Dull;
  x ^= x >> 28;
  return x;
}

inline constexpr u64 kGolden =
    0x9E3779B97F4A7C15ull;  // 2^64 over the golden ratio: successive counters differ everywhere

/// A tensor's number: hash of its name.
KERLAB_BOTH u64 tensor_number(const char* name, u64 length) {
  u64 hash = kGolden;
  for (u64 i = 0; i < length; ++i) hash = mix(hash ^ (static_cast<u64>(static_cast<unsigned char>(name[i])) + 1));
  return hash;
}

/// Where the stream of one tensor starts.
KERLAB_BOTH u64 stream_key(u64 seed, u64 tensor) {
  return mix(mix(seed + kGolden) ^ tensor);
}

/// Random word `word` (0 or 1) of element `index`.
KERLAB_BOTH u64 random_word(u64 key, u64 index, u64 word) {
  return mix(key + (2 * index + word + 1) * kGolden);
}

/// Uniform over 0 .. range - 1, from one random word.
KERLAB_BOTH u64 drawn_below(u64 word, u64 range) {
  return range <= 0xFFFFFFFFull ? ((word >> 32) * range) >> 32 : word % range;
}

/// A value before its one rounding: (-1)^negative * magnitude * 2^exponent, or with one of the two exponents below.
struct Value {
  bool negative;
  u64 magnitude;
  int exponent;
};
inline constexpr int kInfinite = 4096, kNotANumber = 8192;
/// Of a zero that keeps its sign.
inline constexpr int kSignedZero = -4096;

KERLAB_BOTH Value signed_value(i64 x, int exponent) {
  const u64 flipped = static_cast<u64>(x >> 63);  // all ones or none: without a branch
  return {x < 0, (static_cast<u64>(x) ^ flipped) - flipped, exponent};
}

/// Nearly N(0, 1): the number of ones in 64 random bits (binomial, variance 16), blurred by the sum of two uniforms of
/// one step each (variance 1/6), over the standard deviation. Kurtosis 2.97; tails to 8 sigma.
KERLAB_BOTH Value normal_value(u64 key, u64 index) {
  const u64 blur = random_word(key, index, 1);
  const i64 steps = bit_count(random_word(key, index, 0)) - 32;
  const i64 between = static_cast<i64>((blur >> 32) + (blur & 0xFFFFFFFFull)) - 0xFFFFFFFFll;
  const i64 inverse_deviation = 33381023;  // 2^27 / sqrt(16 + 1/6)
  return signed_value((steps * 4294967296ll + between) * inverse_deviation, -59);
}

/// Uniform in [-1, 1).
KERLAB_BOTH Value uniform_value(u64 key, u64 index) {
  return signed_value(static_cast<i64>(random_word(key, index, 0)) >> 11, -52);
}

/// Uniform over the integers of [-magnitude, magnitude], magnitude < 2^30.
KERLAB_BOTH Value small_integer_value(u64 key, u64 index, i64 magnitude) {
  const u64 high = random_word(key, index, 0) >> 32;
  return signed_value(static_cast<i64>((high * static_cast<u64>(2 * magnitude + 1)) >> 32) - magnitude, 0);
}

/// 1 in one hashed column of every row of `columns` (< 2^32), else 0.
KERLAB_BOTH Value one_hot_value(u64 key, u64 index, u64 columns) {
  const u64 row = index / columns;
  const u64 hot = ((random_word(key, row, 0) >> 32) * columns) >> 32;
  return {false, index - row * columns == hot ? u64{1} : u64{0}, 0};
}

/// One part of a partition: its least size, and its weight in sharing out what is left.
struct Part {
  u64 least, weight;
};

/// Weights below 2^12, so that 2^20 of them times 2^31 things fit 64 bits. kRouted: from 1/4 to 4 (over 1024), as many in
/// each octave, as a random routing of tokens to experts makes them. kPower: w or more with a chance of 1 / w.
KERLAB_BOTH Part part_of(u64 key, u64 part, u32 pattern) {
  const u64 bits = random_word(key, part, 0);
  if (pattern == kEven) return {0, 1};
  if (pattern == kPower) return {0, 4096 / (1 + (bits & 4095))};
  const u64 weight = (256 + (bits & 255)) << ((bits >> 8) & 3);
  const u64 kind = pattern == kGaps ? (bits >> 10) & 3 : 3;
  return {kind == 0 ? u64{0} : u64{1}, kind > 1 ? weight : u64{0}};
}

/// Where a part begins, from the parts before it and all of them; `parts`: how many there are.
KERLAB_BOTH i64 part_begin(u64 key, const Part& before, const Part& all, u64 parts, u64 total) {
  if (all.least > total)
    return static_cast<i64>((total * before.least + random_word(key, parts, 0) % all.least) / all.least);
  const u64 left = total - all.least;
  return static_cast<i64>(before.least + (all.weight == 0 ? u64{0} : left * before.weight / all.weight));
}

/// Where part `index` of `parts` (at most 2^20) begins, or the last ends: from 0 up to `total` (below 2^31), never
/// falling. Of kRouted no part is empty while there are things enough; where there are not, none has two.
KERLAB_BOTH i64 partition_value(u64 key, u64 index, u64 parts, u64 total, u32 pattern) {
  if (index >= parts) return static_cast<i64>(total);
  Part before{0, 0}, all{0, 0};
  for (u64 p = 0; p < parts; ++p) {
    if (p == index) before = all;
    const Part part = part_of(key, p, pattern);
    all.least += part.least;
    all.weight += part.weight;
  }
  return part_begin(key, before, all, parts, total);
}

/// `put(index, begin)` for all parts and their end, in one pass: what partition_value says of each.
template <typename Put> KERLAB_BOTH void for_each_part(u64 key, u64 parts, u64 total, u32 pattern, const Put& put) {
  Part before{0, 0}, all{0, 0};
  for (u64 p = 0; p < parts; ++p) {
    const Part part = part_of(key, p, pattern);
    all = {all.least + part.least, all.weight + part.weight};
  }
  for (u64 p = 0; p < parts; ++p) {
    put(p, part_begin(key, before, all, parts, total));
    const Part part = part_of(key, p, pattern);
    before = {before.least + part.least, before.weight + part.weight};
  }
  put(parts, static_cast<i64>(total));
}

/// How many codes a type has: the largest prime (so that no distance of tiles goes round) of integers around 0 that it
/// holds exactly; and how far apart those of neighbouring rows are.
struct Codes {
  u64 count, row;
};
KERLAB_BOTH Codes codes_of(const Format& f) {
  if (f.is_float && f.precision < 24) {
    if (has_few_numbers(f)) return f.precision == 2 ? Codes{7, 3} : Codes{3, 1};
    if (f.precision == 3) return {17, 5};
    if (f.precision == 4) return {31, 7};
    return f.precision == 8 ? Codes{509, 23} : Codes{4093, 63};
  }
  if (f.maximum == 1) return {2, 1};
  if (f.per_byte == 2) return {13, 3};
  if (f.bytes == 2) return {65521, 255};
  return f.bytes == 1 ? Codes{251, 15} : Codes{2097143, 1449};
}

/// The integer that stands for a place. `row` counts through all matrices of a tensor.
KERLAB_BOTH i64 index_code(const Format& f, u64 row, u64 column) {
  const Codes codes = codes_of(f);
  return static_cast<i64>((row % codes.count * codes.row + column) % codes.count) - static_cast<i64>(codes.count / 2);
}

KERLAB_BOTH Value value_of(double x) {
  const u64 bits = bits_of(x), fraction = bits & 0xFFFFFFFFFFFFFull;
  const int field = static_cast<int>((bits >> 52) & 0x7FF);
  if (field == 0x7FF) return {fraction == 0 && (bits >> 63) != 0, 1, fraction == 0 ? kInfinite : kNotANumber};
  return {(bits >> 63) != 0, field == 0 ? fraction : fraction | (u64{1} << 52), field == 0 ? -1074 : field - 1075};
}

/// A value that is no number; its magnitude says which: the usual one, that of all bits, that of the last bit alone.
inline constexpr u64 kNanKinds = 3, kNanOfAllBits = 2;
KERLAB_BOTH u64 nan_of(const Format& f, u64 kind) {
  if (f.precision <= 4) return f.nan;  // one alone, or few
  const u64 all = (u64{1} << (bits_in(f) - 1 - f.shift)) - 1;
  return kind == kNanOfAllBits ? all : kind == 3 ? f.overflow + 1 : f.nan;
}

/// Rounded once. Integers have their largest number for NaN and infinity, as e2m1 has; e4m3 and e8m0, which have no
/// infinity, for that. (A conversion to e5m2 saturates as well; its infinity comes from nowhere but here.) What rounds to
/// 0 of e2m1 keeps its sign, so that inputs hold all sixteen of its codes.
KERLAB_BOTH u64 encode_value(const Format& f, const Value& v) {
  if (v.exponent == kNotANumber && !f.is_float) return f.maximum;
  const u64 sign = static_cast<u64>(v.negative && f.is_signed) << (bits_in(f) - 1);
  if (v.exponent == kSignedZero && v.magnitude == 0 && f.is_float) return sign;
  if (v.exponent < kInfinite || !f.is_float) {
    const u64 bits = encode(f, v.negative, v.magnitude, v.exponent, true);
    return f.precision == 2 ? bits | sign : bits;
  }
  const bool is_e5m2 = f.bytes == 1 && f.precision == 3;
  const u64 infinite = is_e5m2 ? f.overflow + 1 : f.overflow;
  return (v.exponent == kNotANumber ? nan_of(f, v.magnitude) : infinite) << f.shift | sign;
}

/// normal and uniform values of integer types are 2^4 times larger, so that they are not all 0 and 1; those of packed
/// types just so large that all of their numbers occur.
KERLAB_BOTH int scale_of(const Format& f, bool normal) {
  if (f.per_byte == 2) return normal ? (f.is_float ? 1 : 2) : 3;
  return f.is_float ? 0 : 4;
}

/// Without what is planted.
KERLAB_BOTH Value base_value(const Format& f, const FillArguments& a, u64 key, u64 index) {
  Value v{};
  if (f.maximum == 1 && a.recipe <= kSmallInteger) return {false, random_word(key, index, 0) >> 63, 0};  // bool
  switch (a.recipe) {
    case kNormal:
      v = normal_value(key, index);
      break;
    case kUniform:
      v = uniform_value(key, index);
      break;
    case kSmallInteger:
      return small_integer_value(key, index, static_cast<i64>(a.parameter0));
    case kOneHot:
      return one_hot_value(key, index, static_cast<u64>(a.columns));
    case kPartition:
      return signed_value(
          partition_value(key, index, static_cast<u64>(a.count) - 1, static_cast<u64>(a.parameter0), a.pattern),
          0);
    case kIndexCoded: {
      const u64 row = index / static_cast<u64>(a.columns);
      return signed_value(index_code(f, row, index - row * static_cast<u64>(a.columns)), 0);
    }
    default:
      return value_of(a.parameter0);
  }
  v.exponent += scale_of(f, a.recipe == kNormal);
  return v;
}

}  // namespace kerlab::lab
