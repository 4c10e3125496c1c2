#include "spec/expression/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

namespace kerlab::spec {
namespace {

bool ceil_div(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b <= 0) return false;
  result = a / b + (a % b > 0 ? 1 : 0);
  return true;
}

/// Overflows by the 64th factor. On failure `result` is what had been reached.
bool power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  if (exponent < 0) return false;
  result = 1;
  if (base == 0 || base == 1) {
    result = exponent == 0 ? 1 : base;
    return true;
  }
  if (base == -1) {
    result = exponent % 2 == 0 ? 1 : -1;
    return true;
  }
  for (std::int64_t i = 0; i < exponent; ++i) {
    std::int64_t next = 0;
    if (__builtin_mul_overflow(result, base, &next)) return false;
    result = next;
  }
  return true;
}

bool divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return false;
  if (b == -1) return !__builtin_sub_overflow(std::int64_t{0}, a, &result);  // the one quotient that overflows
  result = a / b;
  return true;
}

bool modulo(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return false;
  result = b == -1 ? 0 : a % b;
  return true;
}

}  // namespace

bool apply(Operator op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (op) {
    case Operator::logical_not:
      return result = a == 0, true;
    case Operator::equal:
      return result = a == b, true;
    case Operator::not_equal:
      return result = a != b, true;
    case Operator::less:
      return result = a < b, true;
    case Operator::less_equal:
      return result = a <= b, true;
    case Operator::greater:
      return result = a > b, true;
    case Operator::greater_equal:
      return result = a >= b, true;
    case Operator::min:
      return result = std::min(a, b), true;
    case Operator::max:
      return result = std::max(a, b), true;
    case Operator::add:
      return !__builtin_add_overflow(a, b, &result);
    case Operator::subtract:
      return !__builtin_sub_overflow(a, b, &result);
    case Operator::multiply:
      return !__builtin_mul_overflow(a, b, &result);
    case Operator::negate:
      return !__builtin_sub_overflow(std::int64_t{0}, a, &result);
    case Operator::abs:
      return a < 0 ? !__builtin_sub_overflow(std::int64_t{0}, a, &result) : (result = a, true);
    case Operator::ilog2:
      if (a <= 0) return false;
      return result = 63 - __builtin_clzll(static_cast<unsigned long long>(a)), true;
    case Operator::divide:
      return divide(a, b, result);
    case Operator::modulo:
      return modulo(a, b, result);
    case Operator::ceil_div:
      return ceil_div(a, b, result);
    case Operator::round_up: {
      std::int64_t quotient = 0;
      return ceil_div(a, b, quotient) && !__builtin_mul_overflow(quotient, b, &result);
    }
    default:
      return power(a, b, result);
  }
}

std::string failure(Operator op, std::int64_t a, std::int64_t b) {
  const auto overflow = [](std::int64_t left, const char* sign, std::int64_t right) {
    return fmt::format("{} {} {} overflows 64 bits", left, sign, right);
  };
  switch (op) {
    case Operator::add:
      return overflow(a, "+", b);
    case Operator::subtract:
      return overflow(a, "-", b);
    case Operator::multiply:
      return overflow(a, "*", b);
    case Operator::divide:
      return b == 0 ? fmt::format("{} / 0: division by zero", a) : overflow(0, "-", a);
    case Operator::modulo:
      return fmt::format("{} % 0: division by zero", a);
    case Operator::ceil_div:
    case Operator::round_up:
      if (b == 0) return "division by zero";
      if (b < 0) return fmt::format("rounds up to a multiple of {}, which is negative", b);
      return overflow(a / b + 1, "*", b);
    case Operator::ilog2:
      return fmt::format("ilog2({}): not positive", a);
    case Operator::pow: {
      if (b < 0) return fmt::format("pow({}, {}): negative exponent", a, b);
      std::int64_t reached = 1;
      power(a, b, reached);
      return overflow(reached, "*", a);
    }
    default:
      return overflow(0, "-", a);  // unary minus and abs
  }
}

}  // namespace kerlab::spec
