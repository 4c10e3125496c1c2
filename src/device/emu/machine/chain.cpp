#include "device/emu/machine/chain.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "device/emu/machine/pipes.h"
#include "device/emu/ptx/control_flow.h"
#include "plan/stretch.h"

namespace kerlab::emu {
namespace {

std::int32_t result_latency(Pipe pipe) {
  switch (pipe) {
    case Pipe::conversion:
      return latency::kConversion;
    case Pipe::special:
      return latency::kSpecial;
    case Pipe::fp64:
      return latency::kFp64;
    case Pipe::shuffle:
      return latency::kShuffle;
    case Pipe::shared:
      return latency::kShared;
    case Pipe::local:
      return latency::kLocal;
    case Pipe::tensor:
      return latency::kTensor;
    case Pipe::global:
    case Pipe::atomic:
      return latency::kGlobal;
    case Pipe::move:  // parameters, copies: known long before, or no instruction at all
      return 0;
    default:
      return latency::kArithmetic;
  }
}

/// Where asynchronous copies of the code are awaited.
class Copies {
 public:
  void see(const ptx::Instruction& instruction) {
    switch (instruction.opcode) {
      case ptx::Opcode::cp_async:
        last_ = place_;
        break;
      case ptx::Opcode::cp_async_commit_group:
        groups_.push_back(last_);
        break;
      case ptx::Opcode::cp_async_wait_group:
        if (const auto left = instruction.operands[0].bits; groups_.size() > left)
          wait(groups_[groups_.size() - 1 - left]);
        break;
      case ptx::Opcode::cp_async_wait_all:
        wait(last_);
        break;
      default:
        break;
    }
    if (pipe(instruction) != Pipe::move) ++place_;
  }
  /// Instructions between the copy and the last wait for one; -1: none.
  [[nodiscard]] std::int32_t awaited() const { return awaited_; }

 private:
  void wait(std::int32_t copy) {
    if (copy >= 0) awaited_ = place_ - copy;
  }
  std::int32_t place_ = 0, last_ = -1, awaited_ = -1;
  std::vector<std::int32_t> groups_;  ///< the last copy of each; -1: of earlier code
};

}  // namespace

void measure_chain(const ptx::Kernel& kernel, Code code, Code after, Stretch& stretch) {
  std::unordered_map<std::int32_t, std::int32_t> ready, loading;  // by register
  std::vector<std::int32_t> registers;
  const auto wait_for = [&](const auto& times) {
    std::int32_t latest = 0;
    for (const std::int32_t r : registers)
      if (const auto at = times.find(r); at != times.end()) latest = std::max(latest, at->second);
    return latest;
  };
  Copies copies;
  for (const ptx::Instruction* instruction : code) {
    ptx::registers_read(kernel, *instruction, registers);
    const std::int32_t start = wait_for(ready);
    stretch.chain = std::max(stretch.chain, start);
    ptx::registers_written(kernel, *instruction, registers);
    const std::int32_t end = start + result_latency(pipe(*instruction));
    for (const std::int32_t r : registers) {
      ready[r] = end;
      loading.erase(r);
      if (pipe(*instruction) == Pipe::global) loading[r] = end;
    }
    copies.see(*instruction);
  }
  stretch.awaited = copies.awaited();
  for (const ptx::Instruction* instruction : loading.empty() ? Code() : after) {
    ptx::registers_read(kernel, *instruction, registers);
    stretch.chain = std::max(stretch.chain, wait_for(loading));
  }
}

}  // namespace kerlab::emu
