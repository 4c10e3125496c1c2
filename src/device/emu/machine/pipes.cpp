#include "device/emu/machine/pipes.h"

namespace kerlab::emu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

Type first_type(const Instruction& i) {
  return i.types.empty() ? Type::none : i.types.front();
}

bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

/// By type, of arithmetic that exists for integers and floats.
Pipe arithmetic(Type type) {
  if (type == Type::f32) return Pipe::fp32;
  if (type == Type::f64) return Pipe::fp64;
  return is_half(type) ? Pipe::half : Pipe::integer;
}

Pipe memory(Space space) {
  switch (space) {
    case Space::shared:
      return Pipe::shared;
    case Space::local:
      return Pipe::local;
    case Space::param:
    case Space::constant:
      return Pipe::move;
    default:
      return Pipe::global;
  }
}

}  // namespace

Pipe pipe(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::mov:
    case Opcode::cvta:
    case Opcode::selp:
    case Opcode::prmt:
    case Opcode::mapa:
    case Opcode::getctarank:
    case Opcode::nop:
      return Pipe::move;
    case Opcode::cvt:
      return Pipe::conversion;
    case Opcode::isspacep:
    case Opcode::slct:
    case Opcode::set:
    case Opcode::setp:
    case Opcode::testp:
      return Pipe::compare;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::prefetch:
      return memory(i.modifiers.space);
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
      return Pipe::shared;
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      return memory(i.modifiers.space);
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return first_type(i) == Type::f64 ? Pipe::fp64 : Pipe::special;
    case Opcode::div:
      return ptx::is_float(first_type(i)) && first_type(i) != Type::f64 ? Pipe::special : arithmetic(first_type(i));
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::exit:
    case Opcode::ret:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::griddepcontrol:
    case Opcode::setmaxnreg:
    case Opcode::vprintf_call:
    case Opcode::assertfail_call:
      return Pipe::control;
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::bar_warp:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::fence_mbarrier_init:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_inval:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
    case Opcode::mbarrier_pending_count:
    case Opcode::mbarrier_expect_tx:
    case Opcode::mbarrier_complete_tx:
    case Opcode::cp_async_mbarrier_arrive:
    case Opcode::barrier_cluster_arrive:
    case Opcode::barrier_cluster_wait:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit_group:
    case Opcode::wgmma_wait_group:
      return Pipe::barrier;
    case Opcode::vote:
    case Opcode::match:
    case Opcode::activemask:
    case Opcode::redux:
    case Opcode::shfl:
    case Opcode::elect:
    case Opcode::movmatrix:
      return Pipe::shuffle;
    case Opcode::atom:
    case Opcode::red:
      return Pipe::atomic;
    case Opcode::cp_async:
    case Opcode::cp_async_commit_group:
    case Opcode::cp_async_wait_group:
    case Opcode::cp_async_wait_all:
    case Opcode::st_async:
    case Opcode::red_async:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_async_bulk_prefetch:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::cp_async_bulk_prefetch_tensor:
    case Opcode::cp_async_bulk_commit_group:
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::prefetch_tensormap:
    case Opcode::tensormap_replace:
    case Opcode::tensormap_cp_fenceproxy:
      return Pipe::async;
    case Opcode::mma:
    case Opcode::wmma_mma:
    case Opcode::wgmma_mma_async:
      return Pipe::tensor;
    default:
      return arithmetic(first_type(i));
  }
}

std::int64_t flops(const Instruction& i) {
  const Type type = first_type(i);
  if (!ptx::is_float(type)) return 0;
  const std::int64_t packed = type == Type::f16x2 || type == Type::bf16x2 ? 2 : 1;
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
      return packed;
    case Opcode::fma:
    case Opcode::mad:
      return 2 * packed;
    default:
      return 0;
  }
}

std::int64_t tensor_flops(const Instruction& i) {
  const std::int64_t product = std::int64_t{2} * i.modifiers.m * i.modifiers.n * i.modifiers.k;
  if (i.opcode == Opcode::wgmma_mma_async) return product / 4;  // each of the four warps executes it
  return i.opcode == Opcode::mma || i.opcode == Opcode::wmma_mma ? product : 0;
}

}  // namespace kerlab::emu
