// Findings in words: what, whose, where, and what to do about it.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "device/emu/machine/place.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

const char* verb(const Event& event) {
  return !event.writes ? "reads" : event.reads ? "updates" : "writes";
}

/// The first byte of the mask.
std::uint64_t first_of(std::uint64_t offset, std::uint64_t bytes) {
  return offset + static_cast<std::uint64_t>(std::countr_zero(bytes));
}

std::string plus(const std::string& name, std::uint64_t offset) {
  return offset == 0 ? name : fmt::format("{} + {:#x}", name, offset);
}

}  // namespace

std::string Sanitizer::who(const Warp& warp, std::uint32_t lanes) const {
  return fmt::format("{}, warp {}, {}", block_name(warp.cta->index), warp.index, lane_list(lanes));
}

/// "shared + 0x120 (tile + 0x20)"; "argument 2 + 0x80" where a parameter of the kernel points to the allocation.
std::string Sanitizer::address_name(const Region& region, std::uint64_t offset, const Warp& warp) const {
  if (region.block != nullptr) {
    std::string text = fmt::format("shared + {:#x}", offset);
    for (const ptx::Symbol& symbol : program_.kernel->symbols) {
      if (symbol.space != ptx::Space::shared) continue;
      const auto begin = static_cast<std::uint64_t>(symbol.offset), bytes = static_cast<std::uint64_t>(symbol.bytes);
      if (bytes > 0 && offset - begin < bytes) return text + " (" + plus(plain_name(symbol.name), offset - begin) + ")";
    }
    return text;
  }
  if (region.name != nullptr && !region.name->empty()) return plus(*region.name, offset);
  const LaunchState& launch = *warp.cta->launch;
  int argument = 0;
  std::vector<const ptx::Symbol*> parameters;
  for (const ptx::Symbol& symbol : program_.kernel->symbols)
    if (symbol.space == ptx::Space::param) parameters.push_back(&symbol);
  std::sort(parameters.begin(), parameters.end(),
            [](const ptx::Symbol* a, const ptx::Symbol* b) { return a->offset < b->offset; });
  for (const ptx::Symbol* symbol : parameters) {
    for (std::int64_t at = symbol->offset; at + 8 <= std::min(symbol->offset + symbol->bytes, launch.parameter_bytes);
         at += 8) {
      std::uint64_t pointer = 0;
      std::memcpy(&pointer, launch.parameters + at, 8);
      if (pointer >= region.begin && pointer < region.end && pointer <= region.begin + offset)
        return plus(fmt::format("argument {}", argument), region.begin + offset - pointer);
    }
    ++argument;
  }
  return fmt::format("byte {} of the {} bytes at {:#x}", offset, region.end - region.begin, region.begin);
}

std::string Sanitizer::actor_name(ActorId actor, const Event& event) const {
  const BlockShadow& block = *event.warp->cta->shadow;
  const std::uint32_t place = actor & kActorMask;
  const auto warps = static_cast<std::uint32_t>(block.warps.size());
  const std::uint32_t blocks = cluster_.x * cluster_.y * cluster_.z;
  const std::uint32_t rank = place / engines_ / warps;
  if (is_mbarrier_actor(actor)) return "a copy that an mbarrier awaits";
  std::string text;
  constexpr const char* kNames[] = {"", "a cp.async copy of ", "a wgmma of ", "a bulk copy of ", "a bulk copy of "};
  text = fmt::format("{}warp {}", kNames[place % engines_], place / engines_ % warps);
  if (actor >> kActorBits != block.cluster || blocks > 1) {
    const Dim3 clusters{grid_.x / cluster_.x, grid_.y / cluster_.y, grid_.z / cluster_.z};
    Dim3 at = unlinear(actor >> kActorBits, clusters);
    const Dim3 in = unlinear(rank, cluster_);
    at = {at.x * cluster_.x + in.x, at.y * cluster_.y + in.y, at.z * cluster_.z + in.z};
    text += " of " + block_name(at);
  }
  return text;
}

std::uint32_t Sanitizer::lanes_at(const Event& event, const Region& region, std::uint64_t offset,
                                  std::uint64_t bytes) const {
  if (event.offset == nullptr) return event.mask;
  std::uint32_t lanes = 0;
  const std::uint64_t line = region.begin + offset;
  for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = reinterpret_cast<std::uint64_t>(event.base) + event.offset[lane] - line;
    if (at < kLineBytes && (bytes >> at & ((std::uint64_t{1} << event.bytes) - 1)) != 0) lanes |= 1u << lane;
  }
  return lanes != 0 ? lanes : event.mask;
}

namespace {

/// Whether a relaxed wait has seen the end of it.
bool has_seen(const WarpShadow& warp, const Record& before) {
  return warp.seen.known.knows(before.actor, before.time) || warp.seen_far.known.knows(before.actor, before.time);
}

}  // namespace

void Sanitizer::report_race(const Record& before, bool before_wrote, const Event& event, const Region& region,
                            std::uint64_t offset, std::uint64_t bytes) {
  if (before.actor == kLaunchBefore) return report_early(before_wrote, event, region, offset, bytes);
  const ptx::Instruction& at = *event.op->instruction;
  const ptx::Instruction& other = *sites_[before.site];
  const std::uint32_t engine = is_mbarrier_actor(before.actor) ? kGeneric : (before.actor & kActorMask) % engines_;
  const bool same_warp = before.actor == event.shadow->actor;
  const bool copies_over = region.block != nullptr && event.writes && (event.flags & kCopy) != 0;
  Hazard hazard = region.block != nullptr ? Hazard::shared_race : Hazard::global_race;
  const std::uint32_t per_block = engines_ * static_cast<std::uint32_t>(event.warp->cta->shadow->warps.size());
  const bool other_block = (before.actor & kActorMask) / per_block != (event.shadow->actor & kActorMask) / per_block;
  const char* advice = other_block && !is_mbarrier_actor(before.actor)
                           ? "nothing orders the two: a barrier of the cluster is missing between them "
                             "(barrier.cluster, not .relaxed; of mbarriers .release and .acquire with .cluster)"
                           : "nothing orders the two: a barrier is missing between them (__syncthreads(); of "
                             "mbarriers .release and .acquire)";
  if (copies_over) {
    hazard = Hazard::async_overwrite;
    advice = "the copy may arrive before that: wait for those who use the buffer before the copy is issued";
  } else if (engine == kWgmma && engines_ > 1) {
    hazard = Hazard::wgmma_in_flight;
    advice = "wgmma reads its operands until wgmma.wait_group";
  } else if (engine == kBulkRead && engines_ > 1 && !before_wrote) {
    advice = "the bulk copy reads it until cp.async.bulk.wait_group.read (and a barrier for other threads)";
  } else if ((before.flags & kCopy) != 0 && before_wrote) {
    advice =
        "the copy has not been waited for, or no barrier followed the wait (cp.async.wait_group, then "
        "__syncthreads(); mbarrier.try_wait)";
  } else if (same_warp) {
    advice = "lanes of a warp are ordered by __syncwarp() only";
  } else if (region.block == nullptr && before.actor >> kActorBits != event.actor >> kActorBits) {
    advice =
        "blocks are ordered by atomics with release and acquire only (__threadfence() before the flag is set and "
        "after it is read), or by a launch of its own; where an older value is as good, read it as volatile or "
        ".relaxed";
  }
  if (has_seen(*event.shadow, before))
    advice = "the wait at the mbarrier is .relaxed and acquires nothing: .acquire, or a fence behind it, is missing";
  findings_.add(hazard, &at, &other, [&] {
    return fmt::format("{} ({}) {} {}, which {} ({}) of {} {}: {}; {}", at.text, findings_.place(&at), verb(event),
                       address_name(region, first_of(offset, bytes), *event.warp), other.text, findings_.place(&other),
                       actor_name(before.actor, event), before_wrote ? "writes" : "reads", advice,
                       who(*event.warp, lanes_at(event, region, offset, bytes)));
  });
}

void Sanitizer::report_early(bool before_wrote, const Event& event, const Region& region, std::uint64_t offset,
                             std::uint64_t bytes) {
  const ptx::Instruction& at = *event.op->instruction;
  findings_.add(Hazard::global_race, &at, nullptr, [&] {
    return fmt::format(
        "{} ({}) {} {}, which a launch before this one {}, that may not have ended: with programmatic = true only "
        "griddepcontrol.wait (cudaGridDependencySynchronize()) orders the two, and it has to come first (for other "
        "threads of the block a barrier behind it); {}",
        at.text, findings_.place(&at), verb(event), address_name(region, first_of(offset, bytes), *event.warp),
        before_wrote ? "writes" : "reads", who(*event.warp, lanes_at(event, region, offset, bytes)));
  });
}

void Sanitizer::report_non_coherent(const Record& before, const Event& event, const Region& region,
                                    std::uint64_t offset, std::uint64_t bytes) {
  const ptx::Instruction& at = *event.op->instruction;
  const ptx::Instruction& other = *sites_[before.site];
  findings_.add(Hazard::global_race, &at, &other, [&] {
    return fmt::format(
        "{} ({}) reads {} through the cache of what no launch writes, and {} ({}) of {} writes there in this launch: "
        "no barrier or fence makes that visible; take __restrict__ or const from the pointer, or read with __ldcg(); "
        "{}",
        at.text, findings_.place(&at), address_name(region, first_of(offset, bytes), *event.warp), other.text,
        findings_.place(&other), actor_name(before.actor, event),
        who(*event.warp, lanes_at(event, region, offset, bytes)));
  });
}

void Sanitizer::report_proxy(const Record& before, const Event& event, const Region& region, std::uint64_t offset,
                             std::uint64_t bytes) {
  const ptx::Instruction& at = *event.op->instruction;
  const ptx::Instruction& other = *sites_[before.site];
  findings_.add(Hazard::proxy_fence, &at, &other, [&] {
    return fmt::format(
        "{} ({}) {} {} through the async proxy, which {} ({}) of {} writes through the generic proxy: "
        "fence.proxy.async is missing, best behind the write and before the barrier; {}",
        at.text, findings_.place(&at), verb(event), address_name(region, first_of(offset, bytes), *event.warp),
        other.text, findings_.place(&other), actor_name(before.actor, event), who(*event.warp, event.mask));
  });
}

void Sanitizer::report_overlap(const Event& event, const Region& region, int first, int second) {
  const ptx::Instruction& at = *event.op->instruction;
  const Hazard hazard = region.block != nullptr ? Hazard::shared_race : Hazard::global_race;
  const std::uint64_t place = reinterpret_cast<std::uint64_t>(event.base) + event.offset[first] - region.begin;
  findings_.add(hazard, &at, &at, [&] {
    return fmt::format("{} ({}): lanes {} and {} write different values to {} at once: which one stays is not told; {}",
                       at.text, findings_.place(&at), first, second, address_name(region, place, *event.warp),
                       who(*event.warp, 1u << first | 1u << second));
  });
}

void Sanitizer::report_uninitialised(const Event& event, const Region& region, std::uint64_t offset,
                                     std::uint64_t bytes) {
  const ptx::Instruction& at = *event.op->instruction;
  findings_.add(Hazard::uninitialised, &at, nullptr, [&] {
    return fmt::format("{} ({}) {} {}, which nobody has written; {}", at.text, findings_.place(&at), verb(event),
                       address_name(region, first_of(offset, bytes), *event.warp),
                       who(*event.warp, lanes_at(event, region, offset, bytes)));
  });
}

void Sanitizer::report_barrier_bytes(const Event& event, const Region& region, std::uint64_t offset,
                                     std::uint64_t bytes) {
  const ptx::Instruction& at = *event.op->instruction;
  findings_.add(Hazard::transaction, &at, nullptr, [&] {
    return fmt::format(
        "{} ({}) {} bytes of an mbarrier, {}: only mbarrier instructions may (mbarrier.inval ends it); {}", at.text,
        findings_.place(&at), verb(event), address_name(region, first_of(offset, bytes), *event.warp),
        who(*event.warp, lanes_at(event, region, offset, bytes)));
  });
}

void Sanitizer::report_local(Warp& warp, const Op& op, std::uint32_t lanes, std::uint32_t bytes,
                             const std::uint32_t* offset) {
  const ptx::Instruction& at = *op.instruction;
  findings_.add(Hazard::uninitialised, &at, nullptr, [&] {
    const int lane = std::countr_zero(lanes);
    const auto place = static_cast<std::int64_t>(offset[lane]) - lane * warp.local_stride;
    return fmt::format(
        "{} ({}) reads {} bytes at local + {:#x} (a variable of the thread) that it has not all "
        "written; {}",
        at.text, findings_.place(&at), bytes, place, who(warp, lanes));
  });
}

void Sanitizer::report_divergence(Warp& warp, const Op& first, const Op& op, int barrier, std::uint32_t there,
                                  std::uint32_t here) {
  const ptx::Instruction &at = *op.instruction, &other = *first.instruction;
  findings_.add(Hazard::barrier_divergence, &at, &other, [&] {
    return fmt::format(
        "{} ({}) is reached by {} while {} of the same warp wait for barrier {} at {} ({}): all threads "
        "of a warp must reach the same one; {}",
        at.text, findings_.place(&at), lane_list(here), lane_list(there), barrier, other.text, findings_.place(&other),
        who(warp, here));
  });
}

}  // namespace kerlab::emu
