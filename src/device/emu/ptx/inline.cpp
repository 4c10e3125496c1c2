// Calls of device functions become their bodies: fresh registers for each call, parameters as bytes of the caller's
// local frame.

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "device/emu/ptx/function.h"
#include "device/emu/ptx/kernel_writer.h"
#include "device/emu/ptx/shared_layout.h"

namespace kerlab::ptx {
namespace {

constexpr std::size_t kMostDepth = 128;
constexpr std::int64_t kMostCalls = 1 << 16;
constexpr std::size_t kMostRegistersInAll = 1 << 22;

class Inliner : KernelWriter {
 public:
  explicit Inliner(const std::vector<Function>& functions) {
    for (const Function& function : functions) {
      if (!function.entry) by_name_.try_emplace(function.kernel.name, &function);
    }
  }

  Kernel run(const Function& entry) {
    const Kernel& from = entry.kernel;
    out_.instructions.reserve(2 * from.instructions.size());
    out_.name = from.name;
    out_.parameter_bytes = from.parameter_bytes;
    out_.max_threads = from.max_threads;
    std::copy_n(from.required_block, 3, out_.required_block);
    std::copy_n(from.required_cluster, 3, out_.required_cluster);
    expand(entry, std::vector<std::int32_t>(entry.kernel.symbols.size(), -1), {}, 0);
    return std::move(out_);
  }

 private:
  /// How one expansion of a function names things in the result.
  struct Frame {
    const Function* function = nullptr;
    std::int32_t registers = 0;         ///< of its first register
    std::int32_t tables = 0;            ///< of its first branch table
    std::vector<std::int32_t> symbols;  ///< by its own symbols
    std::vector<std::int32_t> begin;    ///< by its own instructions
    std::int64_t local = 0, local_end = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> labels;  ///< operands that name its instructions
    std::vector<std::int32_t> returns;                          ///< branches to its end
  };

  using Inputs = std::vector<std::pair<Operand, Operand>>;  ///< formal, actual

  /// `symbols`: those that the caller bound. `inputs`: parameters that are given by value.
  Frame expand(const Function& function, std::vector<std::int32_t> symbols, const Inputs& inputs, std::int64_t local) {
    Frame frame;
    frame.function = &function;
    frame.symbols = std::move(symbols);
    frame.local = local;
    frame.local_end = local + function.kernel.local_bytes;
    if (frame.local_end > kMostLocalBytes)
      refuse(0, "the local memory of all functions called takes more than 512 KiB");
    out_.local_bytes = std::max(out_.local_bytes, frame.local_end);
    frame.registers = static_cast<std::int32_t>(out_.registers.size());
    out_.registers.insert(out_.registers.end(), function.kernel.registers.begin(), function.kernel.registers.end());
    if (out_.registers.size() > kMostRegistersInAll) refuse(0, "too many registers once all calls are inlined");
    bind_symbols(frame);
    frame.tables = static_cast<std::int32_t>(out_.branch_tables.size());
    out_.branch_tables.insert(out_.branch_tables.end(), function.kernel.branch_tables.begin(),
                              function.kernel.branch_tables.end());
    for (const auto& [formal, actual] : inputs) {
      if (formal.kind == OperandKind::reg && actual.kind == OperandKind::symbol) {
        load(register_operand(frame.registers + formal.value), actual.value);
      } else if (formal.kind == OperandKind::reg) {
        move(register_operand(frame.registers + formal.value), actual);
      } else {
        access(Opcode::st, frame.symbols[formal.value], actual);
      }
    }
    body(frame);
    patch(frame);
    return frame;
  }

  void bind_symbols(Frame& frame) {
    const Function& function = *frame.function;
    for (std::size_t i = 0; i < function.kernel.symbols.size(); ++i) {
      if (frame.symbols[i] >= 0) continue;
      const Symbol& symbol = function.kernel.symbols[i];
      const bool once = symbol.space != Space::local;
      const Function* owner = function.own_symbol[i] ? &function : nullptr;
      const auto next = static_cast<std::int32_t>(out_.symbols.size());
      if (once) {
        const auto [place, is_new] = shared_symbols_.try_emplace({owner, symbol.name}, next);
        frame.symbols[i] = place->second;
        if (!is_new) continue;
      }
      frame.symbols[i] = next;
      out_.symbols.push_back(symbol);
      if (symbol.space == Space::local) out_.symbols.back().offset += frame.local;
    }
  }

  void body(Frame& frame) {
    const Function& function = *frame.function;
    const std::vector<Instruction>& from = function.kernel.instructions;
    std::size_t call = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      frame.begin.push_back(static_cast<std::int32_t>(out_.instructions.size()));
      if (call < function.calls.size() && function.calls[call].at == static_cast<std::int32_t>(i)) {
        expand_call(frame, function.calls[call++], from[i]);
        continue;
      }
      if (from[i].opcode == Opcode::ret) {
        const bool falls_out = i + 1 == from.size() && from[i].guard < 0;
        if (!falls_out) frame.returns.push_back(branch(from[i], frame.registers));
        continue;
      }
      copy(frame, from[i]);
    }
  }

  void copy(Frame& frame, const Instruction& from) {
    Instruction instruction = from;
    if (instruction.guard >= 0) instruction.guard += frame.registers;
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
      Operand& operand = instruction.operands[k];
      if (operand.kind == OperandKind::label) {
        if (instruction.opcode == Opcode::brx) {
          operand.value += frame.tables;
        } else {
          frame.labels.emplace_back(static_cast<std::int32_t>(out_.instructions.size()), static_cast<std::int32_t>(k));
        }
      } else {
        operand = renamed(frame, operand);
      }
    }
    add(std::move(instruction));
  }

  Operand renamed(const Frame& frame, Operand operand) {
    switch (operand.kind) {
      case OperandKind::reg:
        operand.value += frame.registers;
        break;
      case OperandKind::symbol:
        operand.value = frame.symbols[operand.value];
        break;
      case OperandKind::address:
        operand.value = operand.base_is_symbol ? frame.symbols[operand.value] : operand.value + frame.registers;
        break;
      case OperandKind::vector: {
        const auto begin = static_cast<std::int32_t>(out_.elements.size());
        for (std::int32_t i = 0; i < operand.count; ++i) {
          out_.elements.push_back(renamed(frame, frame.function->kernel.elements[operand.value + i]));
        }
        operand.value = begin;
        break;
      }
      default:
        break;
    }
    return operand;
  }

  void patch(Frame& frame) {
    const auto end = static_cast<std::int32_t>(out_.instructions.size());
    for (const auto& [instruction, operand] : frame.labels) {
      std::int32_t& target = out_.instructions[instruction].operands[operand].value;
      target = frame.begin[target];
    }
    for (std::size_t i = 0; i < frame.function->kernel.branch_tables.size(); ++i) {
      for (std::int32_t& target : out_.branch_tables[frame.tables + i]) target = frame.begin[target];
    }
    for (const std::int32_t instruction : frame.returns) out_.instructions[instruction].operands[0].value = end;
  }

  void expand_call(Frame& frame, const Call& call, const Instruction& at) {
    std::int32_t skip = -1;
    line_ = at.location.ptx_line;
    if (at.guard >= 0) {
      skip = branch(at, frame.registers);
      out_.instructions[skip].guard_negated = !at.guard_negated;
    }
    location_ = at.location;
    if (call.callee == "vprintf") {
      print(frame, call);
    } else if (call.callee == "__assertfail") {
      assertion(frame, call);
    } else {
      enter(frame, call);
    }
    if (skip >= 0) out_.instructions[skip].operands[0].value = static_cast<std::int32_t>(out_.instructions.size());
  }

  void enter(Frame& frame, const Call& call) {
    const auto found = by_name_.find(call.callee);
    if (found == by_name_.end()) {
      refuse(line_, fmt::format("'{}' is called but not defined in this module", call.callee));
    }
    const Function& callee = *found->second;
    if (!callee.failure.empty()) throw Unsupported(callee.failure);
    if (std::find(stack_.begin(), stack_.end(), &callee) != stack_.end()) {
      refuse(line_, fmt::format("'{}' calls itself: the emulated device runs no recursion", call.callee));
    }
    if (stack_.size() == kMostDepth) refuse(line_, fmt::format("calls nest more than {} deep", kMostDepth));
    if (++calls_ > kMostCalls) refuse(line_, fmt::format("more than {} calls once all are inlined", kMostCalls));
    if (call.arguments.size() != callee.parameters.size() || call.results.size() != callee.results.size()) {
      refuse(line_, fmt::format("'{}' is called with other parameters than it has", call.callee));
    }
    std::vector<std::int32_t> symbols(callee.kernel.symbols.size(), -1);
    Inputs inputs;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Operand actual = renamed(frame, call.arguments[i]);
      const Operand& formal = callee.parameters[i];
      if (formal.kind == OperandKind::symbol && actual.kind == OperandKind::symbol) {
        symbols[formal.value] = same_memory(callee.kernel.symbols[formal.value], actual, call.callee);
      } else {
        inputs.emplace_back(formal, actual);
      }
    }
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      const Operand actual = renamed(frame, call.results[i]);
      const Operand& formal = callee.results[i];
      if (formal.kind == OperandKind::symbol && actual.kind == OperandKind::symbol) {
        symbols[formal.value] = same_memory(callee.kernel.symbols[formal.value], actual, call.callee);
      }
    }
    stack_.push_back(&callee);
    const Location saved = location_;
    const Frame inner = expand(callee, std::move(symbols), inputs, round_up(frame.local_end, 16));
    stack_.pop_back();
    location_ = saved;
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      const Operand actual = renamed(frame, call.results[i]);
      results_out(inner, callee.results[i], actual);
    }
  }

  /// What did not share memory is copied.
  void results_out(const Frame& inner, const Operand& formal, const Operand& actual) {
    if (actual.kind == OperandKind::none) return;
    const bool in_register = formal.kind == OperandKind::reg;
    const std::int32_t value = in_register ? inner.registers + formal.value : inner.symbols[formal.value];
    if (actual.kind == OperandKind::reg) {
      in_register ? move(actual, register_operand(value)) : load(actual, value);
    } else if (in_register) {
      access(Opcode::st, actual.value, register_operand(value));
    }
  }

  /// A formal parameter is the caller's variable itself.
  std::int32_t same_memory(const Symbol& formal, const Operand& actual, const std::string& callee) {
    const Symbol& variable = out_.symbols[actual.value];
    if (variable.space != Space::local || variable.bytes != formal.bytes) {
      refuse(line_, fmt::format("'{}' given to '{}' is not what its parameter '{}' needs", variable.name, callee,
                                formal.name));
    }
    return actual.value;
  }

  Operand loaded(const Frame& frame, const Call& call, std::size_t argument, Type type) {
    const Operand actual = renamed(frame, call.arguments[argument]);
    const auto value = static_cast<std::int32_t>(out_.registers.size());
    out_.registers.push_back({type, "%argument"});
    if (actual.kind == OperandKind::symbol) {
      load(register_operand(value), actual.value);
    } else {
      move(register_operand(value), actual);
    }
    return register_operand(value);
  }

  void print(const Frame& frame, const Call& call) {
    if (call.arguments.size() != 2 || call.results.size() > 1) refuse(line_, "vprintf takes a format and a buffer");
    const Operand format = loaded(frame, call, 0, Type::b64);
    const Operand buffer = loaded(frame, call, 1, Type::b64);
    const auto result = static_cast<std::int32_t>(out_.registers.size());
    out_.registers.push_back({Type::b32, "%printed"});
    make(Opcode::vprintf_call, {Type::b32, Type::b64, Type::b64}, {register_operand(result), format, buffer});
    if (call.results.empty()) return;
    const Operand actual = renamed(frame, call.results[0]);
    if (actual.kind == OperandKind::symbol) {
      access(Opcode::st, actual.value, register_operand(result));
    } else if (actual.kind == OperandKind::reg) {
      move(actual, register_operand(result));
    }
  }

  void assertion(const Frame& frame, const Call& call) {
    static const std::vector<Type> kTypes = {Type::b64, Type::b64, Type::b32, Type::b64, Type::b64};
    if (call.arguments.size() != kTypes.size() || !call.results.empty())
      refuse(line_, "__assertfail takes five arguments");
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < kTypes.size(); ++i) operands.push_back(loaded(frame, call, i, kTypes[i]));
    make(Opcode::assertfail_call, kTypes, std::move(operands));
  }

  std::unordered_map<std::string_view, const Function*> by_name_;
  std::map<std::pair<const Function*, std::string>, std::int32_t> shared_symbols_;  ///< those that exist once
  std::vector<const Function*> stack_;
  std::int64_t calls_ = 0;
};

}  // namespace

Kernel inline_calls(const std::vector<Function>& functions, Function entry) {
  Kernel kernel = entry.calls.empty() ? std::move(entry.kernel) : Inliner(functions).run(entry);
  lay_out_shared(kernel);
  return kernel;
}

}  // namespace kerlab::ptx
