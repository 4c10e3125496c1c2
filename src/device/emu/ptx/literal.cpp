#include "device/emu/ptx/literal.h"

#include <fmt/core.h>

#include <bit>
#include <charconv>

namespace kerlab::ptx {
namespace {

bool from_digits(std::string_view digits, int base, std::uint64_t& value) {
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  return !digits.empty() && error == std::errc() && stop == end;
}

double value_of(const Literal& literal) {
  if (literal.kind == Literal::Kind::single_bits) return std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits));
  return std::bit_cast<double>(literal.bits);
}

}  // namespace

Literal literal(const Token& token) {
  using Kind = Literal::Kind;
  std::string_view text = token.text;
  Literal result;
  bool good = false;
  const char mark = text.size() > 1 && text[0] == '0' ? text[1] : ' ';
  if (mark == 'x' || mark == 'X') {
    if (text.ends_with('U')) text.remove_suffix(1);
    good = from_digits(text.substr(2), 16, result.bits);
  } else if (mark == 'f' || mark == 'F') {
    result.kind = Kind::single_bits;
    good = text.size() == 10 && from_digits(text.substr(2), 16, result.bits);
  } else if (mark == 'd' || mark == 'D') {
    result.kind = Kind::double_bits;
    good = text.size() == 18 && from_digits(text.substr(2), 16, result.bits);
  } else if (text.find_first_of(".eE") != std::string_view::npos) {
    result.kind = Kind::decimal;
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    good = error == std::errc() && stop == text.data() + text.size();
    result.bits = std::bit_cast<std::uint64_t>(value);
  } else {
    if (text.ends_with('U')) text.remove_suffix(1);
    if (mark == 'b' || mark == 'B') {
      good = from_digits(text.substr(2), 2, result.bits);
    } else if (mark == ' ') {
      good = from_digits(text, 10, result.bits);
    } else {
      good = from_digits(text.substr(1), 8, result.bits);
    }
  }
  if (!good) throw Error(at_line(token.line, fmt::format("'{}' is not a number of at most 64 bits", token.text)));
  return result;
}

std::uint64_t bits_as(Type type, const Literal& literal, bool negative) {
  using Kind = Literal::Kind;
  std::uint64_t result = negative ? 0 - literal.bits : literal.bits;
  if (literal.kind != Kind::integer) {
    const double value = negative ? -value_of(literal) : value_of(literal);
    const bool single_wanted = type == Type::f32 || (type != Type::f64 && literal.kind == Kind::single_bits);
    if (literal.kind == (single_wanted ? Kind::single_bits : Kind::double_bits)) {
      // Its own bits: a signalling NaN stays one.
      result = literal.bits ^ (negative ? 1ull << (single_wanted ? 31 : 63) : 0);
    } else {
      result =
          single_wanted ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : std::bit_cast<std::uint64_t>(value);
    }
  }
  const int width = type == Type::none ? 64 : bits(type);
  return width < 64 ? result & ((1ull << width) - 1) : result;
}

}  // namespace kerlab::ptx
