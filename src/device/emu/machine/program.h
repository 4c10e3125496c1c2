#pragma once
// A kernel as the run loop wants it: basic blocks of straight-line operations, each with one ending that decides where
// the lanes go. PTX blocks are split where lanes may have to wait, so that a fragment of a warp always stands at the
// begin of a block or at its ending.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/emu/machine/machine.h"
#include "device/emu/machine/op.h"
#include "plan/counts.h"

namespace kerlab::emu {

enum class End : std::uint8_t {
  next,           ///< go on at `next`
  branch,         ///< lanes whose guard is true go to `taken`, the others to `next`
  table,          ///< brx: by lane
  exit,           ///< under a guard; the others go on at `next`
  converge,       ///< wait until all live lanes of the warp are here
  collective,     ///< `op` runs when all live lanes of its member mask are here
  warp_barrier,   ///< bar.warp.sync
  barrier,        ///< bar.sync, bar.arrive, bar.red
  mbarrier_wait,  ///< mbarrier.test_wait, .try_wait
  cluster_wait,   ///< barrier.cluster.wait
  wgmma_wait,     ///< wgmma.wait_group: `op` runs when the other warps of the warpgroup have come as far
  set_registers,  ///< setmaxnreg
  trap,
  yield,  ///< nanosleep: the other warps go first
  print,
  assertion
};

struct Block {
  const Op* begin = nullptr;  ///< straight line
  const Op* end = nullptr;
  const Op* op = nullptr;  ///< of the ending
  End kind = End::next;
  bool guarded = false;     ///< some of the straight-line operations have a guard
  std::int32_t guard = -1;  ///< predicate of the ending; -1: all lanes
  std::uint32_t flip = 0;   ///< all ones: the guard is negated
  std::int32_t next = -1, taken = -1;
  std::int32_t table = -1;        ///< index into Program::tables
  std::int32_t instructions = 0;  ///< of PTX, the ending included
  std::int32_t spin = 0;          ///< backward ending of a loop that reads what others write: see kSpinCost
  std::int32_t effects = 0;       ///< operations that may change what BlockRunner::hash_state does not tell
};

/// How many instructions of each pipe one execution of a block issues, and what each of its lanes does. Operations
/// with a guard and collectives are counted one by one.
struct BlockProfile {
  std::array<std::int32_t, kPipes> issued{};
  std::array<std::int32_t, kPipes> by_lane{};  ///< without guarded operations
  std::int64_t flops = 0;                      ///< by lane
  std::int64_t tensor_flops = 0;               ///< by warp
};

/// An operation that is counted by itself.
struct CountedOp {
  Pipe pipe = Pipe::move;
  bool issued_with_block = true;
  std::int64_t flops = 0, tensor_flops = 0;
};

/// Where a PTX instruction went: executed with its block, or counted by itself.
struct PlacedInstruction {
  std::int32_t instruction = 0;  ///< index in Kernel::instructions
  std::int32_t block = 0;
  std::int32_t counted = -1;  ///< index in Program::counted_ops
};

/// A slot that holds the same as long as a warp executes one block.
struct Constant {
  enum class Kind : std::uint8_t {
    bits,
    special,
    shared,  ///< `bits` from the beginning of the block's shared memory: an address
  };
  Kind kind = Kind::bits;
  bool wide = false;  ///< two slots
  ptx::Special special = ptx::Special::tid_x;
  std::uint64_t bits = 0;
  std::int32_t slot = 0;
};

class Program {
 public:
  const ptx::Kernel* kernel = nullptr;
  const std::vector<std::string>* files = nullptr;
  std::vector<Block> blocks;
  std::vector<Op> ops;  ///< of all blocks, endings included
  std::vector<std::int32_t> lists;
  std::vector<std::vector<std::int32_t>> tables;  ///< blocks of a brx
  std::vector<BlockProfile> profiles;             ///< by block
  std::vector<std::int32_t> counted;              ///< by op: index into counted_ops, or -1
  std::vector<CountedOp> counted_ops;
  std::vector<PlacedInstruction> placed;  ///< of all that were lowered, in PTX order
  std::vector<Constant> constants;
  std::vector<std::int32_t> zeroed_slots;  ///< registers that may be read before they are written
  std::vector<std::int32_t> zeroed_predicates;
  std::int32_t slots = 0, predicates = 0;  ///< constants included
  std::int32_t true_predicate = -1, false_predicate = -1;
  std::int32_t cluster_predicate = -1;  ///< %is_explicit_cluster
  std::int64_t shared_bytes = 0, local_bytes = 0;
  ptx::Communication communication = ptx::Communication::none;
  bool prints = false;
  bool async_copies = false;  ///< cp.async
  bool bulk_copies = false;
  bool sets_registers = false;
};

/// Instructions that a warp executes before the next one has its turn.
inline constexpr std::int64_t kTurn = 1 << 20;
/// What one more turn of a loop that seems to wait for others costs of it.
inline constexpr std::int32_t kSpinCost = kTurn / 16;

}  // namespace kerlab::emu
