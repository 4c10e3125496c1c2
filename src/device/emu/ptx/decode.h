#pragma once
// An opcode as written -> base opcode, modifiers, types.

#include <string>
#include <string_view>
#include <vector>

#include "device/emu/ptx/hopper_forms.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// Hints that the emulated device drops change what the operands are.
struct DecodedOpcode {
  Opcode opcode = Opcode::nop;
  Modifiers modifiers;
  std::vector<Type> types;
  bool cache_policy = false;         ///< the last operand is one: dropped
  bool is_call = false;              ///< call: not an opcode of the IR
  bool absolute_difference = false;  ///< vabsdiff4: becomes bfe, sad, bfi
  bool accumulate = false;           ///< vabsdiff4.add
  bool drop_operands = false;        ///< discard, applypriority: nop
  bool create_policy = false;        ///< createpolicy: becomes a mov of 0
  bool copy_bytes_operand = false;
  const Form* form = nullptr;  ///< of mbarriers, clusters, bulk copies, wgmma: what the operands must be
  std::string text;
};

/// Throws Unsupported with the reason (without place) for what the emulated device does not run.
DecodedOpcode decode(std::string_view text);

}  // namespace kerlab::ptx
