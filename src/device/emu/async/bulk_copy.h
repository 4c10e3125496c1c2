#pragma once
// Bulk copies (PTX ISA, "cp.async.bulk" and following sections) and the other work of the async proxy: what was issued
// and has not been done. A copy reads and writes as late as it legally may: when somebody waits for it and nobody else
// can go on, when a wait of its thread forces it, or when its block ends.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/emu/machine/op.h"
#include "device/emu/ptx/instruction_words.h"
#include "device/emu/tensor_map.h"

namespace kerlab::emu {

struct Cta;
struct Cluster;

enum class BulkDirection : std::uint8_t { to_shared, to_global, between_shared };

enum class BulkKind : std::uint8_t {
  copy,     ///< cp.async.bulk, cp.reduce.async.bulk, tensor or not
  value,    ///< st.async, red.async: `value` goes to `target`
  arrival,  ///< cp.async.mbarrier.arrive: an arrival once the cp.async of `lanes` that came before have been done
};

struct BulkCopy {
  const Op* op = nullptr;                      ///< for messages
  std::uint32_t rank = 0, warp = 0, lane = 0;  ///< who issued it: block of the cluster, warp, lane
  BulkKind kind = BulkKind::copy;
  BulkDirection direction = BulkDirection::to_shared;
  bool reduce = false;  ///< the operation and type are in the instruction
  bool tensor = false;
  bool done = false;
  EncodedTensorMap map;             ///< as it was when the copy was issued
  std::int32_t coordinate[5] = {};  ///< innermost first, elements
  std::uint64_t global = 0;         ///< plain copies: address in global memory
  /// Offset in the shared memory of block `rank` (source of to_global and between_shared), or of every target
  /// (to_shared, between_shared).
  std::uint32_t shared = 0, target = 0;
  std::uint32_t targets = 0;  ///< ranks written to, one bit each: one without multicast
  std::uint32_t bytes = 0;    ///< written to each target, or read from shared memory
  bool on_mbarrier = false;
  std::uint32_t mbarrier = 0;       ///< its offset in the shared memory of each target (to_global: none)
  std::uint32_t group = 0;          ///< number of the bulk group of its thread, from 0, when not on an mbarrier
  std::vector<std::byte> held;      ///< to_global: the source, once wait_group.read has made it be read
  std::uint64_t value[2] = {};      ///< of kind `value`, up to 16 bytes
  AsyncCopies* cp_async = nullptr;  ///< of kind `arrival`: those of its warp, null when there can be none
  std::uint32_t lanes = 0;          ///< of kind `arrival`
  std::uint64_t sequence = 0;       ///< of kind `arrival`: AsyncCopies::issued then
};

/// From its place on, what the copy covers in the shared memory of a block: more than `bytes` for a box with padded
/// rows.
std::uint32_t shared_bytes(const BulkCopy& copy);
/// Puts it behind those under way, checked. Counts what it moves.
void issue(Cluster& cluster, const BulkCopy& copy);
/// Does what was issued: reads, writes, and tells the mbarriers of its targets.
void perform(Cluster& cluster, BulkCopy& copy);
/// Reads the sources of the copies of this thread that its wait_group.read forces, all groups below `group`; what they
/// write comes later.
void read_groups(Cluster& cluster, std::uint32_t rank, std::uint32_t warp, std::uint32_t lane, std::uint32_t group);
/// Does the copies of this thread that its wait_group forces: all groups below `group`.
void perform_groups(Cluster& cluster, std::uint32_t rank, std::uint32_t warp, std::uint32_t lane, std::uint32_t group);
/// When a block has ended: does its copies that count as bulk groups.
void finish_copies(Cluster& cluster, std::uint32_t rank);
/// Forgets copies that have been done.
void drop_done(Cluster& cluster);

}  // namespace kerlab::emu
