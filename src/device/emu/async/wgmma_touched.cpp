#include "device/emu/async/wgmma_touched.h"

#include <algorithm>

#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::emu {
namespace {

using ptx::Instruction;
using ptx::Opcode;

/// How many groups may have been committed since a wgmma was issued, one bit each; the highest: so many or more. 0: it
/// is not under way.
using Ages = std::uint16_t;
constexpr int kOldest = 15;

class Search {
 public:
  explicit Search(const ptx::Kernel& kernel) : kernel_(kernel), flow_(ptx::control_flow(kernel)) {
    users_.resize(kernel.registers.size());
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
      const Instruction& instruction = kernel.instructions[i];
      if (instruction.opcode != Opcode::wgmma_mma_async) continue;
      for (int operand = 0; operand < 2; ++operand)
        for (const std::int32_t reg : registers(instruction, operand))
          users_[static_cast<std::size_t>(reg)].push_back({static_cast<std::int32_t>(all_.size()), operand == 0});
      all_.push_back(static_cast<std::int32_t>(i));
    }
  }

  std::vector<WgmmaTouch> run() {
    if (all_.empty()) return {};
    std::vector<std::vector<Ages>> in(flow_.blocks.size(), std::vector<Ages>(all_.size(), 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
        std::vector<Ages> ages = in[b];
        for (std::int32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) step(i, ages);
        for (const std::int32_t next : flow_.blocks[b].successors) {
          std::vector<Ages>& there = in[static_cast<std::size_t>(next)];
          for (std::size_t w = 0; w < ages.size(); ++w) {
            changed = changed || (ages[w] & ~there[w]) != 0;
            there[w] = static_cast<Ages>(there[w] | ages[w]);
          }
        }
      }
    }
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      for (std::int32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) {
        look(i, in[b]);
        step(i, in[b]);
      }
    }
    std::stable_sort(found_.begin(), found_.end(), [](const auto& x, const auto& y) { return x.by < y.by; });
    return std::move(found_);
  }

 private:
  struct User {
    std::int32_t wgmma = 0;  ///< index into all_
    bool accumulates = false;
  };

  [[nodiscard]] const Instruction& at(std::int32_t i) const {
    return kernel_.instructions[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::vector<std::int32_t> registers(const Instruction& instruction, int operand) const {
    const ptx::Operand& vector = instruction.operands[static_cast<std::size_t>(operand)];
    std::vector<std::int32_t> all;
    for (std::int32_t i = 0; vector.kind == ptx::OperandKind::vector && i < vector.count; ++i)
      all.push_back(kernel_.elements[static_cast<std::size_t>(vector.value + i)].value);
    return all;
  }

  void step(std::int32_t i, std::vector<Ages>& ages) const {
    const Instruction& instruction = at(i);
    if (instruction.opcode == Opcode::wgmma_mma_async) {
      const auto w = static_cast<std::size_t>(std::lower_bound(all_.begin(), all_.end(), i) - all_.begin());
      ages[w] = static_cast<Ages>(ages[w] | 1);
    } else if (instruction.opcode == Opcode::wgmma_commit_group) {
      for (Ages& age : ages) age = static_cast<Ages>(age << 1 | (age & 1 << kOldest));
    } else if (instruction.opcode == Opcode::wgmma_wait_group) {
      const std::uint64_t allowed = std::min<std::uint64_t>(instruction.operands[0].bits, kOldest);
      for (Ages& age : ages) age = static_cast<Ages>(age & ((2u << allowed) - 1));
    }
  }

  void look(std::int32_t i, const std::vector<Ages>& ages) {
    const Instruction& instruction = at(i);
    ptx::registers_written(kernel_, instruction, used_);
    for (const std::int32_t reg : used_) meet(i, reg, true, ages);
    ptx::registers_read(kernel_, instruction, used_);
    for (const std::int32_t reg : used_) meet(i, reg, false, ages);
  }

  void meet(std::int32_t by, std::int32_t reg, bool writes, const std::vector<Ages>& ages) {
    const Instruction& instruction = at(by);
    for (const User& user : users_[static_cast<std::size_t>(reg)]) {
      const std::int32_t wgmma = all_[static_cast<std::size_t>(user.wgmma)];
      if (ages[static_cast<std::size_t>(user.wgmma)] == 0 || (!user.accumulates && !writes)) continue;
      if (instruction.opcode == Opcode::wgmma_mma_async && user.accumulates &&
          registers(instruction, 0) == registers(at(wgmma), 0))
        continue;
      const bool known = std::any_of(found_.begin(), found_.end(),
                                     [&](const WgmmaTouch& touch) { return touch.wgmma == wgmma && touch.by == by; });
      if (known) continue;
      const bool move = instruction.opcode == Opcode::mov && instruction.operands[1].kind == ptx::OperandKind::reg;
      found_.push_back({wgmma, by, reg, writes, move});
    }
  }

  const ptx::Kernel& kernel_;
  ptx::ControlFlow flow_;
  std::vector<std::int32_t> all_;         ///< instructions that are wgmma.mma_async
  std::vector<std::vector<User>> users_;  ///< by register
  std::vector<WgmmaTouch> found_;
  std::vector<std::int32_t> used_;
};

}  // namespace

std::vector<WgmmaTouch> wgmma_touched(const ptx::Kernel& kernel) {
  return Search(kernel).run();
}

}  // namespace kerlab::emu
