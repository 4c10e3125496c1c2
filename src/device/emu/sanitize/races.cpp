// What an access meets in a line: what was there before, who did it, and whether the two are ordered.

#include <bit>
#include <cstring>

#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/reads.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

/// What they read may never be used: rows and columns of a tile beyond the problem, which right kernels leave unset. So
/// uninitialised reads by ldmatrix, wmma and wgmma are no finding; where they matter, the poison of shared memory (NaN)
/// shows in the results.
bool feeds_matrix(ptx::Opcode opcode) {
  return opcode == ptx::Opcode::ldmatrix || opcode == ptx::Opcode::wmma_load || opcode == ptx::Opcode::wgmma_mma_async;
}

/// Nothing to look at closer: another actor's, which has happened before, and no proxy between.
bool plainly_ordered(const Record& before, const Event& event) {
  const ActorId own = event.shadow->actor;
  return before.actor != event.actor && before.actor != own + kAsyncCopy && (event.flags & kAsyncProxy) == 0 &&
         !event.shadow->lanes.differs && event.shadow->now.known.knows(before.actor, before.time);
}

/// The same instruction has read there since the actor moved on.
bool read_before(Records<2>& reads, const Touch& touch, const Event& event) {
  for (Record& r : reads) {
    if (r.actor != event.actor || r.time != event.time || r.site != event.site) continue;
    return (touch.bytes & ~r.bytes) == 0;
  }
  return false;
}

/// Later reads of an actor stand for its earlier ones: whoever is ordered behind them is ordered behind all.
void note_read(Records<2>& reads, const Touch& touch, const Event& event, bool global) {
  Record* same = nullptr;
  for (Record* r = reads.begin(); r < reads.end(); ++r) {
    if (r->actor != event.actor) continue;
    if (r->time == event.time && r->site == event.site) {
      same = r;
      continue;
    }
    r->bytes &= ~touch.bytes;
    if (r->bytes != 0) continue;
    if (same == reads.end() - 1) same = r;
    reads.remove(r--);
  }
  if (same != nullptr) {
    same->bytes |= touch.bytes;
    return;
  }
  const Record record{touch.bytes, event.actor, event.time, event.site, event.flags};
  if (global && reads.size() == kReadersKept) {
    Record& last = *(reads.end() - 1);
    const std::uint64_t before = joins(last, event, true) ? last.bytes : 0;
    last = record;
    last.bytes |= before;
  } else {
    reads.push(record);
  }
}

void note_write(Records<1>& writes, const Touch& touch, const Event& event) {
  for (Record& w : writes) {
    if (w.actor != event.actor || w.time != event.time || w.site != event.site || w.flags != event.flags) continue;
    w.bytes |= touch.bytes;
    return;
  }
  writes.push({touch.bytes, event.actor, event.time, event.site, event.flags});
}

bool all_know(const std::array<std::uint32_t, kLanes>& known, std::uint32_t lanes, std::uint32_t time) {
  for (; lanes != 0; lanes &= lanes - 1)
    if (known[static_cast<std::size_t>(std::countr_zero(lanes))] < time) return false;
  return true;
}

/// Lanes that touch some of these bytes of the line, as far as that is known.
std::uint32_t lanes_of(const Touch& touch, std::uint64_t bytes, const Event& event) {
  std::uint32_t lanes = 0;
  for (; bytes != 0; bytes &= bytes - 1) {
    const std::uint8_t lane = touch.lane[std::countr_zero(bytes)];
    if (lane == kSeveralLanes) return event.mask;
    if (lane < kLanes) lanes |= 1u << lane;
  }
  return lanes;
}

}  // namespace

void Sanitizer::touch(const Region& region, std::uint64_t offset, const Touch& touch, const Event& event) {
  Line& line = line_at(region, offset);
  if (event.reads && (touch.bytes & ~line.initialised) != 0 && !feeds_matrix(event.op->instruction->opcode)) {
    report_uninitialised(event, region, offset, touch.bytes & ~line.initialised);
    line.initialised |= touch.bytes;
  }
  if ((touch.bytes & line.barriers) != 0) report_barrier_bytes(event, region, offset, touch.bytes & line.barriers);
  if (event.writes) {
    write(line, touch, event, region, offset);
  } else {
    read(line, touch, event, region, offset);
  }
}

void Sanitizer::read(Line& line, const Touch& touch, const Event& event, const Region& region, std::uint64_t offset) {
  const bool global = region.block == nullptr;
  for (const Record& w : line.writes) {
    if ((w.bytes & touch.bytes) == 0) continue;
    if ((event.flags & kNonCoherent) != 0 && w.actor != kLaunchBefore)
      report_non_coherent(w, event, region, offset, w.bytes & touch.bytes);
    if (!plainly_ordered(w, event)) meet(w, true, line.writer, event, region, offset, touch);
  }
  note_reader(line, touch, event);
  if (!read_before(line.reads, touch, event)) note_read(line.reads, touch, event, global);
}

void Sanitizer::write(Line& line, const Touch& touch, const Event& event, const Region& region, std::uint64_t offset) {
  for (Record* r = line.reads.begin(); r < line.reads.end(); ++r) {
    if ((r->bytes & touch.bytes) == 0) continue;
    if (!plainly_ordered(*r, event)) meet(*r, false, line.reader, event, region, offset, touch);
    r->bytes &= ~touch.bytes;
    if (r->bytes == 0) line.reads.remove(r--);
  }
  for (Record* w = line.writes.begin(); w < line.writes.end(); ++w) {
    if ((w->bytes & touch.bytes) == 0) continue;
    if (!plainly_ordered(*w, event)) meet(*w, true, line.writer, event, region, offset, touch);
    w->bytes &= ~touch.bytes;
    if (w->bytes == 0) line.writes.remove(w--);
  }
  line.initialised |= touch.bytes;
  note_lanes(line.writer, touch, event, false);
  note_write(line.writes, touch, event);
}

/// Whether two strong accesses are strong for one another: each one's scope has the other in it.
bool Sanitizer::scopes_meet(const Record& before, const Event& event) const {
  const std::uint32_t either = before.flags | event.flags;
  if ((either & (kBlockScope | kClusterScope)) == 0) return true;
  if (before.actor >> kActorBits != event.actor >> kActorBits) return false;
  if ((either & kBlockScope) == 0 || is_mbarrier_actor(before.actor) || is_mbarrier_actor(event.actor)) return true;
  const std::uint32_t per_block = engines_ * static_cast<std::uint32_t>(event.warp->cta->shadow->warps.size());
  return (before.actor & kActorMask) / per_block == (event.actor & kActorMask) / per_block;
}

void Sanitizer::meet(const Record& before, bool before_wrote, const LineLanes& lanes, const Event& event,
                     const Region& region, std::uint64_t offset, const Touch& touch) {
  const std::uint32_t either = before.flags | event.flags;
  // volatile orders nothing: it is for words that a loop polls.
  const bool data = (before.flags & event.flags & kVolatile) != 0 && (either & kPolls) == 0 &&
                    !(before_wrote && event.writes) && region.block != nullptr;
  if (!data && (before.flags & event.flags & kStrong) != 0 && scopes_meet(before, event)) return;
  WarpShadow& shadow = *event.shadow;
  const std::uint64_t bytes = before.bytes & touch.bytes;
  if (before.actor == event.actor) {
    if (event.actor == shadow.actor && before.time >= shadow.synced)
      meet_lanes(before, before_wrote, lanes, event, region, offset, touch, shadow.lane_knows);
    return;
  }
  const Knowledge& now = shadow.now;
  bool ordered = now.known.knows(before.actor, before.time);
  if (!ordered && (event.flags & kStrong) != 0) ordered = now.acquired.knows(before.actor, before.time);
  if (ordered && shadow.lanes.differs)
    ordered = !shadow.lanes.is_missing(lanes_of(touch, bytes, event), before.actor, before.time);
  if (!ordered) {
    if (before_wrote && event.writes && same_value(event, region, offset, bytes)) return;
    report_race(before, before_wrote, event, region, offset, bytes);
    return;
  }
  const bool own_copy = engines_ > 1 && before.actor == shadow.actor + kAsyncCopy;
  if (own_copy && event.actor == shadow.actor && before.time > shadow.copies)
    meet_lanes(before, before_wrote, lanes, event, region, offset, touch, shadow.lane_copies);
  const bool crosses = (event.flags & kAsyncProxy) != 0 && (before.flags & kAsyncProxy) == 0 && before_wrote;
  if (crosses && !now.fenced.knows(before.actor, before.time)) report_proxy(before, event, region, offset, bytes);
}

/// Two lanes of one warp: ordered by what synchronises the warp, or by what the later one has waited for; `known`: up
/// to when, by lane.
void Sanitizer::meet_lanes(const Record& before, bool before_wrote, const LineLanes& lanes, const Event& event,
                           const Region& region, std::uint64_t offset, const Touch& touch,
                           const std::array<std::uint32_t, kLanes>& known) {
  if (lanes.actor != before.actor) return;
  std::uint64_t conflict = 0;
  for (std::uint64_t rest = before.bytes & touch.bytes; rest != 0; rest &= rest - 1) {
    const int byte = std::countr_zero(rest);
    const std::uint8_t a = lanes.lane[byte], b = touch.lane[byte];
    if (a == b && a != kSeveralLanes) continue;
    if (a == kNoLane || b == kNoLane || a == kUnknownLane || b == kUnknownLane) continue;
    if (before_wrote && a == kSeveralLanes) continue;
    if (!all_know(known, b == kSeveralLanes ? event.mask : 1u << b, before.time)) conflict |= rest & -rest;
  }
  if (conflict == 0) return;
  if (before_wrote && event.writes && same_value(event, region, offset, conflict)) return;
  report_race(before, before_wrote, event, region, offset, conflict);
}

namespace {

/// What a lane stores: element j.
std::uint64_t stored(const Event& event, int lane, int j, int bytes) {
  const Op& op = *event.op;
  const std::int32_t slot = op.count[1] == 0 ? op.slot[1] : op.list[op.slot[1] + j];
  if (slot < 0) return 0;
  const std::uint32_t* const at = event.warp->slots + std::ptrdiff_t{slot} * kLanes;
  std::uint64_t value = at[lane];
  if (op.width[1] == 64) std::memcpy(&value, reinterpret_cast<const std::byte*>(at) + 8 * lane, 8);
  return bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace

/// Whether a store leaves `bytes` of the line as they are.
bool Sanitizer::same_value(const Event& event, const Region& region, std::uint64_t offset, std::uint64_t bytes) const {
  if (event.op->instruction->opcode != ptx::Opcode::st || event.offset == nullptr) return false;
  const int elements = std::max<int>(event.op->instruction->modifiers.vector, 1);
  const int size = static_cast<int>(event.bytes) / elements;
  const std::uint32_t lanes = lanes_at(event, region, offset, bytes);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (int j = 0; j < elements; ++j) {
      std::uint64_t there = 0;
      std::memcpy(&there, event.base + event.offset[lane] + j * size, static_cast<std::size_t>(size));
      if (there != stored(event, lane, j, size)) return false;
    }
  }
  return true;
}

/// Lanes of one store that write different values to one place: which one stays is not told.
void Sanitizer::check_overlap(const Event& event, const Region& region) {
  const int elements = std::max<int>(event.op->instruction->modifiers.vector, 1);
  const int size = static_cast<int>(event.bytes) / elements;
  for (std::uint32_t left = event.mask; left != 0;) {
    const int first = std::countr_zero(left);
    left &= left - 1;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (event.offset[lane] != event.offset[first]) continue;
      left &= ~(1u << lane);
      bool same = true;
      for (int j = 0; j < elements; ++j) same &= stored(event, lane, j, size) == stored(event, first, j, size);
      if (!same) return report_overlap(event, region, first, lane);
    }
  }
}

}  // namespace kerlab::emu
