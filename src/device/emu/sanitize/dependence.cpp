// Programmatic dependent launches. PTX ISA, griddepcontrol: .wait has the thread wait until all grids that this one
// depends on have ended and what they did to memory is visible to this grid; .launch_dependents lets dependent grids
// begin when every block has executed it, or has ended. The launches before are one actor, which nobody knows before a
// wait; from there on what is known spreads as everything else that is: by barriers, mbarriers, releases.

#include <bit>

#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

constexpr std::uint32_t kTimeBefore = 1;  ///< of all that the launches before have done

Clock what_was_before() {
  Clock clock(kClusterBefore, 1);
  clock.raise(0, kTimeBefore);
  return clock;
}

}  // namespace

/// Whatever proxy they wrote through: the wait makes it visible to all.
void Sanitizer::note_before(Line& line, std::uint64_t address) const {
  const std::uint64_t written = before_->written.mask(address), read = before_->read.mask(address) & ~written;
  if (written != 0) line.writes.push({written, kLaunchBefore, kTimeBefore, 0, kAsyncProxy});
  if (read != 0) line.reads.push({read, kLaunchBefore, kTimeBefore, 0, 0});
}

void Sanitizer::depend(Warp& warp, const Op& op, std::uint32_t mask) {
  if (before_ == nullptr) return;  // there is nothing to wait for
  BlockShadow& block = *warp.cta->shadow;
  WarpShadow& shadow = block.warps[warp.index];
  if (!op.instruction->modifiers.wait) {
    if (!shadow.now.known.knows(kLaunchBefore, kTimeBefore)) block.triggered_early = true;
    return;
  }
  waited_ = block.waited = true;
  const Clock before = what_was_before();
  if (mask != ~0u) {  // the other lanes know nothing of it until they synchronise
    shadow.lanes.begin(shadow.now.known, block.cluster);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      shadow.lanes.join(static_cast<std::size_t>(std::countr_zero(rest)), before);
  }
  shadow.now.known.join(before);
  shadow.now.fenced.join(before);
  shadow.advance();
}

void Sanitizer::report_never_waited() {
  findings_.add(Hazard::global_race, nullptr, nullptr, [] {
    return std::string(
        "no thread came to griddepcontrol.wait (cudaGridDependencySynchronize()): with programmatic = true nothing "
        "else "
        "orders the launch behind the one before it, and whatever comes next may begin before that one has ended");
  });
}

void Sanitizer::leave_behind(InFlight& after) {
  for (const auto& global : globals_) {
    global->shadow.for_lines([&](std::uint64_t offset, Line& line) {
      std::uint64_t written = 0;
      for (const Record& write : line.writes)
        if (write.actor != kLaunchBefore) written |= write.bytes;
      after.written.add_bits(global->begin + offset, written);
      after.read.add_bits(global->begin + offset, line.read);
    });
  }
  if (before_ == nullptr || late_) return;
  after.written.add(before_->written);  // every block let the next launch begin before it had waited itself
  after.read.add(before_->read);
}

}  // namespace kerlab::emu
