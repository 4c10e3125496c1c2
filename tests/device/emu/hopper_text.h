#pragma once
// PTX texts for tests of what sm_90a adds, and launches of them.

#include <functional>
#include <string>
#include <vector>

#include "device/emu/machine_lab.h"

namespace kerlab::emu {

/// A kernel "k" with parameters out (64 bits, in x0), in (x1) and n (32 bits, in r0); r1 is %tid.x, r2 %ctaid.x, r3
/// %cluster_ctarank. Registers p0.. r0.. x0.. f0.. h0.. `shared`: declarations of variables.
inline std::string hopper_text(const std::string& shared, const std::string& body, const std::string& directives = "") {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n" +
         directives + "\n{\n.reg .pred p<16>; .reg .b16 h<16>; .reg .b32 r<64>; .reg .b64 x<32>; .reg .f32 f<16>;\n" +
         shared +
         "\nld.param.u64 x0, [out]; ld.param.u64 x1, [in]; ld.param.u32 r0, [n];\n"
         "mov.u32 r1, %tid.x; mov.u32 r2, %ctaid.x; mov.u32 r3, %cluster_ctarank;\n" +
         body + "\nret;\n}\n";
}

inline std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no exception";
}

/// A wait for phase `parity` (a register or number) of the mbarrier at `address`, as CUDA code has it. `name` makes its
/// labels unique.
inline std::string wait_for(const std::string& address, const std::string& parity, const std::string& name) {
  return "W" + name + ": mbarrier.try_wait.parity.shared::cta.b64 p15, [" + address + "], " + parity + ";\n@p15 bra D" +
         name + ";\nbra W" + name + ";\nD" + name + ":\n";
}

/// "st.global.u32 [x0 + 4 * index], value".
inline std::string put(int index, const std::string& value) {
  return "st.global.u32 [x0+" + std::to_string(4 * index) + "], " + value + ";\n";
}
/// The predicate as 0 or 1.
inline std::string put_predicate(int index, const std::string& predicate) {
  return "selp.u32 r63, 1, 0, " + predicate + ";\n" + put(index, "r63");
}

}  // namespace kerlab::emu
