#pragma once
// One .entry or .func: signature, declarations, statements -> Function.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/emu/ptx/decode.h"
#include "device/emu/ptx/function.h"
#include "device/emu/ptx/literal.h"
#include "device/emu/ptx/scope.h"
#include "device/emu/ptx/token_stream.h"
#include "device/emu/ptx/variable.h"

namespace kerlab::ptx {

/// What all functions of a module see.
struct ModuleContext {
  TokenStream tokens;
  Scopes names, register_ranges;
  std::vector<Symbol> variables;  ///< of the module, in all spaces
  std::unordered_map<std::string_view, std::string> unsupported_names;
  std::unordered_map<std::string_view, DecodedOpcode> opcodes;  ///< decoded so far: a kernel uses few, often
  std::string_view target;                                      ///< "sm_90a"
};

class FunctionParser {
 public:
  FunctionParser(ModuleContext& module, Function& function);
  ~FunctionParser();
  FunctionParser(const FunctionParser&) = delete;
  FunctionParser& operator=(const FunctionParser&) = delete;

  /// "(.param .b64 x, ...)", if there is one: into `into`.
  void parameters(std::vector<Operand>& into);
  /// .maxntid and so on, up to "{" or ";".
  void directives();
  /// From "{" to after "}".
  void body();

 private:
  // function_body.cpp: statements
  void open_scope();
  void close_scope();
  void statement();
  void directive();
  void label();
  void location();
  [[nodiscard]] Location location_at(std::int32_t ptx_line) const;
  void registers();
  void variables(Space space);
  Symbol& declare_variable(Space space, const Variable& variable);
  void resolve_labels();
  void finish();

  // instruction_parser.cpp
  const DecodedOpcode& opcode(const Token& token);
  void instruction();
  void guard(Instruction& into);
  void operands(const DecodedOpcode& decoded, Instruction& into);
  void count_operands(const Token& token, const Instruction& given) const;
  void coordinates(const DecodedOpcode& decoded, Instruction& into);
  void adjust(const DecodedOpcode& decoded, Instruction& into);
  void call(Instruction into);
  std::vector<Operand> call_operands();
  void absolute_difference(const Instruction& whole, bool accumulate);
  void add(Instruction&& instruction);

  // operand_parser.cpp
  Operand operand(const DecodedOpcode& decoded, std::size_t index);
  Operand address(const DecodedOpcode& decoded);
  Operand vector(const DecodedOpcode& decoded, std::size_t index);
  Operand number(Type type);
  Operand named(const Token& token);
  std::int32_t find_register(std::string_view name);
  std::int32_t add_register(Type type, std::string_view name);
  std::int32_t module_symbol(std::int32_t variable);

  struct RegisterRange {
    Type type = Type::b32;
    std::int64_t count = 0;
    std::vector<std::int32_t> registers;  ///< by number; -1: not used yet
  };
  struct Fixup {
    std::int32_t instruction = -1, operand = -1;  ///< instruction -1: operand is the index of a branch table's entry
    std::int32_t table = -1;
    std::string_view name;
    std::int32_t line = 0;
  };
  struct Label {
    std::string_view name;
    std::int32_t value = 0;
    bool table = false;
    std::int32_t line = 0;
  };
  struct LabelScope {
    std::vector<Label> labels;
    std::vector<Fixup> fixups;
  };

  ModuleContext& module_;
  TokenStream& tokens_;
  Function& function_;
  Kernel& kernel_;
  std::vector<RegisterRange> ranges_;
  std::unordered_map<std::int32_t, std::int32_t> module_symbols_;  ///< module variable -> symbol of the kernel
  std::vector<LabelScope> label_scopes_;
  std::size_t outer_scopes_ = 0;  ///< open before this function
  std::int32_t last_label_ = -1;  ///< stands before this instruction
  Location location_;             ///< of the last .loc
  /// Where the code of a .loc (file, line, column) was inlined, in the end: of the last such .loc.
  std::map<std::array<std::int32_t, 3>, std::array<std::int32_t, 2>> callers_;
};

}  // namespace kerlab::ptx
