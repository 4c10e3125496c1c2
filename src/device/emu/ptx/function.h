#pragma once
// What the parser makes of one .entry or .func, before calls are inlined.

#include <cstdint>
#include <string>
#include <vector>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// Limits that no real kernel comes near: beyond them the text is refused instead of filling the memory.
inline constexpr std::int64_t kMostRegisters = 1 << 20;     ///< of one .reg declaration
inline constexpr std::int64_t kMostInstructions = 1 << 20;  ///< of a kernel, calls inlined
inline constexpr std::int64_t kMostLocalBytes = 1 << 19;    ///< of a thread: 512 KiB, as on hardware
inline constexpr std::int64_t kMostSharedBytes = 1 << 20;   ///< of a block
inline constexpr std::int64_t kMostImageBytes = 64 << 20;   ///< module variables
inline constexpr std::int64_t kMostParameterBytes = 32764;  ///< PTX ISA, section Kernel Function Parameters

/// A call, which stands in `Function::kernel.instructions[at]` as a nop.
struct Call {
  std::int32_t at = 0;
  std::string callee;
  std::vector<Operand> results, arguments;  ///< registers, immediates, or symbols (variables in .param space)
};

/// Labels, registers, elements and so on of `kernel` are its own. Formal parameters in .param space are symbols: of
/// an entry in Space::param, of a function in Space::local, where inlining puts the caller's variables instead.
struct Function {
  Kernel kernel;
  bool entry = false;
  bool defined = false;                      ///< has a body
  std::vector<Operand> results, parameters;  ///< registers or symbols of `kernel`
  std::vector<bool> own_symbol;              ///< declared here, not in the module
  std::vector<Call> calls;
  std::string failure;  ///< why it is not supported
};

/// Bytes rounded up to a multiple of the alignment.
constexpr std::int64_t round_up(std::int64_t bytes, std::int64_t align) {
  return (bytes + align - 1) / align * align;
}

/// The entry with its calls inlined, and shared variables laid out. Throws Unsupported.
Kernel inline_calls(const std::vector<Function>& functions, Function entry);

}  // namespace kerlab::ptx
