#include "device/emu/handlers/access.h"

#include <algorithm>
#include <bit>
#include <string>

#include "device/emu/async/cluster.h"
#include "device/emu/async/shared_place.h"
#include "device/emu/machine/place.h"
#include "device/emu/memory.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

namespace {

using ptx::Space;

/// Where a lane's access goes: generic addresses are sorted into their windows.
struct Place {
  Space space = Space::global;
  std::uint64_t offset = 0;  ///< into the window, or the address in global memory
};

Place place_of(Space space, std::uint64_t address) {
  if (space == Space::constant) return {Space::constant, address};
  if (space != Space::generic) return {space, address};
  if (address - kSharedWindow < kWindowBytes) return {Space::shared, address - kSharedWindow};
  if (address - kLocalWindow < kWindowBytes) return {Space::local, address - kLocalWindow};
  if (address - kParameterWindow < kWindowBytes) return {Space::param, address - kParameterWindow};
  return {Space::global, address};
}

const char* verb(AccessKind kind) {
  return kind == AccessKind::load ? "reads" : kind == AccessKind::store ? "writes" : "updates";
}

std::string outside_shared(Cta& cta, const Op& op, const Place& place) {
  const ptx::Modifiers& modifiers = op.instruction->modifiers;
  constexpr std::uint64_t kMostRanks = 16;  // beyond is no address of a cluster, but a wild one
  const std::uint64_t rank = place.offset >> kClusterShift;
  const Cta* const owner = rank < kMostRanks ? block_of(cta, place.offset) : &cta;
  if (owner == nullptr) return " the shared memory of a block that the cluster does not have";
  if (owner != &cta) {
    const bool own_only = modifiers.space != Space::generic && !modifiers.shared_cluster;
    if (own_only && offset_of(place.offset) < owner->shared_bytes)
      return " another block's shared memory, which needs .shared::cluster";
    if (owner->ended) return " the shared memory of " + block_name(owner->index) + ", which has ended";
  }
  return " outside the block's " + std::to_string(owner->shared_bytes) + " bytes of shared memory";
}

[[noreturn]] void outside(const Warp& warp, const Op& op, int lane, AccessKind kind, int bytes, const Place& place,
                          std::uint64_t address) {
  std::string what = verb(kind);
  switch (place.space) {
    case Space::shared:
      what += outside_shared(*warp.cta, op, place);
      break;
    case Space::local:
      what += " outside the thread's " + std::to_string(warp.local_stride) + " bytes of local memory";
      break;
    case Space::param:
      what += " outside the kernel's " + std::to_string(warp.cta->launch->parameter_bytes) + " bytes of parameters";
      break;
    default:
      what += " outside every allocation";
  }
  raise(FaultKind::illegal_address, warp, op, lane, what.c_str(), address, bytes);
}

/// The block whose shared memory is accessed; null when there is none, or when the instruction reaches only its own.
Cta* shared_owner(Cta& cta, const Op& op, const Place& place) {
  if (place.offset >> kClusterShift == cta.rank) return &cta;
  const ptx::Modifiers& modifiers = op.instruction->modifiers;
  if (modifiers.space != Space::generic && !modifiers.shared_cluster) return nullptr;
  Cta* const owner = block_of(cta, place.offset);
  return owner == nullptr || owner->ended ? nullptr : owner;
}

/// Null when out of bounds.
std::byte* host_pointer(Warp& warp, const Op& op, int lane, const Place& place, std::uint64_t bytes) {
  Cta& cta = *warp.cta;
  const auto within = [&](std::uint64_t size) { return size >= bytes && place.offset <= size - bytes; };
  switch (place.space) {
    case Space::shared: {
      const Cta* const owner = shared_owner(cta, op, place);
      const std::uint64_t offset = offset_of(place.offset);
      const bool fits = owner != nullptr && owner->shared_bytes >= bytes && offset <= owner->shared_bytes - bytes;
      return fits ? owner->shared + offset : nullptr;
    }
    case Space::local:
      if (!within(static_cast<std::uint64_t>(warp.local_stride))) return nullptr;
      return warp.local + lane * warp.local_stride + place.offset;
    case Space::param:
      if (!within(static_cast<std::uint64_t>(cta.launch->parameter_bytes))) return nullptr;
      return const_cast<std::byte*>(cta.launch->parameters) + place.offset;
    default:
      if (const AddressRange& last = last_allocation(cta, op);
          (place.offset < last.begin || place.offset >= last.end) && !find_allocation(cta, op, place.offset))
        return nullptr;
      return last_allocation(cta, op).end - place.offset >= bytes ? reinterpret_cast<std::byte*>(place.offset)
                                                                  : nullptr;
  }
}

void count_bytes(AccessKind kind, std::int64_t bytes, std::int64_t& loaded, std::int64_t& stored) {
  if (kind == AccessKind::load || kind == AccessKind::atomic) loaded += bytes;
  if (kind != AccessKind::load) stored += bytes;
}

std::int64_t bytes_of(std::uint32_t lanes, int bytes, const std::uint8_t* lane_bytes) {
  if (lane_bytes == nullptr) return std::int64_t{std::popcount(lanes)} * bytes;
  std::int64_t sum = 0;
  for (; lanes != 0; lanes &= lanes - 1) sum += lane_bytes[std::countr_zero(lanes)];
  return sum;
}

template <class Offset>
void count_global(Cta& cta, const Op& op, std::uint32_t lanes, const Offset* offset, AccessKind kind,
                  std::int64_t bytes) {
  Counts& counts = cta.counts;
  const AccessCost sectors = global_sectors(offset, lanes, bytes);
  count_bytes(kind, bytes, counts.global_load_bytes, counts.global_store_bytes);
  ++counts.global_requests;
  counts.global_sectors += sectors.taken;
  if (InstructionCosts* costs = costs_of(cta, op)) {
    ++costs->global_requests;
    costs->bytes += bytes;
    costs->sectors += sectors.taken;
    costs->least_sectors += sectors.least;
  }
}

template <class Offset>
void count_shared(Cta& cta, const Op& op, std::uint32_t lanes, const Offset* offset, const Access& access,
                  std::int64_t bytes) {
  Counts& counts = cta.counts;
  const AccessCost wavefronts = shared_wavefronts(offset, lanes, access.bytes);
  count_bytes(access.kind, bytes, counts.shared_load_bytes, counts.shared_store_bytes);
  ++counts.shared_requests;
  counts.shared_wavefronts += wavefronts.taken;
  if (InstructionCosts* costs = costs_of(cta, op)) {
    ++costs->shared_requests;
    costs->bytes += bytes;
    costs->wavefronts += wavefronts.taken;
    costs->least_wavefronts += wavefronts.least;
  }
}

template <class Offset>
void count(Cta& cta, const Op& op, Space space, const Access& access, std::uint32_t lanes, const Offset* offset,
           const std::uint8_t* lane_bytes) {
  const std::int64_t bytes = bytes_of(lanes, access.bytes, lane_bytes);
  if (space == Space::global) {
    count_global(cta, op, lanes, offset, access.kind, bytes);
  } else if (space == Space::shared) {
    count_shared(cta, op, lanes, offset, access, bytes);
  } else if (space == Space::local) {
    cta.counts.local_bytes += bytes;
    if (InstructionCosts* costs = costs_of(cta, op)) costs->bytes += bytes;
  }
  if (access.kind == AccessKind::atomic || access.kind == AccessKind::reduction)
    cta.counts.atomics += std::popcount(lanes);
}

/// Lanes that continue where the one before ended make one range.
void note_writes(Cta& cta, std::uint32_t lanes, const std::uint64_t* address, std::uint64_t bytes) {
  std::uint64_t begin = 0, end = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t at = address[std::countr_zero(lanes)];
    if (at < begin || at > end || end == 0) {
      if (end != 0) note_write(cta, begin, end);
      begin = at;
      end = at;
    }
    if (at + bytes > end) end = at + bytes;
  }
  if (end != 0) note_write(cta, begin, end);
}

}  // namespace

void watch(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, std::byte* base,
           const std::uint32_t* offset) {
  warp.cta->launch->sanitizer->access(warp, op, mask, bytes, base, offset);
}

bool find_allocation(Cta& cta, const Op& op, std::uint64_t address) {
  const auto range = cta.launch->memory->find(address);
  if (range) last_allocation(cta, op) = *range;
  return range.has_value();
}

bool is_shared(const Cta& cta, const std::byte* host) {
  const auto within = [&](const Cta& block) {
    return host >= block.shared && host < block.shared + block.shared_bytes;
  };
  if (within(cta)) return true;
  if (cta.cluster == nullptr) return false;
  return std::any_of(cta.cluster->blocks.begin(), cta.cluster->blocks.end(),
                     [&](const Cta* block) { return within(*block); });
}

void count_access(Warp& warp, const Op& op, std::uint32_t mask, const Access& access, const std::uint32_t* offset) {
  Cta& cta = *warp.cta;
  count(cta, op, access.space, access, mask, offset, nullptr);
  if (access.space != Space::global) return;
  // In an allocation beyond 4 GiB offsets begin elsewhere: then sectors are told apart only among neighbours.
  const std::uint64_t begin = last_allocation(cta, op).begin;
  std::uint64_t address[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) address[lane] = begin + offset[lane];
  cta.reuse.see(static_cast<int>(warp.index), access.kind != AccessKind::load, address, mask);
}

std::int64_t operand_offset(const Op& op, int operand) {
  return op.instruction->operands[static_cast<std::size_t>(operand)].offset;
}

void resolve(Warp& warp, const Op& op, std::uint32_t mask, const Access& access, const std::uint64_t* address,
             std::byte** pointer, const std::uint8_t* lane_bytes) {
  const auto bytes = static_cast<std::uint64_t>(access.bytes);
  std::uint64_t offset[kLanes];
  std::uint32_t of_space[6] = {};  // lanes, by space
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Place place = place_of(access.space, address[lane]);
    const int wanted = lane_bytes == nullptr ? access.bytes : lane_bytes[lane];
    if (place.offset % bytes != 0)
      raise(FaultKind::misaligned_address, warp, op, lane,
            (verb(access.kind) + (" at an address that is no multiple of " + std::to_string(bytes))).c_str(),
            address[lane], wanted);
    pointer[lane] = host_pointer(warp, op, lane, place, static_cast<std::uint64_t>(wanted));
    if (pointer[lane] == nullptr) outside(warp, op, lane, access.kind, wanted, place, address[lane]);
    offset[lane] = place.offset;
    of_space[static_cast<int>(place.space)] |= 1u << lane;
  }
  Cta& cta = *warp.cta;
  if (cta.launch->count) {
    for (int space = 0; space < 6; ++space)
      if (of_space[space] != 0) count(cta, op, static_cast<Space>(space), access, of_space[space], offset, lane_bytes);
    if (const std::uint32_t lanes = of_space[static_cast<int>(Space::global)]; lanes != 0)
      cta.reuse.see(static_cast<int>(warp.index), access.kind != AccessKind::load, offset, lanes);
  }
  if (cta.launch->record_writes && access.kind != AccessKind::load)
    note_writes(cta, of_space[static_cast<int>(Space::global)], offset, bytes);
  if (Sanitizer* const sanitizer = cta.launch->sanitizer) {
    const std::uint32_t constants =
        of_space[static_cast<int>(Space::param)] | of_space[static_cast<int>(Space::constant)];
    if ((mask & ~constants) != 0)
      sanitizer->scattered(warp, op, mask & ~constants, static_cast<std::uint32_t>(bytes), pointer, lane_bytes);
  }
}

}  // namespace kerlab::emu
