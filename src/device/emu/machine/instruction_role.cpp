#include "device/emu/machine/instruction_role.h"

#include "device/emu/machine/pipes.h"

namespace kerlab::emu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

/// .aligned instructions of all lanes of the warp.
bool is_aligned(Opcode opcode) {
  switch (opcode) {
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
    case Opcode::wmma_mma:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_mma_async:
    case Opcode::wgmma_commit_group:
    case Opcode::wgmma_wait_group:
    case Opcode::tensormap_cp_fenceproxy:
      return true;
    default:
      return false;
  }
}

bool has_member_mask(const Instruction& i) {
  return i.modifiers.synchronised &&
         (i.opcode == Opcode::shfl || i.opcode == Opcode::vote || i.opcode == Opcode::match ||
          i.opcode == Opcode::redux || i.opcode == Opcode::elect);
}

/// Waits for all lanes of its warp, and all of them execute it: needs no ending of its own.
bool names_all_lanes(const Instruction& i) {
  if (i.guard >= 0) return false;
  if (is_aligned(i.opcode)) return true;
  const Operand& mask = i.operands.back();
  return mask.kind == OperandKind::immediate && static_cast<std::uint32_t>(mask.bits) == ~0u;
}

}  // namespace

bool is_collective(const Instruction& i) {
  return is_aligned(i.opcode) || has_member_mask(i);
}

std::optional<End> ending(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::bra:
      return End::branch;
    case Opcode::brx:
      return End::table;
    case Opcode::exit:
    case Opcode::ret:
      return End::exit;
    case Opcode::bar:
    case Opcode::barrier:
      return End::barrier;
    case Opcode::bar_warp:
      return End::warp_barrier;
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
      return End::mbarrier_wait;
    case Opcode::barrier_cluster_wait:
      return End::cluster_wait;
    case Opcode::wgmma_wait_group:
      return End::wgmma_wait;
    case Opcode::setmaxnreg:
      return End::set_registers;
    case Opcode::trap:
    case Opcode::brkpt:
      return End::trap;
    case Opcode::nanosleep:
      return End::yield;
    case Opcode::vprintf_call:
      return End::print;
    case Opcode::assertfail_call:
      return End::assertion;
    default:
      return is_collective(i) && !names_all_lanes(i) ? std::optional(End::collective) : std::nullopt;
  }
}

bool does_nothing(Opcode opcode) {
  switch (opcode) {
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::fence_mbarrier_init:
    case Opcode::pmevent:
    case Opcode::griddepcontrol:
    case Opcode::prefetch_tensormap:
    case Opcode::cp_async_bulk_prefetch:
    case Opcode::cp_async_bulk_prefetch_tensor:
      return true;
    default:
      return false;
  }
}

bool is_bulk_copy(Opcode opcode) {
  return opcode >= Opcode::cp_async_bulk && opcode <= Opcode::cp_async_bulk_wait_group;
}

bool has_effects(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::ldmatrix:
    case Opcode::wmma_load:
    case Opcode::prefetch:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::bar_warp:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
    case Opcode::atom:  // its handler tells whether memory changed
    case Opcode::red:
      return false;
    case Opcode::st:
    case Opcode::stmatrix:
    case Opcode::wmma_store:
      return i.modifiers.space != ptx::Space::shared && i.modifiers.space != ptx::Space::local;
    case Opcode::vprintf_call:
    case Opcode::setmaxnreg:
    case Opcode::wgmma_mma_async:
      return true;
    default:
      break;
  }
  const Pipe where = pipe(i);
  return where == Pipe::global || where == Pipe::shared || where == Pipe::local || where == Pipe::barrier ||
         where == Pipe::async;
}

bool is_polling(const Instruction& i) {
  return i.opcode == Opcode::atom || (i.opcode == Opcode::ld && i.modifiers.order != ptx::Order::weak);
}

std::int32_t waiting_cost(const Instruction& i) {
  if (i.opcode == Opcode::nanosleep) return kSpinCost;
  if (i.opcode == Opcode::ld) return i.modifiers.order != ptx::Order::weak ? kSpinCost : 0;
  if (i.opcode != Opcode::atom) return 0;
  const ptx::Atomic atomic = i.modifiers.atomic;
  return atomic == ptx::Atomic::cas || atomic == ptx::Atomic::exch ? kSpinCost : kSpinCost / 64;
}

}  // namespace kerlab::emu
