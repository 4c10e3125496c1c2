#include "device/emu/machine/fragment_reuse.h"

#include <algorithm>
#include <vector>

namespace kerlab::emu {
namespace {

/// The slots of a fragment that an operation of the block has read, none of them written since.
using RegisterList = std::vector<std::int32_t>;

RegisterList slots_of(const Op& op, int operand) {
  const std::int32_t* const first = op.count[operand] == 0 ? &op.slot[operand] : op.list + op.slot[operand];
  return {first, first + std::max<int>(op.count[operand], 1)};
}

/// Whether it was known; then or else it is now. Fragments are told apart by their first slot, as the handler does.
bool meet(std::vector<RegisterList>& known, const RegisterList& fragment) {
  const auto same = std::find(known.begin(), known.end(), fragment);
  if (same != known.end()) return true;
  std::erase_if(known, [&](const RegisterList& other) { return other.front() == fragment.front(); });
  known.push_back(fragment);
  return false;
}

void forget(std::vector<RegisterList>& known, std::int32_t written) {
  std::erase_if(known, [&](const RegisterList& fragment) {
    return std::find(fragment.begin(), fragment.end(), written) != fragment.end();
  });
}

}  // namespace

void mark_unchanged(const ptx::Kernel& kernel, const ptx::RegisterPlaces& places, Program& program) {
  std::vector<std::int32_t> written;
  for (const Block& block : program.blocks) {
    std::vector<RegisterList> known[2];  // of A and of B
    for (const Op* at = block.begin; at != block.end; ++at) {
      Op& op = program.ops[static_cast<std::size_t>(at - program.ops.data())];
      if (op.instruction->opcode == ptx::Opcode::mma && op.guard < 0) {
        for (int i = 0; i < 2; ++i) {
          if (meet(known[i], slots_of(op, 1 + i))) op.unchanged = static_cast<std::uint8_t>(op.unchanged | 2u << i);
        }
      }
      if (known[0].empty() && known[1].empty()) continue;
      ptx::registers_written(kernel, *op.instruction, written);
      for (const std::int32_t value : written) {
        const ptx::Type type = kernel.registers[static_cast<std::size_t>(value)].type;
        if (type == ptx::Type::pred) continue;
        const std::int32_t slot = places.place[static_cast<std::size_t>(value)];
        for (int i = 0; i < 2; ++i) {
          forget(known[i], slot);
          for (int part = 1; part < ptx::bits(type) / 32; ++part) forget(known[i], slot + part);
        }
      }
    }
  }
}

}  // namespace kerlab::emu
