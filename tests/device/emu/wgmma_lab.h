#pragma once
// One wgmma on a warpgroup made by hand: the cases of conformance/wgmma/cases.h through a handler.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/wgmma/cases.h"
#include "device/emu/machine/cta.h"
#include "device/emu/machine/handlers.h"
#include "device/emu/numeric/tensor_core.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

namespace portable {
Handler select_wgmma(const ptx::Instruction& instruction);
}
namespace v3 {
Handler select_wgmma(const ptx::Instruction& instruction);
}
namespace v4 {
Handler select_wgmma(const ptx::Instruction& instruction);
}

namespace cases = conformance::wgmma;

struct WgmmaIsa {
  const char* name;
  Select select;
};
/// The builds that this processor runs.
inline std::vector<WgmmaIsa> wgmma_isas() {
  std::vector<WgmmaIsa> all{{"portable", portable::select_wgmma}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back({"v3", v3::select_wgmma});
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))
    all.push_back({"v4", v4::select_wgmma});
  return all;
}

inline ptx::Type ptx_type(cases::Type type) {
  using ptx::Type;
  constexpr Type kTypes[] = {Type::f16, Type::bf16, Type::tf32, Type::e4m3, Type::e5m2,
                             Type::s8,  Type::u8,   Type::b1,   Type::f32,  Type::s32};
  return kTypes[static_cast<int>(type)];
}

inline ptx::Instruction wgmma_instruction(const cases::Form& form) {
  ptx::Instruction i;
  i.opcode = ptx::Opcode::wgmma_mma_async;
  i.types = {ptx_type(form.d), ptx_type(form.a), ptx_type(form.b)};
  i.modifiers.m = 64;
  i.modifiers.n = static_cast<std::uint16_t>(form.n);
  i.modifiers.k = static_cast<std::uint16_t>(form.k());
  i.modifiers.negate_a = form.negate_a;
  i.modifiers.negate_b = form.negate_b;
  i.modifiers.a_column = form.column_a;
  i.modifiers.b_column = form.column_b;
  i.modifiers.satfinite = form.saturate;
  i.text = "wgmma.mma_async.sync.aligned." + form.text();
  return i;
}

/// A block of one warpgroup (`threads`: or of so many) with the registers of one instruction.
class WgmmaLab {
 public:
  WgmmaLab(const cases::Form& form, Select select, unsigned threads = 128)
      : form_(form), instruction_(wgmma_instruction(form)), registers_(form.registers()) {
    handler_ = select(instruction_);
    REQUIRE(handler_ != nullptr);
    warps_.resize((threads + 31) / 32);
    memory_.resize(warps_.size() * static_cast<std::size_t>(kSlots + 1) * kLanes);
    auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    auto* slots = reinterpret_cast<std::uint32_t*>((at + 127) / 128 * 128);
    launch_.block = {threads, 1, 1};
    cta_.launch = &launch_;
    shared_.resize(static_cast<std::size_t>(form.image_bytes) + 64);
    at = reinterpret_cast<std::uintptr_t>(shared_.data());
    cta_.shared = reinterpret_cast<std::byte*>((at + 63) / 64 * 64);
    cta_.shared_bytes = static_cast<std::uint32_t>(form.image_bytes);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      warps_[w].slots = slots + w * kSlots * kLanes;
      warps_[w].predicates = predicates_;
      warps_[w].index = static_cast<std::uint32_t>(w);
      warps_[w].cta = &cta_;
    }
    for (int i = 0; i < registers_; ++i) list_.push_back(i);
    for (int i = 0; i < 4; ++i) list_.push_back(kA + i);
    op_.run = handler_;
    op_.instruction = &instruction_;
    op_.list = list_.data();
    op_.slot[0] = 0;
    op_.count[0] = static_cast<std::uint8_t>(registers_);
    op_.slot[1] = form.a_in_registers ? registers_ : kDescriptors;
    op_.count[1] = form.a_in_registers ? 4 : 0;
    op_.slot[2] = kDescriptors + 2;
    op_.slot[3] = 0;
    op_.width[0] = 32, op_.width[1] = form.a_in_registers ? 32 : 64, op_.width[2] = 64, op_.width[3] = 1;
  }
  WgmmaLab(const WgmmaLab&) = delete;
  WgmmaLab& operator=(const WgmmaLab&) = delete;

  void load(const cases::Case& one) {
    const std::vector<std::uint8_t> in = cases::input(form_, one);
    const auto word = [&](std::size_t at) {
      std::uint32_t value;
      std::memcpy(&value, in.data() + at, 4);
      return value;
    };
    for (std::size_t w = 0; w < 4; ++w) {
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t thread = 32 * w + lane;
        for (std::size_t i = 0; i < 4; ++i) {
          slot(w, kA + static_cast<int>(i))[lane] = word(32 + 4 * (4 * thread + i));
          slot(w, kDescriptors + static_cast<int>(i / 2) * 2)[2 * lane + i % 2] = word(4 * i);
        }
        for (int i = 0; i < registers_; ++i)
          slot(w, i)[lane] =
              word(32 + 2048 + 4 * (thread * static_cast<std::size_t>(registers_) + static_cast<std::size_t>(i)));
      }
    }
    predicates_[0] = word(16) != 0 ? ~0u : 0;
    std::memcpy(cta_.shared, in.data() + in.size() - static_cast<std::size_t>(form_.image_bytes),
                static_cast<std::size_t>(form_.image_bytes));
  }
  void run() {
    for (std::size_t w = 0; w < 4; ++w) run_warp(w);
  }
  void run_warp(std::size_t w, std::uint32_t mask = ~0u) { op_.run(warps_[w], op_, mask); }
  /// 64 x n.
  std::vector<std::uint32_t> result() {
    std::vector<std::uint8_t> out(form_.output_bytes());
    for (std::size_t thread = 0; thread < 128; ++thread)
      for (int i = 0; i < registers_; ++i)
        std::memcpy(out.data() + 4 * (thread * static_cast<std::size_t>(registers_) + static_cast<std::size_t>(i)),
                    slot(thread / 32, i) + thread % 32, 4);
    return cases::result(form_, out.data());
  }
  Cta& cta() { return cta_; }
  Op& op() { return op_; }
  Warp& warp(std::size_t w) { return warps_[w]; }
  std::uint32_t* slot(std::size_t w, int index) { return warps_[w].slots + index * kLanes; }

  static constexpr int kA = 128, kDescriptors = 132, kSlots = 136;

 private:
  cases::Form form_;
  ptx::Instruction instruction_;
  int registers_;
  Handler handler_ = nullptr;
  std::vector<std::uint32_t> memory_;
  std::vector<std::byte> shared_;
  std::uint32_t predicates_[1] = {~0u};
  LaunchState launch_;
  Cta cta_;
  std::vector<Warp> warps_;
  std::vector<std::int32_t> list_;
  Op op_;
};

/// What the instruction should give, element by element.
inline const numeric::Format& format_of(cases::Type type) {
  switch (type) {
    case cases::Type::f16:
      return numeric::kF16;
    case cases::Type::bf16:
      return numeric::kBf16;
    case cases::Type::tf32:
      return numeric::kTf32;
    case cases::Type::e4m3:
      return numeric::kE4m3;
    case cases::Type::e5m2:
      return numeric::kE5m2;
    default:
      return numeric::kF32;
  }
}
inline std::uint32_t wgmma_model(const cases::Form& form, const cases::Case& one, int row, int column) {
  const int k = form.k();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const std::uint32_t c = one.scale ? one.c[at(row * form.n + column)] : 0;
  std::vector<std::uint32_t> a, b;
  for (int i = 0; i < k; ++i) {
    a.push_back(one.a[at(row * k + i)]);
    b.push_back(one.b[at(column * k + i)]);
  }
  if (cases::is_float(form.a)) {
    const std::uint32_t sign = 1u << (cases::bits(form.a) - 1);
    for (std::uint32_t& x : a) x ^= form.negate_a ? sign : 0;
    for (std::uint32_t& x : b) x ^= form.negate_b ? sign : 0;
    return static_cast<std::uint32_t>(
        numeric::wgmma_element(format_of(form.a), format_of(form.b), a, b, c, format_of(form.d)));
  }
  const auto value = [](cases::Type type, std::uint32_t bits) {
    return std::int64_t{type == cases::Type::s8 ? static_cast<std::int8_t>(bits) : static_cast<std::int32_t>(bits)};
  };
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (std::size_t i = 0; i < a.size(); ++i) sum += value(form.a, a[i]) * value(form.b, b[i]);
  if (form.saturate) sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

}  // namespace kerlab::emu
