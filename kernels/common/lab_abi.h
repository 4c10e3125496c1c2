#pragma once
// What the host and kernels/common/lab.cu agree on. Plain structs, included by both (NVRTC has no standard headers, so
// the integer types are spelled out). Every lab kernel takes exactly one struct, by value; reports are written to
// device memory that the host has zeroed.

namespace kerlab::lab {

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

// Values of `dtype` are those of kerlab::DType (plan/dtype.h), in its order.
// Values of `recipe`.
enum RecipeId : u32 {
  kNormal = 0,
  kUniform = 1,
  kSmallInteger = 2,
  kOneHot = 3,
  kConstant = 4,
  kPartition = 5,
  kIndexCoded = 6,
  kIntegers = 7
};

// How integers of a range are drawn.
enum IntegerPattern : u32 {
  kDrawn = 0,   // uniformly
  kSkewed = 1,  // many equal ones
  kRamp = 2,    // one after another, and again from the least
  kSorted = 3,
  kEnds = 4,    // the least or the largest
  kEqual = 5,   // all the largest
  kBanded = 6,  // near the element's own place, as a diagonal's are
  kReversed = 7,  // the largest first; with an order rising as sorted
  kSawtooth = 8   // in order within runs of kTooth that begin anew; with an order as drawn
};

// What integers of a range keep to within each row.
enum IntegerOrder : u32 {
  kNoOrder = 0,
  kDistinct = 1,  // none twice
  kRising = 2     // none below the one before it
};

// How uneven the parts of a partition are.
enum PartsPattern : u32 {
  kRouted = 0,  // weights from 1/4 to 4
  kGaps = 1,    // the same, but every fourth is empty and every fourth has one thing
  kEven = 2,
  kPower = 3    // weights from 1 to 4096 by a power law: half of all things in few parts
};

// What is planted over a recipe's values. A line is a row of the last two dimensions, or a column of them.
enum PlantId : u32 {
  kPlantValue = 0,      // the whole line: value
  kPlantOne = 1,        // one element of the line, in its first or last places or anywhere: value
  kPlantOneHot = 2,     // one element of the line: 1; the others 0
  kPlantPoints = 3,     // the tensor's last element and count - 1 others anywhere in it: value
  kPlantRamp = 4,       // from -value up to value (or down to it) along the line
  kPlantMirror = 5,     // the line's second half: value times the base's first, backwards
  kPlantMask = 6,       // about half of the line's elements: value
  kPlantTail = 7,       // whatever comes after a first part of some length: value
  kPlantScale = 8,      // times 2^value
  kPlantSpread = 9,     // times 2^e, with another e from 0 up to value (or down to it) for each line
  kPlantShift = 10,     // plus value
  kPlantSubnormal = 11, // brought below the smallest normal number of the type
  kPlantEnds = 12       // some elements of the tensor: the type's largest number, its smallest ones, -0
};
struct Plant {
  u32 what;
  u32 along_columns;
  i64 every, phase;  // lines: of every so many the one with this number
  i64 count;         // of points
  double value;
};
inline constexpr u32 kMostPlants = 12;
inline constexpr u32 kMostIgnored = 4;

// lab_fill: out[i] = recipe(seed, tensor, i), rounded once to dtype.
struct FillArguments {
  u64 out;
  i64 count;
  u32 dtype;
  u32 recipe;
  u64 seed;
  u64 tensor;   // hash of the tensor's name
  i64 columns;  // extent of the last dimension (one_hot)
  double parameter0, parameter1;  // partition: things to part
  i64 rows = 1;                   // extent of the last dimension but one
  u32 plants = 0;
  u32 pattern = 0;                // integers: IntegerPattern; partition: PartsPattern
  Plant plant[kMostPlants] = {};  // the first `plants`, one over the other
  i64 least = 0, range = 0;       // integers: the least, and how many there are
  i64 ignored[kMostIgnored] = {};  // what one of every 8 elements holds instead, by turns at random:
  u32 ignores = 0;                // the first so many of these; 0: none does
  u32 order = 0;                  // integers: IntegerOrder
  u64 offsets = 0;                // integers: where each of `parts` rows begins, and the last ends
  i64 parts = 0;
  u32 offset_bytes = 0, pad = 0;  // 0: rows are those of `columns`
};

// lab_guard_scan: words of [begin, begin + words) that differ from pattern.
struct GuardArguments {
  u64 begin;
  i64 words;
  u32 pattern;
  u32 slot;
  u64 report;  // GuardReport[slot]
};
struct GuardReport {
  u64 damaged;  // words
  u64 first;    // index of the first damaged word + 1; 0: none
};

// lab_repitch: copies rows of row_bytes bytes that begin from_pitch bytes apart to where they are to_pitch bytes apart.
struct RepitchArguments {
  u64 to, from;
  i64 rows, row_bytes;
  i64 to_pitch, from_pitch;
};

// lab_hash: order-independent 64-bit sum of mixed (index, word); `words` 32-bit words and a tail of bytes.
struct HashArguments {
  u64 data;
  i64 bytes;
  u32 slot;
  u32 pad;
  u64 report;  // u64[slot], accumulated
};

// Values of `exact`.
enum Exactness : u32 {
  kWithinBound = 0,
  kRoundedOnce = 1,  // bit-exact after one rounding of value to dtype
  kSameBits = 2      // the bits of zeros and of what is no number as well
};

// lab_compare: got (dtype) against value and scale (fp64, or fp32 when acc_is_float).
struct CompareArguments {
  u64 got;
  u64 value, scale;
  i64 count;
  u32 dtype;
  u32 acc_is_float;
  u32 exact;     // Exactness
  u32 rounding;  // 1: errors are also compared with what one rounding makes of the value
  double value_factor, scale_factor, absolute;  // kerlab::Tolerance
  u64 report;                                   // CompareReport
  u32 may_be_nan = 0;                           // 1: NaN is right where the value is no number
};
// Sums over elements whose tolerance is mostly the rounding of the output, in half ulps (common/rounding.h).
struct RoundingSums {
  u64 elements;
  double beyond, outward;  // error less that of the value rounded once; the same away from zero
  double spread;           // squares of these
  double square, ideal;    // squares of the error, and of that of the value rounded once
  double allowed;          // tolerance less the half ulp
};
struct CompareReport {
  u64 compared;
  u64 mismatches;   // beyond the tolerance, NaN included
  u64 nans;         // NaN where the reference has none (NaN for NaN counts as equal)
  u64 expected_nans;
  u64 worst_key;    // float bits of err/tol in the high word, complement of the index's low bits below
  i64 worst_index;  // 0: none; else index + 1
  double worst_got, worst_expected, worst_tolerance;
  double sum_square_ratio;  // of err/tol
  double max_ratio;
  RoundingSums rounding;  // where it was asked for
};

// lab_row_sums: rows whose sum is not the target, once what rounding adds is taken from it. Their bound is what the
// tolerances beyond half an ulp may make of the sum of honest results.
struct RowSumArguments {
  u64 got;
  u64 value, scale;
  i64 rows, columns;
  u32 dtype;
  u32 acc_is_float;
  double value_factor, scale_factor, absolute;
  double target;
  u64 report;  // RowSumReport
};
struct RowSumReport {
  u64 wrong;      // rows
  u64 worst_key;  // float bits of |sum - target| / bound in the high word, complement of the row's low bits below
};

// lab_blocker: spins until *flag != 0 or timeout_ns passed; keeps launches queued behind it.
struct BlockerArguments {
  u64 flag;  // mapped host memory, u32
  u64 timeout_ns;
};

// lab_clock: writes clock64 and globaltimer of SM 0's first block.
struct ClockArguments {
  u64 out;  // u64[2]
};

// lab_flush: reads and writes `words` so that the cache holds nothing else.
struct FlushArguments {
  u64 data;
  i64 words;
};

// lab_canary: out[i] = a fixed function of i computed with FMA, shared memory and a shuffle; the host knows the result.
struct CanaryArguments {
  u64 out;  // u32[count]
  i64 count;
};

// lab_copy, lab_read, lab_write, lab_fma_<dtype>, lab_mma_<dtype>: measured ceilings.
struct BandwidthArguments {
  u64 target, source;
  i64 bytes;
};
struct PeakArguments {
  u64 out;
  i64 iterations;
};
// One iteration of lab_fma_*: chains * steps multiply-adds per thread (two lanes each for fp16). One of lab_mma_*:
// chains multiplications of 16 x 8 x k per warp, k = 16 (bf16, fp16), 8 (tf32), 32 (int8).
inline constexpr int kFmaChains = 16, kFmaSteps = 8, kMmaChains = 8;

}  // namespace kerlab::lab
