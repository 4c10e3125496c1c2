#include "device/emu/machine/chain.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "device/emu/machine/pipes.h"
#include "device/emu/ptx/flow/control_flow.h"
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

/// Of a chain: cycles since its begin, and how many loads from global memory are among what took them.
struct Moment {
  std::int32_t cycles = 0, loads = 0;
  auto operator<=>(const Moment&) const = default;
};

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
        ++commits_;
        break;
      case ptx::Opcode::mbarrier_expect_tx:
        ++commits_;
        break;
      case ptx::Opcode::mbarrier_arrive:
        if (instruction.modifiers.expect_tx) ++commits_;
        break;
      case ptx::Opcode::cp_async_wait_group:
        wait_but(instruction.operands[0].bits);
        break;
      case ptx::Opcode::cp_async_wait_all:
        if (last_) {
          wait(last_);
        } else {
          pending_ = 0;
        }
        break;
      default:
        break;
    }
    if (pipe(instruction) != Pipe::move) ++place_;
  }
  void report(Stretch& stretch) const {
    stretch.awaited = awaited_;
    stretch.pending = pending_;
    stretch.commits = commits_;
  }

 private:
  /// For all groups but the last `left`.
  void wait_but(std::uint64_t left) {
    if (groups_.size() > left) {
      wait(groups_[groups_.size() - 1 - left]);
    } else {
      pending_ = static_cast<std::int32_t>(left - groups_.size());
    }
  }
  void wait(std::optional<std::int32_t> copy) {
    if (copy) awaited_ = place_ - *copy;
  }
  std::int32_t place_ = 0, commits_ = 0;
  std::optional<std::int32_t> last_, awaited_, pending_;
  std::vector<std::optional<std::int32_t>> groups_;  ///< the last copy of each; none: of earlier code
};

}  // namespace

void measure_chain(const ptx::Kernel& kernel, Code code, Code after, Stretch& stretch) {
  std::unordered_map<std::int32_t, Moment> ready, loading;  // by register
  std::vector<std::int32_t> registers;
  const auto wait_for = [&](const auto& moments) {
    Moment latest;
    for (const std::int32_t r : registers)
      if (const auto at = moments.find(r); at != moments.end()) latest = std::max(latest, at->second);
    return latest;
  };
  Copies copies;
  Moment last;
  for (const ptx::Instruction* instruction : code) {
    ptx::registers_read(kernel, *instruction, registers);
    const Moment start = wait_for(ready);
    last = std::max(last, start);
    ptx::registers_written(kernel, *instruction, registers);
    const Pipe where = pipe(*instruction);
    const std::int32_t took = result_latency(where);
    const Moment end{start.cycles + took, start.loads + (took == latency::kGlobal ? 1 : 0)};
    for (const std::int32_t r : registers) {
      ready[r] = end;
      loading.erase(r);
      if (where == Pipe::global) loading[r] = end;
    }
    copies.see(*instruction);
  }
  copies.report(stretch);
  for (const ptx::Instruction* instruction : loading.empty() ? Code() : after) {
    ptx::registers_read(kernel, *instruction, registers);
    last = std::max(last, wait_for(loading));
  }
  stretch.chain = last.cycles;
  stretch.loads = last.loads;
}

}  // namespace kerlab::emu
