// Forward progress: loops that wait for a word which only a block writes that has not begun, and for which there may be
// no room until those that wait have ended. CUDA C++ Programming Guide: blocks may run in any order, in parallel or in
// series; only those of a cooperative launch all run at once.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "device/emu/machine/place.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

void Sanitizer::note_look(const Event& event) {
  Look& look = event.shadow->look;
  look.at = event.op->instruction;
  look.lanes = event.mask;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    look.address[static_cast<std::size_t>(lane)] = reinterpret_cast<std::uint64_t>(event.base) + event.offset[lane];
  }
}

void Sanitizer::spinning(const Warp& warp, std::uint32_t lanes) {
  const Look& look = warp.cta->shadow->warps[warp.index].look;
  if (look.at == nullptr) return;
  for (std::uint32_t rest = look.lanes & lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = look.address[static_cast<std::size_t>(lane)];
    if (spins_.count(address) != 0) continue;
    Warp at = warp;
    const Region region = region_of(at, reinterpret_cast<const std::byte*>(address), 0);
    spins_[address] = {look.at, address_name(region, address - region.begin, warp), who(warp, 1u << lane)};
  }
}

/// Of a block without room: whether it writes what others wait for.
void Sanitizer::report_spins(const Event& event, const Region& region) {
  if (region.block != nullptr) return;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t begin =
        reinterpret_cast<std::uint64_t>(event.base) + (event.offset != nullptr ? event.offset[lane] : 0);
    const auto first = spins_.lower_bound(begin), last = spins_.lower_bound(begin + event.bytes);
    for (auto spin = first; spin != last; ++spin) report_spin(spin->second, &event);
    spins_.erase(first, last);
  }
}

void Sanitizer::report_spin(const Spin& spin, const Event* event) {
  const ptx::Instruction* const writes = event != nullptr ? event->op->instruction : nullptr;
  findings_.add(Hazard::deadlock, spin.at, writes, [&] {
    std::string text = fmt::format("{} ({}) waits for {}", spin.at->text, findings_.place(spin.at), spin.what);
    text += event != nullptr
                ? fmt::format(
                      ", which {} ({}) of {} writes: that block may not begin before one of those that wait "
                      "has ended",
                      writes->text, findings_.place(writes), block_name(event->warp->cta->index))
                : ", which no block that runs writes: those that would may not begin before one that waits has ended";
    return text +
           fmt::format(
               "; number the work by a counter in memory, in the order in which blocks begin, or let [[launch]] say "
               "cooperative = true (in_order = true); {}",
               spin.who);
  });
}

void Sanitizer::end_launch() {
  const bool told = std::any_of(findings_.all().begin(), findings_.all().end(),
                                [](const Finding& finding) { return finding.hazard == Hazard::deadlock; });
  if (!told)
    for (const auto& [address, spin] : spins_) report_spin(spin, nullptr);
  if (before_ != nullptr && !waited_) report_never_waited();
  keep_initialised();
}

}  // namespace kerlab::emu
