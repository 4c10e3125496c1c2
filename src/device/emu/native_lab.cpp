#include "device/emu/native_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include "common/lab_abi.h"
#include "common/recipe.h"
#include "common/rounding.h"
#include "common/tolerance.h"
#include "device/emu/parallel.h"
#include "device/emu/sparse_range.h"
#include "device/lab_arguments.h"
#include "plan/sparse_tensor.h"

namespace kerlab::emu {
namespace {

using lab::i64;
using lab::u32;
using lab::u64;

/// Calls body with the data type as a constant, so that the loops over its elements have no switch in them.
template <typename Body>
void with_type(u32 dtype, const Body& body) {
  const auto call = [&]<u32... I>(std::integer_sequence<u32, I...>) {
    const bool found = ((dtype == I ? (body.template operator()<I>(), true) : false) || ...);
    if (!found) throw DeviceFault(FaultKind::launch_failed, fmt::format("no data type {}", dtype), false);
  };
  call(std::make_integer_sequence<u32, lab::kNumberIds>{});
}

template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using type = std::uint64_t;
};
template <u32 kDtype>
using Word = typename WordOf<lab::format_of(kDtype).bytes>::type;

template <u32 kDtype>
u64 load(const Word<kDtype>* words, i64 i) {
  constexpr lab::Format kFormat = lab::format_of(kDtype);
  return lab::bits_of_element(kFormat, words[i / kFormat.per_byte], static_cast<u64>(i));
}

/// Of elements that share a word the first is stored before the others.
template <u32 kDtype>
void store(Word<kDtype>* words, i64 i, u64 bits) {
  constexpr lab::Format kFormat = lab::format_of(kDtype);
  auto& word = words[i / kFormat.per_byte];
  if (kFormat.per_byte == 1 || i % kFormat.per_byte == 0)
    word = static_cast<Word<kDtype>>(bits);
  else
    word = static_cast<Word<kDtype>>(word | bits << 4);
}

/// Words of so many elements.
template <u32 kDtype>
constexpr i64 words_of(i64 count) {
  constexpr i64 kPerWord = lab::format_of(kDtype).per_byte;
  return (count + kPerWord - 1) / kPerWord;
}

/// One function for all bases and types, seldom run and large: with all that it calls in it, values stay in registers.
[[gnu::noinline, gnu::flatten]] u64 planted_bits(const lab::Format& format, const lab::FillArguments& a, u64 key,
                                                 const lab::Cell& cell, u32 plants) {
  return lab::encode_value(format, lab::planted_value(format, a, key, cell, plants));
}

/// Elements from `begin` on that plants of single elements may have changed, in order; `end` behind them.
std::vector<u64> points_between(const lab::FillArguments& a, u64 key, i64 begin, i64 end) {
  std::vector<u64> points = {static_cast<u64>(end)};
  for (u32 i = 0; i < a.plants; ++i)
    lab::for_each_point(a, a.plant[i], lab::plant_key(key, i), [&](u64 index) {
      if (index >= static_cast<u64>(begin) && index < static_cast<u64>(end)) points.push_back(index);
    });
  std::ranges::sort(points);
  return points;
}

template <u32 kDtype, u32 kRecipe>
void fill_range(const lab::FillArguments& a, Word<kDtype>* out, i64 begin, i64 end) {
  constexpr lab::Format kFormat = lab::format_of(kDtype);
  const u64 key = lab::stream_key(a.seed, a.tensor);
  const u64 constant = lab::encode(kFormat, a.parameter0);
  lab::FillArguments fixed = a;
  fixed.recipe = kRecipe;  // constants for what is inlined
  fixed.plants = 0;
  for (i64 i = begin; i < end; ++i)
    store<kDtype>(out, i, lab::element_bits(kFormat, fixed, key, constant, static_cast<u64>(i)));
}

/// Element by element each offset would be the sum of all parts before it.
template <u32 kDtype>
void fill_partition(const lab::FillArguments& a, Word<kDtype>* out) {
  constexpr lab::Format kFormat = lab::format_of(kDtype);
  lab::for_each_part(lab::stream_key(a.seed, a.tensor), static_cast<u64>(a.count) - 1, static_cast<u64>(a.parameter0),
                     a.pattern, [&](u64 part, i64 begin) {
                       store<kDtype>(out, static_cast<i64>(part),
                                     lab::encode_value(kFormat, lab::signed_value(begin, 0)));
                     });
}

template <u32 kDtype>
void fill_base(const lab::FillArguments& a, Word<kDtype>* out, i64 begin, i64 end) {
  switch (a.recipe) {
    case lab::kNormal:
      return fill_range<kDtype, lab::kNormal>(a, out, begin, end);
    case lab::kUniform:
      return fill_range<kDtype, lab::kUniform>(a, out, begin, end);
    case lab::kSmallInteger:
      return fill_range<kDtype, lab::kSmallInteger>(a, out, begin, end);
    case lab::kOneHot:
      return fill_range<kDtype, lab::kOneHot>(a, out, begin, end);
    case lab::kIndexCoded:
      return fill_range<kDtype, lab::kIndexCoded>(a, out, begin, end);
    case lab::kIntegers:
      return fill_range<kDtype, lab::kIntegers>(a, out, begin, end);
    default:
      return fill_range<kDtype, lab::kConstant>(a, out, begin, end);
  }
}

/// Bits of the plants of single elements.
u32 points_of(const lab::FillArguments& a) {
  u32 points = 0;
  for (u32 i = 0; i < a.plants; ++i) points |= (lab::is_of_points(a.plant[i]) ? 1U : 0U) << i;
  return points;
}

/// Plants that may change elements of a row, but for points.
u32 plants_of_row(const lab::FillArguments& a, const lab::Cell& first) {
  u32 plants = 0;
  for (u32 i = 0; i < a.plants; ++i) {
    const lab::Plant& plant = a.plant[i];
    const bool here = plant.along_columns != 0 || lab::has_line(plant, lab::place_of(a, false, first));
    plants |= (here && !lab::is_of_points(plant) ? 1U : 0U) << i;
  }
  return plants;
}

/// Whether they may change any of its elements; else there is one that each changes.
bool covers_row(const lab::FillArguments& a, u32 plants) {
  for (u32 i = 0; i < a.plants; ++i) {
    const bool one = a.plant[i].what == lab::kPlantOne && a.plant[i].along_columns == 0;
    if ((plants >> i & 1) != 0 && !one) return true;
  }
  return false;
}

/// Row by row, since of most rows few plants change anything, and of many rows few elements.
template <u32 kDtype>
void fill_planted(const lab::FillArguments& a, Word<kDtype>* out, i64 begin, i64 end) {
  constexpr lab::Format kFormat = lab::format_of(kDtype);
  constexpr i64 kShortRow = 32;  // not worth it
  if (begin == end) return;
  const u64 key = lab::stream_key(a.seed, a.tensor);
  const u32 of_points = points_of(a);
  const std::vector<u64> points = points_between(a, key, begin, end);
  auto next = points.begin();
  const bool in_one_go = kFormat.per_byte == 1 && a.columns >= kShortRow;
  const auto put = [&](const lab::Cell& cell, u32 plants) {
    store<kDtype>(out, static_cast<i64>(cell.index), planted_bits(kFormat, a, key, cell, plants));
  };
  lab::Cell cell = lab::cell_of(a, static_cast<u64>(begin));
  while (static_cast<i64>(cell.index) < end) {
    const i64 first = static_cast<i64>(cell.index);
    const i64 last = std::min(end, first + a.columns - static_cast<i64>(cell.column));
    const u32 plants = plants_of_row(a, cell);
    if (!in_one_go || covers_row(a, plants)) {
      for (i64 i = first; i < last; ++i, lab::to_next(a, cell)) {
        const bool is_point = *next == cell.index;
        while (*next == cell.index) ++next;
        put(cell, is_point ? plants | of_points : plants);
      }
      continue;
    }
    fill_base<kDtype>(a, out, first, last);
    for (u32 i = 0; i < a.plants; ++i) {
      if ((plants >> i & 1) == 0) continue;
      const u64 column = lab::place_of_one(lab::plant_key(key, i), lab::place_of(a, false, cell));
      const i64 at = first + static_cast<i64>(column) - static_cast<i64>(cell.column);
      if (at >= first && at < last) put(lab::cell_of(a, static_cast<u64>(at)), plants);
    }
    for (; *next < static_cast<u64>(last); ++next) put(lab::cell_of(a, *next), plants | of_points);
    cell = lab::cell_of(a, static_cast<u64>(last));
  }
}

template <u32 kDtype>
void fill_range(const lab::FillArguments& a, Word<kDtype>* out, i64 begin, i64 end) {
  if (a.plants != 0) return fill_planted<kDtype>(a, out, begin, end);
  fill_base<kDtype>(a, out, begin, end);
}

/// What one chunk of a comparison has seen.
struct Tally {
  u64 mismatches = 0, nans = 0, expected_nans = 0;
  double sum_square = 0;
  u64 worst_key = 0;
  i64 worst_index = 0;
  lab::RoundingSums rounding{};

  void see(const lab::Verdict& verdict, i64 index, double expected) {
    mismatches += verdict.passed ? 0 : 1;
    nans += verdict.nan ? 1 : 0;
    expected_nans += std::isnan(expected) ? 1 : 0;
    if (!lab::is_infinite(verdict.ratio)) sum_square += verdict.ratio * verdict.ratio;
    const u64 key = lab::worst_key(verdict.ratio, index);
    if (key > worst_key) worst_key = key, worst_index = index;
  }
  void add(const Tally& other) {
    mismatches += other.mismatches;
    nans += other.nans;
    expected_nans += other.expected_nans;
    sum_square += other.sum_square;
    lab::add(rounding, other.rounding);
    if (other.worst_key > worst_key) worst_key = other.worst_key, worst_index = other.worst_index;
  }
};

void publish(lab::CompareReport& report, const Tally& tally, u64 count) {
  report.compared = count;
  report.mismatches += tally.mismatches;
  report.nans += tally.nans;
  report.expected_nans += tally.expected_nans;
  report.sum_square_ratio += tally.sum_square;
  lab::add(report.rounding, tally.rounding);
}

template <u32 kDtype, typename Accumulator>
void compare_all(const lab::CompareArguments& a, const Word<kDtype>* got, const Accumulator* value,
                 const Accumulator* scale, lab::CompareReport& report, int threads) {
  constexpr lab::Format kFormat = lab::format_of(kDtype);
  const auto judge = [&](i64 i) {
    return lab::judge(kFormat, load<kDtype>(got, i), static_cast<double>(value[i]), static_cast<double>(scale[i]), a);
  };
  std::vector<Tally> tallies(static_cast<std::size_t>(emu::chunks_of(a.count)));
  emu::for_chunks(a.count, threads, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Tally tally;
    for (i64 i = begin; i < end; ++i) {
      const lab::Verdict verdict = judge(i);
      tally.see(verdict, i, static_cast<double>(value[i]));
      if (a.rounding != 0)
        lab::add_rounding(tally.rounding, kFormat, lab::decode(kFormat, load<kDtype>(got, i)),
                          static_cast<double>(value[i]), verdict.tolerance);
    }
    tallies[static_cast<std::size_t>(chunk)] = tally;
  });
  Tally whole;
  for (const Tally& tally : tallies) whole.add(tally);
  publish(report, whole, static_cast<u64>(a.count));
  if (whole.worst_key <= report.worst_key) return;
  const i64 i = whole.worst_index;
  const lab::Verdict verdict = judge(i);
  report.worst_key = whole.worst_key;
  report.worst_index = i + 1;
  report.worst_got = lab::decode(kFormat, load<kDtype>(got, i));
  report.worst_expected = static_cast<double>(value[i]);
  report.worst_tolerance = verdict.tolerance;
  report.max_ratio = verdict.ratio;
}

}  // namespace

template <typename T>
T* NativeLab::at(DevicePtr address, std::int64_t count) const {
  if (count <= 0) return nullptr;
  return reinterpret_cast<T*>(memory_.at(address, static_cast<std::size_t>(count) * sizeof(T)));
}

bool NativeLab::run(const BoundLaunch& launch) const {
  const std::string& kernel = launch.kernel;
  if (kernel == "lab_fill") return fill(launch), true;
  if (kernel == "lab_compare") return compare(launch), true;
  if (kernel == "lab_guard_scan") return guard_scan(launch), true;
  if (kernel == "lab_repitch") return repitch(launch), true;
  if (kernel == "lab_hash") return hash(launch), true;
  if (kernel == "lab_flush") return flush(launch), true;
  if (kernel == "lab_clock") return clock(launch), true;
  return kernel == "lab_blocker";  // launches are executed at once: nothing queues behind it
}

void NativeLab::fill(const BoundLaunch& launch) const {
  auto a = lab_arguments<lab::FillArguments>(launch);
  if (a.offset_bytes != 0)
    a.offsets = reinterpret_cast<u64>(at<std::uint8_t>(a.offsets, (a.parts + 1) * a.offset_bytes));
  with_type(a.dtype, [&]<u32 kDtype>() {
    auto* out = at<Word<kDtype>>(a.out, words_of<kDtype>(a.count));
    if (a.recipe == lab::kPartition) return fill_partition<kDtype>(a, out);
    const i64 bytes = words_of<kDtype>(a.count) * static_cast<i64>(sizeof *out);
    const bool sparse = bytes >= kSparseBytes;
    const i64 count = sparse ? elements_in(static_cast<DType>(kDtype), kRepeatedBytes) : a.count;
    emu::for_chunks(count, threads_, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      fill_range<kDtype>(a, out, begin, end);
    });
    if (sparse) repeat_pattern(a.out, static_cast<u64>(bytes));
  });
}

void NativeLab::compare(const BoundLaunch& launch) const {
  const auto a = lab_arguments<lab::CompareArguments>(launch);
  auto& report = *at<lab::CompareReport>(a.report, 1);
  if (a.count <= 0) return publish(report, {}, static_cast<u64>(a.count));
  with_type(a.dtype, [&]<u32 kDtype>() {
    const auto* got = at<Word<kDtype>>(a.got, words_of<kDtype>(a.count));
    if (a.acc_is_float != 0)
      compare_all<kDtype>(a, got, at<float>(a.value, a.count), at<float>(a.scale, a.count), report, threads_);
    else
      compare_all<kDtype>(a, got, at<double>(a.value, a.count), at<double>(a.scale, a.count), report, threads_);
  });
}

void NativeLab::guard_scan(const BoundLaunch& launch) const {
  const auto a = lab_arguments<lab::GuardArguments>(launch);
  const u32* words = at<u32>(a.begin, a.words);
  auto& report = at<lab::GuardReport>(a.report, i64{a.slot} + 1)[a.slot];
  for (i64 i = 0; i < a.words; ++i) {
    if (words[i] == a.pattern) continue;
    ++report.damaged;
    const u64 mine = static_cast<u64>(i) + 1;
    if (report.first == 0 || mine < report.first) report.first = mine;
  }
}

void NativeLab::repitch(const BoundLaunch& launch) const {
  const auto a = lab_arguments<lab::RepitchArguments>(launch);
  if (a.rows <= 0 || a.row_bytes <= 0) return;
  auto* to = at<std::uint8_t>(a.to, (a.rows - 1) * a.to_pitch + a.row_bytes);
  const auto* from = at<std::uint8_t>(a.from, (a.rows - 1) * a.from_pitch + a.row_bytes);
  for (i64 row = 0; row < a.rows; ++row)
    std::memcpy(to + row * a.to_pitch, from + row * a.from_pitch, static_cast<std::size_t>(a.row_bytes));
}

void NativeLab::hash(const BoundLaunch& launch) const {
  const auto a = lab_arguments<lab::HashArguments>(launch);
  const auto* bytes = at<std::uint8_t>(a.data, a.bytes);
  const auto* words = reinterpret_cast<const u32*>(bytes);
  const i64 count = a.bytes / 4;
  std::atomic<u64> sum = 0;
  emu::for_chunks(count, threads_, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    u64 part = 0;
    for (i64 i = begin; i < end; ++i) part += lab::mix((static_cast<u64>(i) << 32) ^ words[i] ^ lab::kGolden);
    sum += part;
  });
  for (i64 i = count * 4; i < a.bytes; ++i) sum += lab::mix((static_cast<u64>(i) << 8) ^ bytes[i]);
  at<u64>(a.report, i64{a.slot} + 1)[a.slot] += sum;
}

void NativeLab::flush(const BoundLaunch& launch) const {
  const auto a = lab_arguments<lab::FlushArguments>(launch);
  u32* words = at<u32>(a.data, a.words);
  emu::for_chunks(a.words, threads_, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (i64 i = begin; i < end; ++i) words[i] += 1;
  });
}

void NativeLab::clock(const BoundLaunch& launch) const {
  const auto a = lab_arguments<lab::ClockArguments>(launch);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto nanoseconds = static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  u64* out = at<u64>(a.out, 2);
  out[0] = nanoseconds / 1000 * static_cast<u64>(device_.clock_mhz);  // as if the clock stood at its maximum
  out[1] = nanoseconds;
}

}  // namespace kerlab::emu
