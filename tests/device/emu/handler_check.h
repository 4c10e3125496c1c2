#pragma once
// Compares a handler with a scalar expression: special values x random values, masks of all kinds, the destination
// in a register of its own and in a source's, the portable build and that for x86-64-v3.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "device/emu/handler_bench.h"

namespace kerlab::emu {

/// What the expression sees of one lane: sources in order, predicates as 0 or 1, and the carry.
struct LaneInput {
  std::array<std::uint64_t, 5> source{};
  bool carry = false;
};
/// What the instruction leaves: a value, and where it has them a second predicate and the carry.
struct LaneResult {
  LaneResult(std::uint64_t only) : value(only) {}  // implicit: an expression gives most results
  LaneResult(std::uint64_t first, bool second_predicate, bool carry_out = false)
      : value(first), second(second_predicate), carry(carry_out) {}
  std::uint64_t value;
  bool second = false;
  bool carry = false;
};
using Expression = std::function<LaneResult(const LaneInput&)>;
/// A value for a source of so many bits.
using Draw = std::function<std::uint64_t(std::mt19937_64&, int bits)>;

inline std::uint64_t low_bits(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Corners of two's complement and of shift amounts, numbers of every length, and random bits.
inline std::uint64_t draw_integer(std::mt19937_64& random, int bits) {
  static constexpr std::uint64_t kSpecial[] = {0,
                                               1,
                                               2,
                                               3,
                                               7,
                                               8,
                                               15,
                                               16,
                                               17,
                                               31,
                                               32,
                                               33,
                                               63,
                                               64,
                                               65,
                                               127,
                                               128,
                                               255,
                                               256,
                                               0x7fff,
                                               0x8000,
                                               0x7fffffff,
                                               0x80000000,
                                               0x80000001,
                                               0xffffffff,
                                               0x100000000,
                                               1ull << 63,
                                               ~0ull,
                                               ~1ull,
                                               ~0ull >> 1,
                                               0xffff,
                                               0x80ff7f01,
                                               0x12345678,
                                               0xff00ff,
                                               0x7654,
                                               0x8000ffff,
                                               0xffff8000ull,
                                               0x3210,
                                               0xfedc};
  const std::uint64_t value = random();
  switch (random() % 4) {
    case 0:
      return low_bits(kSpecial[value % std::size(kSpecial)], bits);
    case 1:
      return low_bits(value >> random() % 64, bits);
    case 2:
      return low_bits(0 - (value >> random() % 64), bits);
    default:
      return low_bits(value, bits);
  }
}

struct CheckOptions {
  Draw draw = draw_integer;
  int rounds = 200;
};

class HandlerCheck {
 public:
  HandlerCheck(const std::string& text, Expression expression, CheckOptions options)
      : text_(text), bench_(text), expression_(std::move(expression)), options_(std::move(options)) {
    sources_begin_ = bench_.instruction().has_second_result ? 2 : 1;
  }

  void run(const std::string& build, Select select) {
    const Handler handler = select(bench_.instruction());
    INFO(build << ": " << text_);
    REQUIRE(handler != nullptr);
    std::mt19937_64 random(42);
    const Op original = bench_.op();
    for (int round = 0; round < options_.rounds; ++round) {
      bench_.op() = original;
      alias(round);
      one(build, handler, mask(random, round), random);
    }
    bench_.op() = original;
  }

 private:
  static std::uint32_t mask(std::mt19937_64& random, int round) {
    if (round % 3 == 0) return ~0u;
    if (round % 3 == 1) return static_cast<std::uint32_t>(random()) | 1u;
    return 1u << random() % 32;
  }
  /// Puts the destination where a source of its width lies, in some rounds.
  void alias(int round) {
    Op& op = bench_.op();
    const int operand = sources_begin_ + round % 4 - 1;
    const auto count = static_cast<int>(bench_.instruction().operands.size());
    if (round % 4 == 0 || operand >= count || op.width[operand] != op.width[0] || op.slot[0] < 0) return;
    if (bench_.instruction().operands[static_cast<std::size_t>(operand)].kind != ptx::OperandKind::reg) return;
    if (bench_.instruction().has_second_result) return;
    op.slot[0] = op.slot[operand];
  }

  void one(const std::string& build, Handler handler, std::uint32_t mask, std::mt19937_64& random) {
    const auto count = static_cast<int>(bench_.instruction().operands.size());
    std::array<LaneInput, kLanes> input;
    std::array<std::uint64_t, kLanes> before{};
    std::array<std::uint64_t, kLanes> second_before{};
    bench_.warp().carry = static_cast<std::uint32_t>(random());
    for (int lane = 0; lane < kLanes; ++lane) {
      if (bench_.op().slot[0] >= 0) bench_.put(bench_.place(0), lane, random());
      if (sources_begin_ == 2 && bench_.op().second >= 0) bench_.put(bench_.place(1), lane, random());
      for (int n = sources_begin_; n < count; ++n) {
        if (bench_.instruction().operands[static_cast<std::size_t>(n)].kind == ptx::OperandKind::reg) {
          bench_.put(bench_.place(n), lane, options_.draw(random, bench_.place(n).bits));
        }
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const int l = static_cast<int>(lane);
      for (int n = sources_begin_; n < count; ++n) {
        std::uint64_t value = bench_.take(bench_.place(n), l);
        if ((bench_.op().negated >> n & 1) != 0) value ^= 1;
        input[lane].source[static_cast<std::size_t>(n - sources_begin_)] = value;
      }
      input[lane].carry = (bench_.warp().carry >> lane & 1) != 0;
      if (bench_.op().slot[0] >= 0) before[lane] = bench_.take(bench_.place(0), l);
      if (sources_begin_ == 2 && bench_.op().second >= 0) second_before[lane] = bench_.take(bench_.place(1), l);
    }
    const std::uint32_t carry_before = bench_.warp().carry;
    bench_.run(handler, mask);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      const bool active = (mask >> lane & 1) != 0;
      const LaneResult result = expression_(input[l]);
      if (bench_.op().slot[0] >= 0) {
        const std::uint64_t expected = active ? low_bits(result.value, bench_.place(0).bits) : before[l];
        compare(build, "result", lane, active, input[l], bench_.take(bench_.place(0), lane), expected);
      }
      if (sources_begin_ == 2 && bench_.op().second >= 0) {
        const std::uint64_t expected = active ? static_cast<std::uint64_t>(result.second) : second_before[l];
        compare(build, "second result", lane, active, input[l], bench_.take(bench_.place(1), lane), expected);
      }
      const bool carry =
          active && bench_.instruction().modifiers.carry_out ? result.carry : (carry_before >> lane & 1) != 0;
      compare(build, "carry", lane, active, input[l], bench_.warp().carry >> lane & 1,
              static_cast<std::uint64_t>(carry));
    }
  }

  void compare(const std::string& build, const char* what, int lane, bool active, const LaneInput& input,
               std::uint64_t got, std::uint64_t expected) {
    if (got == expected) return;
    INFO(build << ": " << text_ << ", " << what << " of " << (active ? "active" : "inactive") << " lane " << lane
               << std::hex << "; sources " << input.source[0] << ", " << input.source[1] << ", " << input.source[2]
               << ", " << input.source[3] << ", carry " << input.carry << "; got " << got << ", expected " << expected);
    FAIL();
  }

  std::string text_;
  HandlerBench bench_;
  Expression expression_;
  CheckOptions options_;
  int sources_begin_ = 1;
};

/// `portable_select` and `v3_select`: the family's two builds.
inline void check_handler(Select portable_select, Select v3_select, const std::string& text,
                          const Expression& expression, const CheckOptions& options = {}) {
  HandlerCheck check(text, expression, options);
  check.run("portable", portable_select);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) check.run("x86-64-v3", v3_select);
}

}  // namespace kerlab::emu
