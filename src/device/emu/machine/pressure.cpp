#include "device/emu/machine/pressure.h"

#include <utility>

#include "device/emu/machine/pipes.h"

namespace kerlab::emu {
namespace {

/// 32-bit registers of the hardware; predicates have a file of their own.
std::int32_t width(const ptx::Kernel& kernel, std::int32_t r) {
  const ptx::Type type = kernel.registers[static_cast<std::size_t>(r)].type;
  if (type == ptx::Type::pred) return 0;
  return ptx::bits(type) > 32 ? 2 : 1;
}

/// The live registers at one place, which moves backwards.
struct Live {
  const ptx::Kernel& kernel;
  std::vector<bool> live, loaded;
  std::int32_t held = 0, fetched = 0;

  explicit Live(const ptx::Kernel& k) : kernel(k), live(k.registers.size()), loaded(k.registers.size()) {}
  void add(std::int32_t r) {
    const auto at = static_cast<std::size_t>(r);
    if (live[at]) return;
    live[at] = true;
    held += width(kernel, r);
    fetched += loaded[at] ? width(kernel, r) : 0;
  }
  void remove(std::int32_t r) {
    const auto at = static_cast<std::size_t>(r);
    if (!live[at]) return;
    live[at] = false;
    held -= width(kernel, r);
    fetched -= loaded[at] ? width(kernel, r) : 0;
  }
};

}  // namespace

RegisterPressure::RegisterPressure(const ptx::Kernel& kernel)
    : kernel_(kernel), flow_(ptx::control_flow(kernel)), liveness_(ptx::liveness(kernel, flow_)) {}

void RegisterPressure::measure(Code code, Stretch& stretch) const {
  if (code.empty()) return;
  const ptx::Instruction* const first = kernel_.instructions.data();
  const std::int32_t begin = static_cast<std::int32_t>(code.front() - first);
  const std::int32_t end = static_cast<std::int32_t>(code.back() - first);
  const std::int32_t b = flow_.block_of[static_cast<std::size_t>(end)];
  if (b < 0) return;
  Live live(kernel_);
  std::vector<std::int32_t> registers;
  for (std::int32_t i = begin; i <= end; ++i) {
    const ptx::Instruction& instruction = kernel_.instructions[static_cast<std::size_t>(i)];
    if (pipe(instruction) != Pipe::global) continue;
    ptx::registers_written(kernel_, instruction, registers);
    for (const std::int32_t r : registers) live.loaded[static_cast<std::size_t>(r)] = true;
  }
  const auto& out = liveness_.out[static_cast<std::size_t>(b)];
  for (std::size_t r = 0; r < kernel_.registers.size(); ++r)
    if ((out[r / 64] >> (r % 64) & 1) != 0) live.add(static_cast<std::int32_t>(r));
  for (std::int32_t i = flow_.blocks[static_cast<std::size_t>(b)].end - 1; i >= begin; --i) {
    const ptx::Instruction& instruction = kernel_.instructions[static_cast<std::size_t>(i)];
    if (i <= end && live.held > stretch.held) {
      stretch.held = live.held;
      stretch.fetched = live.fetched;
    }
    ptx::registers_written(kernel_, instruction, registers);
    for (const std::int32_t r : registers) live.remove(r);
    ptx::registers_read(kernel_, instruction, registers);
    for (const std::int32_t r : registers) live.add(r);
  }
}

}  // namespace kerlab::emu
