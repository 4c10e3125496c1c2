// cvt: the handlers against the scalar conversions; speed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/numeric/convert_ptx.h"
#include "one_warp.h"

namespace kerlab::emu {
namespace {

using numeric::Conversion;
using numeric::Value;
using ptx::Rounding;
using ptx::Type;

ptx::Instruction cvt_instruction(Rounding rounding, Type to, Type from, int sources = 1) {
  ptx::Instruction instruction;
  instruction.opcode = ptx::Opcode::cvt;
  instruction.types = {to, from};
  instruction.modifiers.rounding = rounding;
  instruction.operands.resize(static_cast<std::size_t>(1 + sources));
  return instruction;
}

std::vector<ptx::Instruction> all_conversions() {
  std::vector<ptx::Instruction> all;
  const auto add = [&](const ptx::Instruction& one, bool sat = false, bool ftz = false, bool relu = false) {
    all.push_back(one);
    all.back().modifiers.sat = sat;
    all.back().modifiers.ftz = ftz;
    all.back().modifiers.relu = relu;
  };
  const Type integers[] = {Type::u8, Type::s8, Type::u16, Type::s16, Type::u32, Type::s32, Type::u64, Type::s64};
  const Type floats[] = {Type::f16, Type::bf16, Type::f32, Type::f64};
  const Rounding whole[] = {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi};
  const Rounding near[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};
  for (const Type to : integers) {
    for (const Type from : integers) {
      for (const bool sat : {false, true}) add(cvt_instruction(Rounding::none, to, from), sat);
    }
    for (const Type from : floats) {
      for (const Rounding r : whole) {
        for (const bool ftz : {false, true}) add(cvt_instruction(r, to, from), false, ftz && from == Type::f32);
      }
    }
  }
  for (const Type to : floats) {
    for (const Type from : integers) {
      for (const Rounding r : near) add(cvt_instruction(r, to, from));
    }
    for (const Type from : floats) {
      const bool narrows = ptx::bits(to) < ptx::bits(from) || (ptx::bits(to) == 16 && from != to);
      const bool f32_there = to == Type::f32 || from == Type::f32;
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          for (int i = 0; i < 4; ++i) {
            if (narrows) add(cvt_instruction(near[i], to, from), sat, ftz && f32_there);
            if (to == from) add(cvt_instruction(whole[i], to, from), sat, ftz && f32_there);
          }
          if (!narrows) add(cvt_instruction(Rounding::none, to, from), sat, ftz && f32_there);
        }
      }
    }
  }
  for (const bool relu : {false, true}) {
    for (const Rounding r : {Rounding::rn, Rounding::rz}) {
      for (const Type to : {Type::f16, Type::bf16, Type::tf32})
        add(cvt_instruction(r, to, Type::f32), false, false, relu);
      for (const Type to : {Type::f16x2, Type::bf16x2}) add(cvt_instruction(r, to, Type::f32, 2), false, false, relu);
    }
    for (const Type pair : {Type::e4m3x2, Type::e5m2x2}) {
      add(cvt_instruction(Rounding::rn, Type::f16x2, pair), false, false, relu);
      for (const int sources : {1, 2}) {
        add(cvt_instruction(Rounding::rn, pair, sources == 1 ? Type::f16x2 : Type::f32, sources), false, false, relu);
        all.back().modifiers.satfinite = true;
      }
    }
  }
  add(cvt_instruction(Rounding::rna, Type::tf32, Type::f32));
  return all;
}

std::uint64_t random_bits(std::mt19937_64& random, const numeric::ConversionPlan& plan) {
  const Value from = plan.one.from;
  const std::uint64_t bits = random();
  if (numeric::is_integer(from))
    return bits % 3 == 0 ? bits >> (bits >> 3) % 64 : bits % 3 == 1 ? 0 - (bits >> (bits >> 3) % 64) : bits;
  const numeric::Format& f = numeric::format_of(from);
  if (bits % 8 == 0) return bits >> 8;
  const int exponents[] = {0, 1, (1 << f.exponent_bits) - 1, (1 << f.exponent_bits) - 2};
  const int near_one = f.bias() - 20 + static_cast<int>((bits >> 8) % 56);
  const int exponent = bits % 8 == 1 ? exponents[bits >> 8 & 3] : std::clamp(near_one, 0, (1 << f.exponent_bits) - 2);
  std::uint64_t fraction = bits >> 12 & ((1ull << f.fraction_bits) - 1);
  if (bits % 4 == 2) fraction &= ~0ull << std::max(0, f.fraction_bits - 1 - static_cast<int>((bits >> 60) % 8));
  if (bits % 16 == 1) fraction = 0;
  return (bits >> 63) << (f.bits() - 1) | static_cast<std::uint64_t>(exponent) << f.fraction_bits | fraction;
}

int register_width(Type type) {
  return std::max(16, ptx::bits(type));
}

/// What the destination register of `width` bits should hold.
std::uint64_t expected(const numeric::ConversionPlan& plan, std::uint64_t a, std::uint64_t b, int width) {
  std::uint64_t result = numeric::convert(plan.one, a);
  if (plan.pair) {
    const std::uint64_t low = plan.two_sources ? b : a,
                        high = plan.two_sources ? a : a >> numeric::bits_of(plan.one.from);
    result = numeric::convert(plan.one, low) | numeric::convert(plan.one, high) << numeric::bits_of(plan.one.to);
  }
  return width == 64 ? result : result & ((1ull << width) - 1);
}

std::uint64_t lane_of(const std::uint32_t* slot, int width, int lane) {
  if (width != 64) return slot[lane];
  std::uint64_t value;
  std::memcpy(&value, slot + 2 * lane, sizeof value);
  return value;
}
void set_lane(std::uint32_t* slot, int width, int lane, std::uint64_t value) {
  if (width == 64) {
    std::memcpy(slot + 2 * lane, &value, sizeof value);
  } else {
    slot[lane] = static_cast<std::uint32_t>(width == 16 ? value & 0xffff : value);
  }
}

/// Lanes that one instruction gets wrong. d, a, b: slots (of two).
struct Layout {
  int d, a, b, wider;  ///< wider: 1 for destination, 2 for source registers as wide as they may be
  std::uint32_t mask;
};
long wrong_lanes(Handler handler, const ptx::Instruction& instruction, const Layout& at, std::mt19937_64& random) {
  numeric::ConversionPlan plan;
  REQUIRE(numeric::plan_conversion(instruction, plan));
  const bool may_widen = !plan.pair;
  const int to =
      may_widen && (at.wider & 1) != 0 && numeric::is_integer(plan.one.to) ? 64 : register_width(instruction.types[0]);
  const int from = may_widen && (at.wider & 2) != 0 && numeric::is_integer(plan.one.from)
                       ? 64
                       : register_width(instruction.types[1]);
  OneWarp warp(6);
  std::uint64_t before[kLanes], a[kLanes], b[kLanes];
  for (int i = 0; i < 6 * kLanes; ++i) warp.slot(0)[i] = static_cast<std::uint32_t>(random());
  for (int lane = 0; lane < kLanes; ++lane) {
    if (plan.two_sources) set_lane(warp.slot(at.b), from, lane, random_bits(random, plan));
    std::uint64_t bits = random_bits(random, plan);
    const int own = numeric::bits_of(plan.one.from);
    if (plan.pair && !plan.two_sources) bits = (bits & ((1ull << own) - 1)) | random_bits(random, plan) << own;
    set_lane(warp.slot(at.a), from, lane, bits);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    a[lane] = lane_of(warp.slot(at.a), from, lane);
    b[lane] = plan.two_sources ? lane_of(warp.slot(at.b), from, lane) : 0;
    before[lane] = lane_of(warp.slot(at.d), to, lane);
  }
  const Op op = scalar_op(handler, instruction, {{at.d, to}, {at.a, from}, {at.b, from}});
  handler(warp.warp(), op, at.mask);
  long wrong = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool active = (at.mask >> lane & 1) != 0;
    const std::uint64_t want = active ? expected(plan, a[lane], b[lane], to) : before[lane];
    wrong += lane_of(warp.slot(at.d), to, lane) != want;
  }
  return wrong;
}

std::string describe(const ptx::Instruction& i) {
  return std::string(ptx::name(i.types[0])) + " from " + std::string(ptx::name(i.types[1])) + " rounding " +
         std::to_string(static_cast<int>(i.modifiers.rounding)) + (i.modifiers.sat ? " sat" : "") +
         (i.modifiers.ftz ? " ftz" : "") + (i.modifiers.relu ? " relu" : "") +
         (i.modifiers.satfinite ? " satfinite" : "");
}

TEST_CASE("cvt in registers, for every type, rounding and modifier", "[cvt]") {
  const std::vector<ptx::Instruction> all = all_conversions();
  CHECK(all.size() > 500);
  for (const Isa& isa : isas()) {
    std::mt19937_64 random(2);
    for (const ptx::Instruction& instruction : all) {
      const Handler handler = isa.convert(instruction);
      INFO(isa.name << ": " << describe(instruction));
      REQUIRE(handler != nullptr);
      long wrong = 0;
      for (int round = 0; round < 12; ++round) {
        const auto mask = static_cast<std::uint32_t>(random());
        wrong += wrong_lanes(handler, instruction, {0, 2, 4, 0, ~0u}, random);
        wrong += wrong_lanes(handler, instruction, {0, 2, 4, round & 3, mask | 1}, random);
        wrong += wrong_lanes(handler, instruction, {2, 2, 4, round & 3, round % 2 == 0 ? ~0u : mask | 4}, random);
        wrong += wrong_lanes(handler, instruction, {4, 2, 4, 0, ~0u}, random);
        if (ptx::bits(instruction.types[0]) != ptx::bits(instruction.types[1])) {
          wrong += wrong_lanes(handler, instruction, {1, 0, 4, 0, ~0u}, random);  // one slot in common
          wrong += wrong_lanes(handler, instruction, {0, 1, 4, 0, mask | 8}, random);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("cvt of all f16 and bf16, as vectors", "[cvt]") {
  for (const Isa& isa : isas()) {
    for (const Type from : {Type::f16, Type::bf16}) {
      const ptx::Instruction up = cvt_instruction(Rounding::none, Type::f32, from),
                             down = cvt_instruction(Rounding::rn, from, Type::f32);
      numeric::ConversionPlan plan_up, plan_down;
      REQUIRE(numeric::plan_conversion(up, plan_up));
      REQUIRE(numeric::plan_conversion(down, plan_down));
      const Handler widen = isa.convert(up), narrow = isa.convert(down);
      OneWarp warp(3);
      const Op first = scalar_op(widen, up, {{1, 32}, {0, 16}}), second = scalar_op(narrow, down, {{2, 16}, {1, 32}});
      long wrong = 0;
      for (std::uint32_t start = 0; start < 65536; start += kLanes) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) warp.slot(0)[lane] = start + lane;
        widen(warp.warp(), first, ~0u);
        narrow(warp.warp(), second, ~0u);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          const std::uint64_t value = numeric::convert(plan_up.one, start + lane);
          wrong += warp.slot(1)[lane] != value;
          wrong += warp.slot(2)[lane] != numeric::convert(plan_down.one, value);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("speed of cvt", "[.bench]") {
  const ptx::Instruction hot[] = {cvt_instruction(Rounding::rn, Type::bf16x2, Type::f32, 2),
                                  cvt_instruction(Rounding::rn, Type::f16x2, Type::f32, 2),
                                  cvt_instruction(Rounding::rn, Type::f16, Type::f32),
                                  cvt_instruction(Rounding::none, Type::f32, Type::f16),
                                  cvt_instruction(Rounding::none, Type::f32, Type::bf16),
                                  cvt_instruction(Rounding::rn, Type::f32, Type::s32),
                                  cvt_instruction(Rounding::rzi, Type::s32, Type::f32),
                                  cvt_instruction(Rounding::rmi, Type::f32, Type::f32),
                                  cvt_instruction(Rounding::none, Type::s64, Type::s32),
                                  cvt_instruction(Rounding::none, Type::u32, Type::u64),
                                  cvt_instruction(Rounding::none, Type::u16, Type::u32),
                                  cvt_instruction(Rounding::none, Type::f64, Type::f32),
                                  cvt_instruction(Rounding::rn, Type::f32, Type::f64),
                                  cvt_instruction(Rounding::rn, Type::f16x2, Type::e4m3x2),
                                  cvt_instruction(Rounding::rz, Type::f16, Type::f32)};
  for (const Isa& isa : isas()) {
    for (const ptx::Instruction& instruction : hot) {
      const Handler handler = isa.convert(instruction);
      OneWarp warp(6);
      for (int i = 0; i < 6 * kLanes; ++i) warp.slot(0)[i] = 0x3f800000u + static_cast<std::uint32_t>(i) * 4096u;
      const Op op = scalar_op(handler, instruction,
                              {{0, register_width(instruction.types[0])},
                               {2, register_width(instruction.types[1])},
                               {4, register_width(instruction.types[1])}});
      double best = 1;
      for (int repeat = 0; repeat < 300; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 100; ++i) handler(warp.warp(), op, ~0u);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 100);
      }
      std::printf("%-9s %-40s %6.2f G lane-instr/s\n", isa.name, describe(instruction).c_str(), 32 / best * 1e-9);
    }
  }
}

}  // namespace
}  // namespace kerlab::emu
