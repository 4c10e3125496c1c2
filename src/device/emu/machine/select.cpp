#include <cstdlib>
#include <string_view>

#include "device/emu/machine/handlers.h"

namespace kerlab::emu {

#define KERLAB_FAMILIES(isa)                           \
  namespace isa {                                      \
  Handler select_integer(const ptx::Instruction&);     \
  Handler select_floating(const ptx::Instruction&);    \
  Handler select_approximate(const ptx::Instruction&); \
  Handler select_convert(const ptx::Instruction&);     \
  Handler select_memory(const ptx::Instruction&);      \
  Handler select_atomic(const ptx::Instruction&);      \
  Handler select_warp(const ptx::Instruction&);        \
  Handler select_matrix(const ptx::Instruction&);      \
  Handler select_wgmma(const ptx::Instruction&);       \
  }                                                    \
  static_assert(true)
KERLAB_FAMILIES(portable);
KERLAB_FAMILIES(v3);
#undef KERLAB_FAMILIES
namespace v4 {
Handler select_wgmma(const ptx::Instruction&);
}

namespace {

/// All of x86-64-v3 that clang 14 can ask for; F16C, LZCNT and MOVBE came to every processor before or with AVX2.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}

/// AVX-512 with VNNI, for what gains by it.
bool has_v4() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

}  // namespace

const HandlerSet& handlers() {
  static constexpr HandlerSet kPortable = {"portable",
                                           portable::select_integer,
                                           portable::select_floating,
                                           portable::select_approximate,
                                           portable::select_convert,
                                           portable::select_memory,
                                           portable::select_atomic,
                                           portable::select_warp,
                                           portable::select_matrix,
                                           portable::select_wgmma};
  static constexpr HandlerSet kV3 = {
      "x86-64-v3",       v3::select_integer, v3::select_floating, v3::select_approximate, v3::select_convert,
      v3::select_memory, v3::select_atomic,  v3::select_warp,     v3::select_matrix,      v3::select_wgmma};
  static constexpr HandlerSet kV4 = [] {
    HandlerSet set = kV3;
    set.name = "x86-64-v4";
    set.wgmma = v4::select_wgmma;
    return set;
  }();
  // Read each time, so that a test can compare them within one process.
  const char* isa = std::getenv("KERLAB_EMU_ISA");
  const std::string_view wanted = isa != nullptr ? isa : "";
  static const bool kHasV3 = has_v3(), kHasV4 = kHasV3 && has_v4();
  if (wanted == "portable" || !kHasV3) return kPortable;
  return wanted == "x86-64-v3" || !kHasV4 ? kV3 : kV4;
}

}  // namespace kerlab::emu
