// Loads, stores, atomics, asynchronous copies, addresses, from the PTX ISA sections of these names.

#include <cstring>

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

namespace {

std::size_t bytes_of(Type type) {
  return static_cast<std::size_t>(ptx::bits(type)) / 8;
}

void run_load(Block& block, Lane& lane, const Instruction& in) {
  const Type type = in.types[0];
  const std::size_t bytes = bytes_of(type);
  const u64 address = value_of(block, lane, in.operands[1]);
  if (address % (bytes * in.modifiers.vector) != 0) fail(in, "is misaligned");
  for (int i = 0; i < in.modifiers.vector; ++i) {
    const ptx::Operand& to = element(block, in.operands[0], i);
    const u64 value = load(block, lane, in, in.modifiers.space, address + bytes * static_cast<u64>(i), bytes);
    set(block, lane, to, ptx::is_signed(type) ? static_cast<u64>(extend(value, ptx::bits(type))) : value);
  }
}

void run_store(Block& block, Lane& lane, const Instruction& in) {
  const std::size_t bytes = bytes_of(in.types[0]);
  const u64 address = value_of(block, lane, in.operands[0]);
  if (address % (bytes * in.modifiers.vector) != 0) fail(in, "is misaligned");
  for (int i = 0; i < in.modifiers.vector; ++i)
    store(block, lane, in, in.modifiers.space, address + bytes * static_cast<u64>(i), bytes,
          value_of(block, lane, element(block, in.operands[1], i)));
}

u64 window_of(Space space) {
  switch (space) {
    case Space::shared:
      return kSharedWindow;
    case Space::local:
      return kLocalWindow;
    case Space::param:
      return kParameterWindow;
    default:
      return 0;
  }
}

/// f64 in global memory: a NaN comes out as it went in, that of the operand first. f32 in global memory flushes
/// subnormal numbers, in shared memory it does not ("atom", Description).
u64 float_add(const Instruction& in, Type type, u64 a, u64 b, bool global) {
  if (global && type == Type::f64 && (is_nan(a, kDouble) || is_nan(b, kDouble))) return is_nan(b, kDouble) ? b : a;
  Instruction add = in;
  add.opcode = Opcode::add;
  add.modifiers = {};
  add.modifiers.rounding = ptx::Rounding::rn;
  add.modifiers.ftz = global && type == Type::f32;
  const u64 x[] = {b, a};  // of two NaN in shared memory the old one comes out
  return float_operation(add, type, x);
}

u64 combine(const Instruction& in, u64 old, u64 b, u64 c, bool global) {
  const Type type = in.types[0];
  if (!ptx::is_float(type)) return atomic_operation(in.modifiers.atomic, type, old, b, c);
  if (in.modifiers.atomic != ptx::Atomic::add) fail(in, "is not known to the oracle");
  if (!is_packed(type)) return float_add(in, type, old, b, global);
  return float_add(in, element_of(type), old & 0xffff, b & 0xffff, global) |
         float_add(in, element_of(type), old >> 16, b >> 16, global) << 16;
}

void run_atomic(Block& block, Lane& lane, const Instruction& in) {
  const std::size_t first = in.opcode == Opcode::atom ? 1 : 0;
  const std::size_t bytes = bytes_of(in.types[0]);
  const u64 address = value_of(block, lane, in.operands[first]);
  const bool global =
      in.modifiers.space == Space::global || (in.modifiers.space == Space::generic && (address & kWindowMask) == 0);
  for (int i = 0; i < in.modifiers.vector; ++i) {
    const u64 at = address + bytes * static_cast<u64>(i);
    const u64 old = load(block, lane, in, in.modifiers.space, at, bytes);
    const auto operand = [&](std::size_t k) {
      return low(value_of(block, lane, element(block, in.operands[first + k], i)), static_cast<int>(8 * bytes));
    };
    const u64 b = operand(1), c = in.operands.size() > first + 2 ? operand(2) : 0;
    store(block, lane, in, in.modifiers.space, at, bytes, combine(in, old, b, c, global));
    if (first == 1) set(block, lane, element(block, in.operands[0], i), old);
  }
}

/// The bytes are read now and written when somebody waits.
void run_copy(Block& block, Lane& lane, const Instruction& in) {
  const u64 target = value_of(block, lane, in.operands[0]), source = value_of(block, lane, in.operands[1]);
  const std::size_t bytes = in.modifiers.copy_bytes;
  const std::size_t given = in.operands.size() > 3 ? value_of(block, lane, in.operands[3]) & 0xffffffff : bytes;
  if (target % bytes != 0 || source % bytes != 0 || given > bytes) fail(in, "is misaligned, or its source too large");
  PendingCopy copy{target, std::vector<std::byte>(bytes)};
  if (given > 0) std::memcpy(copy.data.data(), memory_at(block, lane, in, Space::global, source, given), given);
  memory_at(block, lane, in, Space::shared, target, bytes);
  lane.open_group.push_back(std::move(copy));
}

void complete_groups(Block& block, Lane& lane, const Instruction& in, std::size_t left) {
  while (lane.groups.size() > left) {
    for (const PendingCopy& copy : lane.groups.front())
      std::memcpy(memory_at(block, lane, in, Space::shared, copy.target, copy.data.size()), copy.data.data(),
                  copy.data.size());
    lane.groups.pop_front();
  }
}

void commit(Lane& lane) {
  lane.groups.push_back(std::move(lane.open_group));
  lane.open_group.clear();
}

}  // namespace

bool run_memory(Block& block, Lane& lane, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
      run_load(block, lane, in);
      return true;
    case Opcode::st:
      run_store(block, lane, in);
      return true;
    case Opcode::atom:
    case Opcode::red:
      run_atomic(block, lane, in);
      return true;
    case Opcode::cvta: {
      const u64 address = value_of(block, lane, in.operands[1]), window = window_of(in.modifiers.space);
      set(block, lane, in.operands[0], in.modifiers.to_space ? address - window : address + window);
      return true;
    }
    case Opcode::isspacep: {
      const u64 window = value_of(block, lane, in.operands[1]) & kWindowMask;
      set(block, lane, in.operands[0], window == window_of(in.modifiers.space) ? 1 : 0);
      return true;
    }
    case Opcode::cp_async:
      run_copy(block, lane, in);
      return true;
    case Opcode::cp_async_commit_group:
      commit(lane);
      return true;
    case Opcode::cp_async_wait_group:
      complete_groups(block, lane, in, value_of(block, lane, in.operands[0]));
      return true;
    case Opcode::cp_async_wait_all:
      commit(lane);
      complete_groups(block, lane, in, 0);
      return true;
    case Opcode::prefetch:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::nop:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::vprintf_call:
      return true;
    default:
      return false;
  }
}

}  // namespace kerlab::oracle
