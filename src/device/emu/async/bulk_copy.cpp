#include "device/emu/async/bulk_copy.h"

#include <cstring>

#include "device/emu/async/cluster.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/async/reduce.h"
#include "device/emu/async/wgmma_groups.h"
#include "device/emu/handlers/async_copies.h"
#include "device/emu/machine/place.h"
#include "device/emu/sanitize/sanitizer.h"
#include "device/emu/tma/tensor_copy.h"

namespace kerlab::emu {
namespace {

constexpr std::uint32_t kWavefront = 128, kSector = 32;

/// Calls f(block) for each target that has not ended: what nobody can read any more need not be written.
template <class F>
void each_target(const Cluster& cluster, const BulkCopy& copy, F f) {
  for (std::uint32_t rest = copy.targets; rest != 0; rest &= rest - 1) {
    Cta& block = *cluster.blocks[static_cast<std::size_t>(__builtin_ctz(rest))];
    if (!block.ended) f(block);
  }
}

/// One request that reads or writes each byte once, in order.
void count_shared(Counts& counts, std::int64_t& bytes, const BulkCopy& copy) {
  bytes += copy.bytes;
  counts.shared_requests++;
  counts.shared_wavefronts += (copy.bytes + kWavefront - 1) / kWavefront;
}

void count_global(Counts& counts, std::int64_t& bytes, const BulkCopy& copy) {
  bytes += copy.bytes;
  counts.global_requests++;
  if (copy.bytes > 0) {
    counts.global_sectors +=
        static_cast<std::int64_t>((copy.global + copy.bytes - 1) / kSector - copy.global / kSector + 1);
  }
}

void count(Counts& counts, const BulkCopy& copy) {
  if (copy.kind == BulkKind::arrival) return;
  const bool stores = copy.direction == BulkDirection::to_global;
  if (copy.tensor) return count_box(counts, copy.map, copy.coordinate, stores ? 0 : __builtin_popcount(copy.targets));
  if (copy.kind == BulkKind::value) return count_shared(counts, counts.shared_store_bytes, copy);
  if (copy.direction != BulkDirection::to_shared) count_shared(counts, counts.shared_load_bytes, copy);
  if (stores) return count_global(counts, counts.global_store_bytes, copy);
  if (copy.direction == BulkDirection::to_shared) count_global(counts, counts.global_load_bytes, copy);
  for (std::uint32_t rest = copy.targets; rest != 0; rest &= rest - 1) {
    count_shared(counts, counts.shared_store_bytes, copy);
  }
}

void move_bytes(const BulkCopy& copy, std::byte* to, const std::byte* from) {
  if (!copy.reduce) {
    std::memcpy(to, from, copy.bytes);
    return;
  }
  const ptx::Instruction& instruction = *copy.op->instruction;
  const bool global = copy.direction == BulkDirection::to_global;
  reduce(instruction.modifiers.atomic, instruction.types.back(), global, to, from, copy.bytes);
}

/// The shared memory that a copy reads, as if it began where that of its block does.
const std::byte* source_memory(const Cluster& cluster, const BulkCopy& copy) {
  if (copy.held.empty()) return cluster.blocks[copy.rank]->shared;
  return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(copy.held.data()) - copy.shared);
}

void perform_plain(const Cluster& cluster, const BulkCopy& copy) {
  Cta& issuer = *cluster.blocks[copy.rank];
  const std::byte* const own = source_memory(cluster, copy) + copy.shared;
  if (copy.direction == BulkDirection::to_global) {
    move_bytes(copy, reinterpret_cast<std::byte*>(copy.global), own);
    if (issuer.launch->record_writes) note_write(issuer, copy.global, copy.global + copy.bytes);
    return;
  }
  const bool from_global = copy.direction == BulkDirection::to_shared;
  const std::byte* const from = from_global ? reinterpret_cast<const std::byte*>(copy.global) : own;
  each_target(cluster, copy, [&](Cta& block) { move_bytes(copy, block.shared + copy.target, from); });
}

void perform_value(const Cluster& cluster, const BulkCopy& copy) {
  const auto* const from = reinterpret_cast<const std::byte*>(copy.value);
  each_target(cluster, copy, [&](Cta& block) { move_bytes(copy, block.shared + copy.target, from); });
}

/// The same bytes at the same place in every block: swizzles go by the address in the block. What is between padded
/// rows is left alone.
void perform_tensor(const Issuer& who, const Cluster& cluster, const BulkCopy& copy) {
  if (copy.direction == BulkDirection::to_global) {
    const std::byte* const shared = source_memory(cluster, copy);
    if (copy.reduce) {
      reduce_box(who, copy.op->instruction->modifiers.atomic, copy.map, copy.coordinate, shared, copy.shared);
    } else {
      store_box(who, copy.map, copy.coordinate, shared, copy.shared);
    }
    return;
  }
  const std::byte* first = nullptr;
  each_target(cluster, copy, [&](Cta& block) {
    std::byte* const to = block.shared + copy.target;
    if (first == nullptr || shared_bytes(copy) != copy.bytes) {
      load_box(who, copy.map, copy.coordinate, block.shared, copy.target);
      first = to;
    } else {
      std::memcpy(to, first, copy.bytes);
    }
  });
}

/// Even now, as late as can be, a product under way may be reading what is to be written.
void check_readers(const Issuer& who, const Cluster& cluster, const BulkCopy& copy) {
  if (who.warp->cta->launch->sanitizer != nullptr) return;  // it has told, and goes on
  each_target(cluster, copy, [&](const Cta& block) {
    const Op* const reader = wgmma_reading(block, copy.target, copy.target + shared_bytes(copy));
    if (reader == nullptr) return;
    const std::string what =
        "writes shared memory that a wgmma under way still reads, " + place(reader->instruction, block.launch->files);
    raise(FaultKind::launch_failed, *who.warp, *who.op, who.lane, what.c_str(), copy.target,
          static_cast<int>(copy.bytes));
  });
}

}  // namespace

std::uint32_t shared_bytes(const BulkCopy& copy) {
  return copy.tensor ? box_footprint(copy.map) : copy.bytes;
}

void issue(Cluster& cluster, const BulkCopy& copy) {
  Cta& issuer = *cluster.blocks[copy.rank];
  if (issuer.launch->count) {
    const Counts before = issuer.counts;
    count(issuer.counts, copy);
    if (copy.op != nullptr) add_costs(issuer, *copy.op, before);
  }
  if (issuer.launch->sanitizer != nullptr) issuer.launch->sanitizer->copy_issued(cluster, copy);
  cluster.pending.push_back(copy);
  cluster.changes++;
}

void perform(Cluster& cluster, BulkCopy& copy) {
  copy.done = true;
  cluster.changes++;
  Warp warp;
  warp.index = copy.warp;
  warp.cta = cluster.blocks[copy.rank];
  const Issuer who{&warp, copy.op, static_cast<int>(copy.lane)};
  if (copy.kind == BulkKind::arrival) {
    if (copy.cp_async != nullptr) copy.cp_async->complete(copy.lanes, copy.sequence);
    const auto count = static_cast<std::uint32_t>(__builtin_popcount(copy.lanes));
    if (!warp.cta->ended) arrive(who, {warp.cta, copy.mbarrier}, {count, false, false, 0});
    return;
  }
  if (copy.direction != BulkDirection::to_global) check_readers(who, cluster, copy);
  if (copy.kind == BulkKind::value) {
    perform_value(cluster, copy);
  } else if (copy.tensor) {
    perform_tensor(who, cluster, copy);
  } else {
    perform_plain(cluster, copy);
  }
  if (!copy.on_mbarrier) return;
  each_target(cluster, copy, [&](Cta& block) { complete_transactions(who, {&block, copy.mbarrier}, copy.bytes); });
}

namespace {

/// Calls f(copy) for the copies of a thread in bulk groups below `group`.
template <class F>
void each_in_groups(Cluster& cluster, std::uint32_t rank, std::uint32_t warp, std::uint32_t lane, std::uint32_t group,
                    F f) {
  for (BulkCopy& copy : cluster.pending) {
    if (copy.done || copy.on_mbarrier || copy.rank != rank || copy.warp != warp || copy.lane != lane) continue;
    if (copy.group < group) f(copy);
  }
}

}  // namespace

void read_groups(Cluster& cluster, std::uint32_t rank, std::uint32_t warp, std::uint32_t lane, std::uint32_t group) {
  each_in_groups(cluster, rank, warp, lane, group, [&](BulkCopy& copy) {
    const std::byte* const from = cluster.blocks[rank]->shared + copy.shared;
    if (copy.held.empty()) copy.held.assign(from, from + shared_bytes(copy));
  });
}

void perform_groups(Cluster& cluster, std::uint32_t rank, std::uint32_t warp, std::uint32_t lane, std::uint32_t group) {
  each_in_groups(cluster, rank, warp, lane, group, [&](BulkCopy& copy) { perform(cluster, copy); });
}

void finish_copies(Cluster& cluster, std::uint32_t rank) {
  for (BulkCopy& copy : cluster.pending) {
    if (!copy.done && !copy.on_mbarrier && copy.rank == rank) perform(cluster, copy);
  }
  drop_done(cluster);
}

void drop_done(Cluster& cluster) {
  std::erase_if(cluster.pending, [](const BulkCopy& copy) { return copy.done; });
}

}  // namespace kerlab::emu
