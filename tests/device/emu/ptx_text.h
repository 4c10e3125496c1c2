#pragma once
// PTX texts for tests of the parser.

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "device/emu/ptx/ir.h"
#include "locations.h"
#include "modules.h"

namespace kerlab::ptx::test {

/// A kernel "k" with parameters "p" (64 bits) and "n" (32 bits), and registers of each kind: p0..p3 predicates, h0..
/// 16 bits, r0.. 32, x0.. 64, f0.. f32, d0.. f64, q0.. 128.
inline std::string kernel_text(const std::string& body, const std::string& before = "") {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred p<4>; .reg .b16 h<8>; .reg .b32 r<16>; .reg "
         ".b64 "
         "x<8>; .reg .f32 f<8>; .reg .f64 d<8>; .reg .b128 q<2>;\n" +
         body + "\nret;\n}\n";
}

inline ParseResult parse_body(const std::string& body, const std::string& before = "") {
  return parse(kernel_text(body, before));
}

inline std::string fixture(const std::string& name) {
  std::ifstream file(tests_folder() / "device/emu/ptx" / name);
  if (!file) throw std::runtime_error("no fixture " + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace kerlab::ptx::test
