#pragma once
// The instructions of mbarriers, clusters, bulk copies and wgmma as a table of written forms: which modifiers and which
// operands belong together, as ptxas has it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// One line of the PTX ISA's syntax of an instruction.
struct Form {
  Opcode opcode;
  std::string_view name;       ///< what the text begins with: "mbarrier.arrive.expect_tx"
  std::string_view modifiers;  ///< slots: "release|relaxed cta|cluster shared? b64"; "?" may be missing
  std::string_view operands;   ///< see hopper_operands.cpp
  std::string_view target = "sm_90";
};

/// The opcode in parts (without dots).
using Parts = std::vector<std::string_view>;

/// Null if no form's name begins the text; throws Unsupported with what is wrong with its modifiers.
const Form* find_form(std::string_view text, const Parts& parts);

/// What the parts of a text that has this form mean.
void note_modifiers(const Form& form, const Parts& parts, Modifiers& to, std::vector<Type>& types);

/// Operands against the form. Immediates are cut to their width; the immediates of wgmma become modifiers, hints are
/// dropped. Throws Unsupported with place and operand.
void check_form(Kernel& kernel, const Form& form, Instruction& instruction);

/// wgmma.mma_async: shape, number of registers; scales and layouts become modifiers.
void check_wgmma(const Kernel& kernel, Instruction& instruction);

/// Whether code for `target` ("sm_90a") may have what needs `needed` ("sm_80", "sm_90", "sm_90a").
bool target_has(std::string_view target, std::string_view needed);

}  // namespace kerlab::ptx
