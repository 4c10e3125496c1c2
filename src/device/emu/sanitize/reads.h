#pragma once
// What is remembered of who read a line of global memory: inputs are read often, and that is what most of the
// sanitizer's time goes to.

#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

inline constexpr std::uint32_t kReadersKept = 2;  ///< of a line of global memory

/// Whether a read of global memory belongs to a record: one actor's, at one time, at one instruction; or at several,
/// when no more records are kept: then the last instruction stands for all.
inline bool joins(const Record& record, const Event& event, bool last_kept) {
  return record.actor == event.actor && record.time == event.time &&
         (record.site == event.site || (last_kept && record.flags == event.flags));
}

inline void note_lanes(LineLanes& lanes, const Touch& touch, const Event& event, bool merge) {
  if (lanes.actor != event.actor || lanes.time != event.time) {
    lanes.actor = event.actor;
    lanes.time = event.time;
    lanes.lane = touch.lane;
    return;
  }
  const LaneBytes::Part several = LaneBytes::Part{} + kSeveralLanes;
  for (std::uint32_t i = 0; i < LaneBytes::kParts; ++i) {
    const LaneBytes::Part now = touch.lane.part[i];
    LaneBytes::Part& before = lanes.lane.part[i];
    const auto touched = now != kNoLane;
    const auto alone = (before == kNoLane) | (before == now);
    const LaneBytes::Part met = merge ? (alone ? now : several) : now;
    before = touched ? met : before;
  }
}

/// What nothing may write in this launch (ld.global.nc, most inputs) no lane of it can come to harm by.
inline void note_reader(Line& line, const Touch& touch, const Event& event) {
  if ((event.flags & kNonCoherent) == 0) note_lanes(line.reader, touch, event, true);
  line.read |= touch.bytes;
}

/// What most loads of a loop do: read more of a line of global memory that nobody has written, and that the actor has
/// read since it moved on. False, and nothing is done, when Sanitizer::touch must look closer.
inline bool reads_on(Line& line, const Touch& touch, const Event& event) {
  if ((touch.bytes & (~line.initialised | line.barriers)) != 0 || line.writes.size() != 0) return false;
  Record* const end = line.reads.end();
  const Record* const last_kept = line.reads.size() >= kReadersKept ? end - 1 : nullptr;
  Record* same = nullptr;
  for (Record* r = line.reads.begin(); r < end; ++r) {
    if (r->actor != event.actor) continue;
    if (same == nullptr && joins(*r, event, r == last_kept)) {
      same = r;
    } else if ((r->bytes & touch.bytes) != 0) {
      return false;
    }
  }
  if (same == nullptr) return false;
  same->bytes |= touch.bytes;
  same->site = event.site;
  note_reader(line, touch, event);
  return true;
}

}  // namespace kerlab::emu
