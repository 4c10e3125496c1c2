#pragma once
// Checked 64-bit integers: what the expressions of kernel specs compute with. What has no value (overflow, division by
// zero, ...) is remembered, and nothing throws. && || ?: are C++'s own, and so as lazy as they should be.

#include <cstdint>
#include <limits>

namespace kerlab_dispatch_2 {

class Checked {
 public:
  using Int = std::int64_t;

  /// False once something had no value, or did not hold; `why` says what was first.
  bool ok() const { return why_ == nullptr; }
  const char* why() const { return why_ == nullptr ? "" : why_; }
  void fail(const char* why) {
    if (why_ == nullptr) why_ = why;
  }
  void hold(bool condition, const char* why) {
    if (!condition) fail(why);
  }
  Int within(Int value, Int low, Int high, const char* why) {
    hold(low <= value && value <= high, why);
    return ok() ? value : low;
  }

  Int add(Int a, Int b) {
    if (b > 0 ? a > kMost - b : a < kLeast - b) return none();
    return a + b;
  }
  Int subtract(Int a, Int b) {
    if (b < 0 ? a > kMost + b : a < kLeast + b) return none();
    return a - b;
  }
  Int multiply(Int a, Int b) {
    if (a == 0 || b == 0) return 0;
    if (a == -1) return negate(b);
    if (b == -1) return negate(a);
    if (a > 0 ? (b > 0 ? a > kMost / b : b < kLeast / a) : (b > 0 ? a < kLeast / b : b < kMost / a)) return none();
    return a * b;
  }
  Int negate(Int a) { return a == kLeast ? none() : -a; }
  Int absolute(Int a) { return a < 0 ? negate(a) : a; }
  Int divide(Int a, Int b) {
    if (b == 0) return none();
    return b == -1 ? negate(a) : a / b;
  }
  Int modulo(Int a, Int b) {
    if (b == 0) return none();
    return b == -1 ? 0 : a % b;
  }
  Int ceil_div(Int a, Int b) {
    if (b <= 0) return none();
    return a / b + (a % b > 0 ? 1 : 0);
  }
  Int round_up(Int a, Int b) { return b <= 0 ? none() : multiply(ceil_div(a, b), b); }
  Int ilog2(Int a) {
    if (a <= 0) return none();
    Int log = 0;
    while (a >>= 1) ++log;
    return log;
  }
  Int power(Int base, Int exponent) {
    if (exponent < 0) return none();
    if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    Int result = 1;
    for (Int i = 0; i < exponent && ok(); ++i) result = multiply(result, base);
    return result;
  }
  static Int least(Int a, Int b) { return a < b ? a : b; }
  static Int most(Int a, Int b) { return a < b ? b : a; }

 private:
  static constexpr Int kMost = std::numeric_limits<Int>::max();
  static constexpr Int kLeast = std::numeric_limits<Int>::min();
  Int none() {
    fail("an expression has no value there (overflow or division by zero)");
    return 0;
  }
  const char* why_ = nullptr;
};

}  // namespace kerlab_dispatch_2
