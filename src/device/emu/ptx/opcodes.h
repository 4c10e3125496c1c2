#pragma once
// What the parser knows about each base opcode, as a table.

#include <cstdint>
#include <string_view>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// Operand counts are of the written form, a second result ("d|p") not counted.
struct OpcodeInfo {
  Opcode opcode;
  std::string_view name;  ///< "and", "bar.warp", "cp.async.commit_group"
  std::int8_t least, most;
  std::int8_t results;
  bool second_result = false;  ///< may be written "d|p"
};
const OpcodeInfo& info(Opcode opcode);

/// The opcode whose name is exactly this; null if there is none.
const OpcodeInfo* find_opcode(std::string_view name);

}  // namespace kerlab::ptx
