#include <fmt/format.h>

#include "device/emu/machine/cta.h"
#include "device/emu/machine/place.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {
namespace {

/// ", 16 bytes after the end of the 1024 bytes at 0x7f..."
std::string neighbour(const Warp& warp, std::uint64_t address) {
  const GlobalMemory* memory = warp.cta->launch->memory;
  if (memory == nullptr) return {};
  const std::optional<AddressRange> before = memory->before(address);
  // Far away it is a wild pointer, and the neighbour says nothing.
  if (!before || address - before->end > 1u << 20) return {};
  const std::string name = memory->name_of(before->begin);
  const std::string what = name.empty()
                               ? fmt::format("the {} bytes at {:#x}", before->end - before->begin, before->begin)
                               : fmt::format("{} ({} bytes)", name, before->end - before->begin);
  return fmt::format(", {} bytes after the end of {}", address - before->end, what);
}

std::string kind_name(FaultKind kind) {
  std::string text(name(kind));
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

}  // namespace

void raise(FaultKind kind, const Warp& warp, const Op& op, int lane, const char* what, std::uint64_t address,
           int bytes) {
  const LaunchState& launch = *warp.cta->launch;
  std::string text = kind_name(kind) + ": " + (op.instruction != nullptr ? op.instruction->text : "") + " " + what;
  if (bytes > 0) {
    text += fmt::format(": {} bytes at {:#x}", bytes, address);
    if (kind == FaultKind::illegal_address) text += neighbour(warp, address);
  }
  const Dim3 thread = unlinear(std::int64_t{warp.index} * kLanes + lane, launch.block);
  text +=
      fmt::format("; lane {} of warp {}, thread {}, {}", lane, warp.index, triple(thread), block_name(warp.cta->index));
  if (op.instruction != nullptr) text += ", " + place(op.instruction, launch.files).substr(3);
  throw MachineFault(kind, text, op.instruction);
}

}  // namespace kerlab::emu
