#include "device/emu/sanitize/sanitizer.h"

#include <algorithm>
#include <bit>

#include "device/emu/async/cluster.h"
#include "device/emu/handlers/async_copies.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/polls.h"
#include "device/emu/sanitize/reads.h"

namespace kerlab::emu {

using ptx::Opcode;

namespace {

bool is_async(Opcode opcode) {
  switch (opcode) {
    case Opcode::cp_async:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::wgmma_mma_async:
    case Opcode::st_async:
    case Opcode::red_async:
      return true;
    default:
      return false;
  }
}

bool is_mbarrier(Opcode opcode) {
  return opcode >= Opcode::mbarrier_init && opcode <= Opcode::cp_async_mbarrier_arrive;
}

/// Operations that do more to the order of things than access memory.
bool is_watched(Opcode opcode) {
  switch (opcode) {
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
    case Opcode::cp_async_wait_group:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_mbarrier_arrive:
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::barrier_cluster_arrive:
    case Opcode::fence_mbarrier_init:
    case Opcode::wgmma_fence:
    case Opcode::griddepcontrol:
      return true;
    default:
      return false;
  }
}

}  // namespace

Sanitizer::Sanitizer(const Program& program, GlobalMemory& memory, const Dim3& grid, const Dim3& cluster,
                     const InFlight* before)
    : program_(program),
      memory_(memory),
      before_(before),
      grid_(grid),
      cluster_(cluster),
      findings_(program.files),
      infos_(program.ops.size()),
      watched_(program.ops.size()),
      makes_sums_(program.ops.size()),
      footprints_(2 * program.ops.size()) {
  for (const Op& op : program.ops) {
    if (op.instruction == nullptr) continue;
    describe(op);
    watched_[index_of(op)] = is_watched(op.instruction->opcode) ? 1 : 0;
    if (is_async(op.instruction->opcode)) engines_ = kEngines;
  }
  note_polls();
  find_makers_of_sums();
}

Sanitizer::~Sanitizer() = default;

/// What a compiler takes out of the loop is still at the loop's line.
void Sanitizer::note_polls() {
  for (const ptx::Instruction* const load : polling_loads(*program_.kernel)) {
    const auto same = [&](const Op& op) { return op.instruction == load; };
    const auto found = std::find_if(program_.ops.begin(), program_.ops.end(), same);
    if (found == program_.ops.end()) continue;
    const std::uint32_t site = infos_[index_of(*found)].site;
    for (const Op& op : program_.ops)
      if (op.instruction != nullptr && infos_[index_of(op)].site == site) infos_[index_of(op)].flags |= kPolls;
  }
}

void Sanitizer::describe(const Op& op) {
  const ptx::Instruction& instruction = *op.instruction;
  OpInfo& info = infos_[index_of(op)];
  info.site = static_cast<std::uint32_t>(sites_.size());
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    const ptx::Location &a = sites_[s]->location, &b = instruction.location;
    const bool same_line = a.source_line > 0 && a.source_line == b.source_line && a.source_file == b.source_file &&
                           a.caller_line == b.caller_line && a.caller_file == b.caller_file;
    if (same_line && sites_[s]->opcode == instruction.opcode) info.site = static_cast<std::uint32_t>(s);
  }
  if (info.site == sites_.size()) sites_.push_back(&instruction);
  switch (instruction.opcode) {
    case Opcode::st:
    case Opcode::stmatrix:
    case Opcode::wmma_store:
      info.kind = Kind::store;
      break;
    case Opcode::atom:
    case Opcode::red:
      info.kind = Kind::atomic;
      break;
    case Opcode::cp_async:
      info.kind = Kind::copy;
      break;
    default:
      break;
  }
  if (info.kind == Kind::atomic || instruction.modifiers.order != ptx::Order::weak) info.flags |= kStrong;
  if (info.flags != 0 && instruction.modifiers.scope_cta) info.flags |= kBlockScope;
  if (info.flags != 0 && !instruction.modifiers.scope_cta && instruction.modifiers.scope_cluster)
    info.flags |= kClusterScope;
  // A remote arrival that names no scope is as good as one of .cluster: code that is in use everywhere has it so.
  if (is_mbarrier(instruction.opcode) && instruction.text.find(".cta") == std::string::npos) info.flags &= ~kBlockScope;
  if (instruction.opcode == Opcode::ld && instruction.text.find(".nc") != std::string::npos) info.flags |= kNonCoherent;
  if (instruction.modifiers.order == ptx::Order::volatile_) info.flags |= kVolatile;
}

void Sanitizer::begin_block(Cta& cta, std::int64_t linear, std::size_t warps, std::size_t local_bytes) {
  if (cta.shadow == nullptr) cta.shadow = blocks_.emplace_back(std::make_unique<BlockShadow>()).get();
  BlockShadow& block = *cta.shadow;
  block.cta = &cta;
  block.linear = linear;
  block.without_room = others_;
  const Dim3 clusters{grid_.x / cluster_.x, grid_.y / cluster_.y, grid_.z / cluster_.z};
  block.cluster =
      cta.index.x / cluster_.x + clusters.x * (cta.index.y / cluster_.y + clusters.y * (cta.index.z / cluster_.z));
  block.shared = Shadow(cta.shared_bytes);
  block.words.clear();
  block.mbarriers.clear();
  block.remote.clear();
  block.waited = block.triggered_early = false;
  clusters_[cta.cluster] = {};
  const std::size_t actors = std::size_t{cluster_.x} * cluster_.y * cluster_.z * warps * engines_;
  first_mbarrier_ = static_cast<std::uint32_t>(actors);
  block.warps.resize(warps);
  for (std::size_t w = 0; w < warps; ++w) {
    WarpShadow& warp = block.warps[w];
    warp = WarpShadow{};
    const std::size_t place = (cta.rank * warps + w) * engines_;
    warp.actor = block.cluster << kActorBits | static_cast<ActorId>(place);
    warp.now = warp.seen = warp.seen_far = nothing(block.cluster);
    warp.now.known = Clock(block.cluster, actors);
    warp.now.known.raise(static_cast<std::uint32_t>(place), warp.time);
    warp.local.assign(local_bytes, 0);
  }
  for (int b = 0; b < static_cast<int>(block.barriers.size()); ++b) reset(cta, b);
}

Region Sanitizer::region_of(Warp& warp, const std::byte* base, std::uint32_t offset) {
  BlockShadow& own = *warp.cta->shadow;
  const auto address = reinterpret_cast<std::uint64_t>(base) + offset;
  const auto shared = reinterpret_cast<std::uint64_t>(own.cta->shared);
  if (address - shared < own.cta->shared_bytes) return {&own.shared, shared, shared + own.cta->shared_bytes, &own};
  if (warp.cta->cluster != nullptr) {
    for (Cta* const other : warp.cta->cluster->blocks) {
      const auto begin = reinterpret_cast<std::uint64_t>(other->shared);
      if (address - begin < other->shared_bytes)
        return {&other->shadow->shared, begin, begin + other->shared_bytes, other->shadow};
    }
  }
  if (last_global_ == nullptr || address - last_global_->begin >= last_global_->end - last_global_->begin) {
    last_global_ = nullptr;
    for (const auto& global : globals_) {
      if (address - global->begin < global->end - global->begin) last_global_ = global.get();
    }
    if (last_global_ == nullptr) {
      const std::optional<AddressRange> range = memory_.find(address);
      if (!range) return {};
      last_global_ = globals_.emplace_back(std::make_unique<Global>()).get();
      last_global_->begin = range->begin / kLineBytes * kLineBytes;
      last_global_->end = range->end;
      last_global_->name = memory_.name_of(range->begin);
      last_global_->shadow = Shadow(range->end - last_global_->begin);
    }
  }
  return {&last_global_->shadow, last_global_->begin, last_global_->end, nullptr, &last_global_->name};
}

Line& Sanitizer::line_at(const Region& region, std::uint64_t offset) {
  return region.shadow->line(offset, [&](std::uint64_t first, Line* lines, std::uint32_t count) {
    if (region.block != nullptr) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t address = region.begin + first + i * kLineBytes;
      lines[i].initialised = memory_.initialised().mask(address);
      if (before_ != nullptr) note_before(lines[i], address);
    }
  });
}

Event Sanitizer::event_of(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, bool global) {
  const OpInfo& info = infos_[index_of(op)];
  WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
  Event event;
  event.warp = &warp;
  event.op = &op;
  event.shadow = &shadow;
  event.actor = shadow.actor;
  event.time = shadow.time;
  event.site = info.site;
  event.flags = info.flags;
  event.mask = mask;
  event.bytes = bytes;
  event.reads = info.kind == Kind::load || info.kind == Kind::atomic || (info.kind == Kind::copy && global);
  event.writes = !event.reads || info.kind == Kind::atomic;
  if (info.kind == Kind::copy) {
    event.actor += kAsyncCopy;
    event.time = warp.async->committed[std::countr_zero(mask)] + 1;
    event.flags |= kCopy;
  }
  return event;
}

void Sanitizer::access(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, std::byte* base,
                       const std::uint32_t* offset) {
  std::uint32_t first = offset[std::countr_zero(mask)];
  if (base == warp.local) return access_local(warp, op, mask, bytes, offset);
  const Region region = region_of(warp, base, first);
  if (region.shadow == nullptr) return;  // parameters
  std::uint32_t moved[kLanes];
  if (const auto skew = static_cast<std::uint32_t>((reinterpret_cast<std::uint64_t>(base) - region.begin) % kLineBytes);
      skew != 0) {  // lines begin at multiples of their size
    for (int lane = 0; lane < kLanes; ++lane) moved[lane] = offset[lane] + skew;
    first += skew;
    base -= skew;
    offset = moved;
  }
  Event event = event_of(warp, op, mask, bytes, region.block == nullptr);
  if (region.block != nullptr && region.block->cta != warp.cta)
    note_remote(warp, op, *region.block->cta, event.actor, event.time);
  event.base = base;
  event.offset = offset;
  if ((event.flags & kStrong) != 0) synchronise(event, region);
  if (region.block == nullptr && (event.flags & kStrong) != 0 && event.reads) note_look(event);
  if (!spins_.empty() && event.writes && warp.cta->shadow->without_room) report_spins(event, region);
  const std::size_t cache = index_of(op) + (event.reads && (event.flags & kCopy) != 0 ? program_.ops.size() : 0);
  const Footprint& footprint = footprints_[cache].find(offset, mask, bytes);
  if (footprint.overlap && op.instruction->opcode == Opcode::st) check_overlap(event, region);
  const std::uint64_t begin = (reinterpret_cast<std::uint64_t>(base) - region.begin + first) / kLineBytes;
  const bool quiet = region.block == nullptr && !event.writes;
  for (const Touch& one : footprint.touches) {
    const std::uint64_t at = (begin + static_cast<std::uint64_t>(one.line)) * kLineBytes;
    if (quiet) {
      Line* const line = region.shadow->find(at);
      if (line != nullptr && reads_on(*line, one, event)) continue;
    }
    touch(region, at, one, event);
  }
}

void Sanitizer::scattered(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, std::byte* const* pointer,
                          const std::uint8_t* lane_bytes) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto address = reinterpret_cast<std::uint64_t>(pointer[lane]);
    const std::uint32_t size = lane_bytes == nullptr ? bytes : lane_bytes[lane];
    const auto local = static_cast<std::uint64_t>(pointer[lane] - warp.local);
    if (local < static_cast<std::uint64_t>(warp.local_stride) * kLanes) {
      std::uint32_t offset[kLanes] = {};
      offset[lane] = static_cast<std::uint32_t>(local);
      access(warp, op, 1u << lane, size, warp.local, offset);
      continue;
    }
    // Lines begin at multiples of their size in the host's memory too, as allocations and shared memory do.
    std::uint32_t offset[kLanes] = {};
    offset[lane] = static_cast<std::uint32_t>(address % kLineBytes);
    std::byte* const base = pointer[lane] - offset[lane];
    for (std::uint32_t at = 0; at < size;) {  // what a lane takes of its 16 bytes is no power of two
      const std::uint32_t part = std::min(size - at, kLineBytes - (offset[lane] + at) % kLineBytes);
      std::uint32_t from[kLanes] = {};
      from[lane] = offset[lane] + at;
      access(warp, op, 1u << lane, part, base, from);
      at += part;
    }
  }
}

void Sanitizer::access_local(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes,
                             const std::uint32_t* offset) {
  WarpShadow& shadow = warp.cta->shadow->warps[warp.index];
  const bool writes = infos_[index_of(op)].kind == Kind::store;
  std::uint32_t missing = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::uint8_t* const held = shadow.local.data() + offset[lane];
    for (std::uint32_t i = 0; i < bytes && !writes; ++i)
      if (held[i] == 0) missing |= 1u << lane;
    std::fill(held, held + bytes, std::uint8_t{1});
  }
  if (missing != 0) report_local(warp, op, missing, bytes, offset);
}

void Sanitizer::fault(const MachineFault& fault) {
  const std::string message = fault.what();
  const auto hazard = [&] {
    switch (fault.kind()) {
      case FaultKind::illegal_address:
        return message.find("has ended") == std::string::npos ? Hazard::out_of_bounds : Hazard::early_exit;
      case FaultKind::misaligned_address:
        return Hazard::misaligned;
      case FaultKind::timeout:
        return Hazard::deadlock;
      default:
        return fault.instruction() != nullptr && is_mbarrier(fault.instruction()->opcode) ? Hazard::transaction
                                                                                          : Hazard::other;
    }
  }();
  findings_.add(hazard, fault.instruction(), nullptr, [&] { return message; });
}

void Sanitizer::keep_initialised() {
  for (const auto& global : globals_) {
    global->shadow.for_lines([&](std::uint64_t offset, Line& line) {
      const std::uint64_t address = global->begin + offset;
      const std::uint64_t before = memory_.initialised().mask(address);
      memory_.initialised().add_bits(address, line.initialised & ~before);
    });
  }
}

}  // namespace kerlab::emu
