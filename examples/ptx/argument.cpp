#include "argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "device/emu/numeric/format.h"

namespace ptx_example {
namespace {

namespace numeric = kerlab::emu::numeric;
using kerlab::UsageError;

/// A float by its format, an integer by its sign.
struct Row {
  ValueType type;
  const numeric::Format* format;  ///< null: an integer
  bool is_signed;
};
constexpr std::array kTypes{
    Row{{"f64", 8}, &numeric::kF64, true},   Row{{"f32", 4}, &numeric::kF32, true},
    Row{{"f16", 2}, &numeric::kF16, true},   Row{{"bf16", 2}, &numeric::kBf16, true},
    Row{{"e4m3", 1}, &numeric::kE4m3, true}, Row{{"e5m2", 1}, &numeric::kE5m2, true},
    Row{{"i64", 8}, nullptr, true},          Row{{"i32", 4}, nullptr, true},
    Row{{"i16", 2}, nullptr, true},          Row{{"i8", 1}, nullptr, true},
    Row{{"u64", 8}, nullptr, false},         Row{{"u32", 4}, nullptr, false},
    Row{{"u16", 2}, nullptr, false},         Row{{"u8", 1}, nullptr, false},
};

const Row& row_of(std::string_view name, const std::string& argument) {
  const auto* found = std::ranges::find(kTypes, name, [](const Row& row) { return row.type.name; });
  if (found != kTypes.end()) return *found;
  std::string names;
  for (const Row& row : kTypes) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.type.name);
  throw UsageError(fmt::format("--arg {}: '{}' is not a type; there are {}", argument, name, names));
}

template <typename Number>
Number number(std::string_view text, const std::string& argument, const char* what) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("--arg {}: '{}' is not {}", argument, text, what));
  return value;
}

/// The bits of a real number in a format, rounded to the nearest.
std::uint64_t float_bits(double value, const numeric::Format& format) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return numeric::pack(numeric::unpack(bits, numeric::kF64), format, numeric::Round::nearest_even);
}

std::uint64_t bits_of_text(const Row& row, std::string_view text, const std::string& argument) {
  if (row.format != nullptr) return float_bits(number<double>(text, argument, "a number"), *row.format);
  const int unused = 64 - 8 * static_cast<int>(row.type.bytes);
  if (row.is_signed) {
    const auto value = number<std::int64_t>(text, argument, "a whole number");
    if (value << unused >> unused == value) return static_cast<std::uint64_t>(value);
  } else {
    const auto value = number<std::uint64_t>(text, argument, "a whole number from 0 on");
    if (value << unused >> unused == value) return value;
  }
  throw UsageError(fmt::format("--arg {}: {} does not fit into {}", argument, text, row.type.name));
}

/// A small generator (xorshift), so that every run and every machine gets the same numbers.
std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 11;
}

std::uint64_t random_bits(const Row& row, std::uint64_t& state) {
  const double unit = static_cast<double>(next(state)) * 0x1p-53;
  if (row.format != nullptr) return float_bits(2 * unit - 1, *row.format);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(16 * unit)) - (row.is_signed ? 8 : 0));
}

void fill(Argument& argument, const Row& row, std::string_view how, const std::string& text) {
  const auto put = [&](std::size_t i, std::uint64_t bits) {
    std::memcpy(argument.bytes.data() + i * row.type.bytes, &bits, row.type.bytes);  // little endian, as the device
  };
  if (how.starts_with('@')) {
    const std::string bytes = kerlab::read_text(std::string(how.substr(1)));
    if (bytes.size() != argument.bytes.size())
      throw UsageError(
          fmt::format("--arg {}: the file has {} bytes, the buffer {}", text, bytes.size(), argument.bytes.size()));
    std::memcpy(argument.bytes.data(), bytes.data(), bytes.size());
    return;
  }
  std::uint64_t state = 0x9e3779b97f4a7c15;
  const bool same = how != "index" && how != "random";
  const std::uint64_t value = same ? bits_of_text(row, how, text) : 0;
  for (std::size_t i = 0; i < argument.count; ++i) {
    if (same)
      put(i, value);
    else if (how == "random")
      put(i, random_bits(row, state));
    else
      put(i, row.format == nullptr ? i : float_bits(static_cast<double>(i), *row.format));
  }
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; parts.size() < 4;) {
    const std::size_t end = parts.size() == 3 ? text.size() : std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) break;
    begin = end + 1;
  }
  return parts;
}

}  // namespace

Argument read_argument(const std::string& text) {
  const std::vector<std::string_view> parts = parts_of(text);
  Argument argument;
  argument.is_buffer = parts[0] == "buffer";
  if (argument.is_buffer ? parts.size() < 3 : parts.size() != 2)
    throw UsageError(fmt::format("--arg {}: write buffer:TYPE:COUNT, buffer:TYPE:COUNT:FILL or TYPE:VALUE", text));
  const Row& row = row_of(parts[argument.is_buffer ? 1 : 0], text);
  argument.type = row.type;
  constexpr std::size_t kMost = std::size_t{1} << 32;
  if (argument.is_buffer) argument.count = number<std::size_t>(parts[2], text, "a number of values");
  if (argument.count == 0 || argument.count > kMost)
    throw UsageError(fmt::format("--arg {}: a buffer holds 1 to {} values", text, kMost));
  argument.bytes.resize(argument.count * row.type.bytes);
  fill(argument, row, argument.is_buffer ? (parts.size() > 3 ? parts[3] : "0") : parts[1], text);
  return argument;
}

std::string value_text(const ValueType& type, const std::byte* place) {
  const Row& row = *std::ranges::find(kTypes, type.name, [](const Row& one) { return one.type.name; });
  std::uint64_t bits = 0;
  std::memcpy(&bits, place, type.bytes);
  const int unused = 64 - 8 * static_cast<int>(type.bytes);
  if (row.format == nullptr)
    return row.is_signed ? fmt::format("{}", static_cast<std::int64_t>(bits << unused) >> unused)
                         : fmt::format("{}", bits);
  const numeric::Number value = numeric::unpack(bits, *row.format);
  if (value.kind == numeric::Kind::nan) return "nan";
  const double sign = value.negative ? -1 : 1;
  if (value.kind == numeric::Kind::infinite) return sign < 0 ? "-inf" : "inf";
  const double magnitude =
      value.kind == numeric::Kind::zero ? 0 : std::ldexp(static_cast<double>(value.significand), value.exponent);
  // The shortest text that names the value: of a narrow format an fp32 holds it.
  return type.bytes == 8 ? fmt::format("{}", sign * magnitude)
                         : fmt::format("{}", static_cast<float>(sign * magnitude));
}

}  // namespace ptx_example
