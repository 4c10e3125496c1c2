#pragma once
// Bulk copies (PTX ISA, "cp.async.bulk" and following sections): what was issued and has not been done. A copy reads
// and writes as late as it legally may: when somebody waits for it and nobody else can go on, when a wait of its thread
// forces it, or when its block ends.

#include <cstdint>

#include "device/emu/machine/op.h"
#include "device/emu/ptx/instruction_words.h"
#include "device/emu/tensor_map.h"

namespace kerlab::emu {

enum class BulkDirection : std::uint8_t { to_shared, to_global, between_shared };

struct BulkCopy {
  const Op* op = nullptr;                      ///< for messages
  std::uint32_t rank = 0, warp = 0, lane = 0;  ///< who issued it: block of the cluster, warp, lane
  BulkDirection direction = BulkDirection::to_shared;
  bool reduce = false;  ///< the operation and type are in the instruction
  bool tensor = false;
  EncodedTensorMap map;             ///< as it was when the copy was issued
  std::int32_t coordinate[5] = {};  ///< innermost first, elements
  std::uint64_t global = 0;         ///< plain copies: address in global memory
  /// Offset in the shared memory of block `rank` (source of to_global and between_shared), or of every target
  /// (to_shared, between_shared).
  std::uint32_t shared = 0, target = 0;
  std::uint32_t targets = 0;  ///< ranks written to, one bit each: one without multicast
  std::uint32_t bytes = 0;    ///< written to each target, or read from shared memory
  bool on_mbarrier = false;
  std::uint32_t mbarrier = 0;  ///< its offset in the shared memory of each target (to_global: none)
  std::uint32_t group = 0;     ///< number of the bulk group of its thread, from 0, when not on an mbarrier
};

}  // namespace kerlab::emu
