#include "device/emu/ptx/opcodes.h"

#include <array>

namespace kerlab::ptx {
namespace {

using enum Opcode;

// In the order of the enumeration, so that an opcode is its own index.
constexpr OpcodeInfo kOpcodes[] = {
    {mov, "mov", 2, 2, 1},
    {cvt, "cvt", 2, 4, 1},
    {cvta, "cvta", 2, 2, 1},
    {isspacep, "isspacep", 2, 2, 1},
    {ld, "ld", 2, 2, 1},
    {ldu, "ldu", 2, 2, 1},
    {st, "st", 2, 2, 0},
    {prefetch, "prefetch", 1, 1, 0},
    {selp, "selp", 4, 4, 1},
    {slct, "slct", 4, 4, 1},
    {prmt, "prmt", 4, 4, 1},
    {mapa, "mapa", 3, 3, 1},
    {add, "add", 3, 3, 1},
    {sub, "sub", 3, 3, 1},
    {addc, "addc", 3, 3, 1},
    {subc, "subc", 3, 3, 1},
    {mul, "mul", 3, 3, 1},
    {mad, "mad", 4, 4, 1},
    {mad24, "mad24", 4, 4, 1},
    {mul24, "mul24", 3, 3, 1},
    {madc, "madc", 4, 4, 1},
    {sad, "sad", 4, 4, 1},
    {div, "div", 3, 3, 1},
    {rem, "rem", 3, 3, 1},
    {abs, "abs", 2, 2, 1},
    {neg, "neg", 2, 2, 1},
    {min, "min", 3, 4, 1},
    {max, "max", 3, 4, 1},
    {popc, "popc", 2, 2, 1},
    {clz, "clz", 2, 2, 1},
    {bfind, "bfind", 2, 2, 1},
    {fns, "fns", 4, 4, 1},
    {brev, "brev", 2, 2, 1},
    {bfe, "bfe", 4, 4, 1},
    {bfi, "bfi", 5, 5, 1},
    {bmsk, "bmsk", 3, 3, 1},
    {szext, "szext", 3, 3, 1},
    {dp4a, "dp4a", 4, 4, 1},
    {dp2a, "dp2a", 4, 4, 1},
    {and_, "and", 3, 3, 1},
    {or_, "or", 3, 3, 1},
    {xor_, "xor", 3, 3, 1},
    {not_, "not", 2, 2, 1},
    {cnot, "cnot", 2, 2, 1},
    {lop3, "lop3", 5, 6, 1, true},
    {shf, "shf", 4, 4, 1},
    {shl, "shl", 3, 3, 1},
    {shr, "shr", 3, 3, 1},
    {testp, "testp", 2, 2, 1},
    {copysign, "copysign", 3, 3, 1},
    {fma, "fma", 4, 4, 1},
    {rcp, "rcp", 2, 2, 1},
    {sqrt, "sqrt", 2, 2, 1},
    {rsqrt, "rsqrt", 2, 2, 1},
    {sin, "sin", 2, 2, 1},
    {cos, "cos", 2, 2, 1},
    {lg2, "lg2", 2, 2, 1},
    {ex2, "ex2", 2, 2, 1},
    {tanh, "tanh", 2, 2, 1},
    {set, "set", 3, 4, 1},
    {setp, "setp", 3, 4, 1, true},
    {bra, "bra", 1, 1, 0},
    {brx, "brx", 2, 2, 0},
    {exit, "exit", 0, 0, 0},
    {ret, "ret", 0, 0, 0},
    {trap, "trap", 0, 0, 0},
    {brkpt, "brkpt", 0, 0, 0},
    {nanosleep, "nanosleep", 1, 1, 0},
    {pmevent, "pmevent", 1, 1, 0},
    {bar, "bar", 1, 4, 0},
    {barrier, "barrier", 1, 4, 0},
    {bar_warp, "bar.warp", 1, 1, 0},
    {membar, "membar", 0, 0, 0},
    {fence, "fence", 0, 0, 0},
    {vote, "vote", 3, 3, 1},
    {match, "match", 3, 3, 1, true},
    {activemask, "activemask", 1, 1, 1},
    {redux, "redux", 3, 3, 1},
    {shfl, "shfl", 5, 5, 1, true},
    {elect, "elect", 2, 2, 1, true},
    {atom, "atom", 3, 4, 1},
    {red, "red", 2, 2, 0},
    {cp_async, "cp.async", 3, 4, 0},
    {cp_async_commit_group, "cp.async.commit_group", 0, 0, 0},
    {cp_async_wait_group, "cp.async.wait_group", 1, 1, 0},
    {cp_async_wait_all, "cp.async.wait_all", 0, 0, 0},
    {mbarrier_init, "mbarrier.init", 2, 2, 0},
    {mbarrier_inval, "mbarrier.inval", 1, 1, 0},
    {mbarrier_arrive, "mbarrier.arrive", 2, 3, 1},
    {mbarrier_arrive_drop, "mbarrier.arrive_drop", 2, 3, 1},
    {mbarrier_test_wait, "mbarrier.test_wait", 3, 3, 1},
    {mbarrier_try_wait, "mbarrier.try_wait", 3, 4, 1},
    {mbarrier_pending_count, "mbarrier.pending_count", 2, 2, 1},
    {mbarrier_expect_tx, "mbarrier.expect_tx", 2, 2, 0},
    {mbarrier_complete_tx, "mbarrier.complete_tx", 2, 2, 0},
    {cp_async_mbarrier_arrive, "cp.async.mbarrier.arrive", 1, 1, 0},
    {barrier_cluster_arrive, "barrier.cluster.arrive", 0, 0, 0},
    {barrier_cluster_wait, "barrier.cluster.wait", 0, 0, 0},
    {getctarank, "getctarank", 2, 2, 1},
    {st_async, "st.async", 3, 3, 0},
    {red_async, "red.async", 3, 3, 0},
    {cp_async_bulk, "cp.async.bulk", 3, 5, 0},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", 3, 4, 0},
    {cp_async_bulk_prefetch, "cp.async.bulk.prefetch", 2, 2, 0},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor", 3, 6, 0},
    {cp_reduce_async_bulk_tensor, "cp.reduce.async.bulk.tensor", 3, 3, 0},
    {cp_async_bulk_prefetch_tensor, "cp.async.bulk.prefetch.tensor", 2, 3, 0},
    {cp_async_bulk_commit_group, "cp.async.bulk.commit_group", 0, 0, 0},
    {cp_async_bulk_wait_group, "cp.async.bulk.wait_group", 1, 1, 0},
    {prefetch_tensormap, "prefetch.tensormap", 1, 1, 0},
    {tensormap_replace, "tensormap.replace", 2, 3, 0},
    {tensormap_cp_fenceproxy, "tensormap.cp_fenceproxy", 3, 3, 0},
    {fence_proxy, "fence.proxy", 0, 2, 0},
    {fence_mbarrier_init, "fence.mbarrier_init", 0, 0, 0},
    {griddepcontrol, "griddepcontrol", 0, 0, 0},
    {setmaxnreg, "setmaxnreg", 1, 1, 0},
    {wgmma_fence, "wgmma.fence", 0, 0, 0},
    {wgmma_mma_async, "wgmma.mma_async", 4, 4, 1},
    {wgmma_commit_group, "wgmma.commit_group", 0, 0, 0},
    {wgmma_wait_group, "wgmma.wait_group", 1, 1, 0},
    {ldmatrix, "ldmatrix", 2, 2, 1},
    {stmatrix, "stmatrix", 2, 2, 0},
    {movmatrix, "movmatrix", 2, 2, 1},
    {mma, "mma", 4, 4, 1},
    {wmma_load, "wmma.load", 2, 3, 1},
    {wmma_store, "wmma.store", 2, 3, 0},
    {wmma_mma, "wmma.mma", 4, 4, 1},
    {vprintf_call, "vprintf_call", 3, 3, 1},
    {assertfail_call, "assertfail_call", 5, 5, 0},
    {nop, "nop", 0, 0, 0},
};

constexpr bool indexed_by_opcode() {
  for (std::size_t i = 0; i < std::size(kOpcodes); ++i) {
    if (static_cast<std::size_t>(kOpcodes[i].opcode) != i) return false;
  }
  return std::size(kOpcodes) == static_cast<std::size_t>(nop) + 1;
}
static_assert(indexed_by_opcode());

}  // namespace

const OpcodeInfo& info(Opcode opcode) {
  return kOpcodes[static_cast<std::size_t>(opcode)];
}

const OpcodeInfo* find_opcode(std::string_view name) {
  for (const OpcodeInfo& opcode : kOpcodes) {
    if (opcode.opcode < vprintf_call && opcode.name == name) return &opcode;
  }
  return nullptr;
}

std::string_view name(Opcode opcode) {
  return info(opcode).name;
}

int results(const Instruction& instruction) {
  const int reduction = instruction.modifiers.reduce ? 1 : 0;
  return info(instruction.opcode).results + reduction + (instruction.has_second_result ? 1 : 0);
}

}  // namespace kerlab::ptx
