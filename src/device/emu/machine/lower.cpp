#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "device/emu/machine/clock.h"
#include "device/emu/machine/fragment_reuse.h"
#include "device/emu/machine/handlers.h"
#include "device/emu/machine/instruction_role.h"
#include "device/emu/machine/machine.h"
#include "device/emu/machine/operands.h"
#include "device/emu/machine/pipes.h"
#include "device/emu/machine/program.h"

namespace kerlab::emu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

[[noreturn]] void unsupported(const Instruction& instruction) {
  throw ptx::Unsupported(fmt::format("ptx:{}: {} is not emulated", instruction.location.ptx_line, instruction.text));
}

void do_nothing(Warp&, const Op&, std::uint32_t) {}

Handler select(const HandlerSet& set, const Instruction& instruction) {
  for (const Select family : {set.integer, set.floating, set.approximate, set.convert, set.memory, set.atomic, set.warp,
                              set.matrix, set.wgmma, Select(select_async)}) {
    if (const Handler handler = family(instruction)) return handler;
  }
  unsupported(instruction);
}

class Lowering {
 public:
  Lowering(const ptx::Kernel& kernel, std::uint64_t global_base, std::uint64_t constant_base, Program& program)
      : kernel_(kernel),
        program_(program),
        flow_(ptx::control_flow(kernel)),
        liveness_(ptx::liveness(kernel, flow_)),
        places_(ptx::place_registers(kernel, flow_, liveness_)),
        operands_(kernel, places_, global_base, constant_base, program) {}

  void run() {
    for (const ptx::Block& block : flow_.blocks) lower_block(block);
    link();
    find_spins();
    find_effects();
    zero_what_may_be_unset();
    mark_unchanged(kernel_, places_, program_);
  }

 private:
  /// A block while its operations may still move: indices into Program::ops, and PTX blocks to branch to.
  struct Draft {
    std::int32_t begin = 0, end = 0, op = -1;
    std::int32_t waiting = 0;
  };

  void open() {
    program_.blocks.emplace_back();
    program_.profiles.emplace_back();
    drafts_.push_back({static_cast<std::int32_t>(program_.ops.size()), 0, -1, 0});
    converged_ = false;
  }

  void close(End kind) {
    Block& block = program_.blocks.back();
    block.kind = kind;
    block.next = static_cast<std::int32_t>(program_.blocks.size());  // the next one opened, unless a branch says else
    drafts_.back().end = static_cast<std::int32_t>(program_.ops.size());
  }

  void count(const Instruction& instruction, bool alone) {
    BlockProfile& profile = program_.profiles.back();
    const auto at = static_cast<std::size_t>(pipe(instruction));
    const bool with_block = ending(instruction) != End::collective;
    program_.blocks.back().instructions++;
    const auto index = static_cast<std::int32_t>(&instruction - kernel_.instructions.data());
    program_.placed.push_back({index, static_cast<std::int32_t>(program_.blocks.size()) - 1, -1});
    if (with_block) profile.issued[at]++;
    if (alone) {
      program_.counted.back() = static_cast<std::int32_t>(program_.counted_ops.size());
      program_.placed.back().counted = program_.counted.back();
      program_.counted_ops.push_back({pipe(instruction), with_block, flops(instruction), tensor_flops(instruction)});
      return;
    }
    profile.by_lane[at]++;
    profile.flops += flops(instruction);
    profile.tensor_flops += tensor_flops(instruction);
  }

  Op& append(const Instruction& instruction) {
    Op op;
    operands_.fill(instruction, op);
    op.instruction = &instruction;
    if (instruction.guard >= 0) {
      op.guard = places_.place[static_cast<std::size_t>(instruction.guard)];
      op.guard_negated = instruction.guard_negated;
    }
    program_.counted.push_back(-1);
    return program_.ops.emplace_back(op);
  }

  /// An operation before the instruction that puts the clock where it reads it.
  void refresh_clock(const Instruction& instruction) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      if (operand.kind != OperandKind::special || !is_clock(operand.special)) continue;
      Op op;
      op.run = clock_handler(operand.special);
      op.width[0] = static_cast<std::uint8_t>(constant_bits(instruction, static_cast<int>(i)));
      op.slot[0] = operands_.special(operand.special, op.width[0] == 64);
      op.immediate = program_.blocks.back().instructions;
      op.instruction = &instruction;
      program_.counted.push_back(-1);
      program_.ops.push_back(op);
    }
  }

  void lower_straight(const Instruction& instruction) {
    if (instruction.opcode == Opcode::nop) return;
    drafts_.back().waiting = std::max(drafts_.back().waiting, waiting_cost(instruction));
    if (is_collective(instruction) && !converged_) {
      close(End::converge);
      open();
      converged_ = true;
    }
    refresh_clock(instruction);
    append(instruction).run = does_nothing(instruction.opcode) ? do_nothing : select(set_, instruction);
    program_.async_copies |= instruction.opcode == Opcode::cp_async;
    program_.bulk_copies |= is_bulk_copy(instruction.opcode);
    const bool guarded = instruction.guard >= 0;
    program_.blocks.back().guarded |= guarded;
    count(instruction, guarded);
  }

  void lower_ending(const Instruction& instruction, End kind) {
    if (kind == End::collective && program_.blocks.back().instructions > 0) {
      close(End::next);  // it may be executed in parts: counted apart from what is before it
      open();
    }
    if (kind == End::wgmma_wait && !converged_) {
      close(End::converge);
      open();
    }
    drafts_.back().waiting = std::max(drafts_.back().waiting, waiting_cost(instruction));
    close(kind);
    Block& block = program_.blocks.back();
    drafts_.back().op = static_cast<std::int32_t>(program_.ops.size());
    if (kind == End::branch) {
      program_.ops.emplace_back().instruction = &instruction;
      program_.counted.push_back(-1);
      targets_[program_.blocks.size() - 1] = instruction.operands[0].value;
    } else {
      append(instruction);
    }
    if (kind == End::collective || kind == End::wgmma_wait) program_.ops.back().run = select(set_, instruction);
    if (kind == End::table) block.table = instruction.operands[1].value;
    program_.prints |= kind == End::print;
    program_.sets_registers |= kind == End::set_registers;
    if (instruction.guard >= 0) {
      block.guard = places_.place[static_cast<std::size_t>(instruction.guard)];
      block.flip = instruction.guard_negated ? ~0u : 0u;
    }
    count(instruction, kind == End::collective);
  }

  void lower_block(const ptx::Block& block) {
    first_.push_back(static_cast<std::int32_t>(program_.blocks.size()));
    open();
    bool ended = false;  // the ending of the PTX block has been lowered
    for (std::int32_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = kernel_.instructions[static_cast<std::size_t>(i)];
      const std::optional<End> kind = ending(instruction);
      if (!kind) {
        lower_straight(instruction);
        continue;
      }
      lower_ending(instruction, *kind);
      ended = i + 1 == block.end;
      if (!ended) open();
    }
    if (!ended) close(End::next);
    if (block.end < static_cast<std::int32_t>(kernel_.instructions.size())) {
      falls_[program_.blocks.size() - 1] = block.end;
    }
  }

  /// The first block at a PTX instruction.
  [[nodiscard]] std::int32_t block_at(std::int32_t instruction) const {
    if (instruction < 0 || instruction >= static_cast<std::int32_t>(flow_.block_of.size())) return -1;
    const std::int32_t block = flow_.block_of[static_cast<std::size_t>(instruction)];
    return block < 0 ? -1 : first_[static_cast<std::size_t>(block)];
  }

  void link() {
    for (const auto& [block, instruction] : falls_) program_.blocks[block].next = block_at(instruction);
    for (const auto& [block, instruction] : targets_) {
      Block& from = program_.blocks[block];
      from.taken = block_at(instruction);
      if (from.guard < 0) {
        from.kind = End::next;
        from.next = from.taken;
      }
    }
    for (const std::vector<std::int32_t>& table : kernel_.branch_tables) {
      std::vector<std::int32_t>& blocks = program_.tables.emplace_back();
      for (const std::int32_t instruction : table) blocks.push_back(block_at(instruction));
    }
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      Block& block = program_.blocks[b];
      block.begin = program_.ops.data() + drafts_[b].begin;
      block.end = program_.ops.data() + drafts_[b].end;
      if (drafts_[b].op >= 0) block.op = program_.ops.data() + drafts_[b].op;
    }
    for (Op& op : program_.ops) op.list = program_.lists.data();
  }

  void find_spins() {
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      Block& block = program_.blocks[b];
      std::int32_t to = static_cast<std::int32_t>(b) + 1;
      if (block.next >= 0) to = std::min(to, block.next);
      if (block.taken >= 0) to = std::min(to, block.taken);
      for (std::size_t inside = static_cast<std::size_t>(to); inside <= b; ++inside) {
        block.spin = std::max(block.spin, drafts_[inside].waiting);
      }
    }
  }

  void find_effects() {
    for (Block& block : program_.blocks) {
      for (const Op* op = block.begin; op != block.end; ++op)
        block.effects += op->instruction != nullptr && has_effects(*op->instruction) ? 1 : 0;
      if (block.op != nullptr && has_effects(*block.op->instruction)) ++block.effects;
    }
  }

  /// What an earlier block left in a register must not show.
  void zero_what_may_be_unset() {
    if (flow_.blocks.empty()) return;
    const std::vector<std::uint64_t>& live = liveness_.in.front();
    for (std::size_t r = 0; r < kernel_.registers.size(); ++r) {
      if (r / 64 >= live.size() || (live[r / 64] >> (r % 64) & 1) == 0 || places_.place[r] < 0) continue;
      const ptx::Type type = kernel_.registers[r].type;
      if (type == ptx::Type::pred) {
        program_.zeroed_predicates.push_back(places_.place[r]);
        continue;
      }
      program_.zeroed_slots.push_back(places_.place[r]);
      if (ptx::bits(type) == 64) program_.zeroed_slots.push_back(places_.place[r] + 1);
    }
  }

  const ptx::Kernel& kernel_;
  Program& program_;
  ptx::ControlFlow flow_;
  ptx::Liveness liveness_;
  ptx::RegisterPlaces places_;
  Operands operands_;
  const HandlerSet& set_ = handlers();
  std::vector<std::int32_t> first_;  ///< by PTX block
  std::vector<Draft> drafts_;
  std::map<std::size_t, std::int32_t> falls_, targets_;  ///< block -> PTX instruction
  bool converged_ = false;                               ///< the current block begins with all live lanes of the warp
};

}  // namespace

void ProgramDeleter::operator()(const Program* program) const noexcept {
  delete program;
}

ProgramPtr lower(const ptx::Kernel& kernel, std::uint64_t global_base, std::uint64_t constant_base,
                 const std::vector<std::string>* files) {
  auto program = std::make_unique<Program>();
  program->kernel = &kernel;
  program->files = files;
  program->shared_bytes = kernel.shared_bytes;
  program->local_bytes = kernel.local_bytes;
  program->communication = ptx::communication(kernel);
  Lowering(kernel, global_base, constant_base, *program).run();
  return ProgramPtr(program.release());
}

ptx::Communication communication(const Program& program) {
  return program.communication;
}

}  // namespace kerlab::emu
