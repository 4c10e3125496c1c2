#include "device/emu/machine/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "device/emu/async/mbarrier.h"
#include "device/emu/machine/instruction_role.h"
#include "device/emu/machine/place.h"
#include "device/emu/machine/state_hash.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

constexpr std::size_t kAlign = 64;

std::size_t round_up(std::size_t bytes, std::size_t align) {
  return (bytes + align - 1) / align * align;
}

/// Where memory was never written: a NaN in every float type, -1 in every integer.
constexpr int kPoison = 0xff;

std::uint32_t dynamic_begin(const Program& program) {
  const auto align = static_cast<std::size_t>(std::max<std::int64_t>(program.kernel->extern_shared_align, 1));
  return static_cast<std::uint32_t>(round_up(static_cast<std::size_t>(program.shared_bytes), align));
}

void add(StateHash& hash, const WarpState& warp) {
  for (int i = 0; i < warp.count; ++i) {
    const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
    hash.add(std::uint64_t{f.lanes} << 32 | static_cast<std::uint32_t>(f.block));
    hash.add(static_cast<std::uint64_t>(f.state) << 8 | f.barrier);
  }
  hash.add(std::uint64_t{warp.live} << 32 | warp.carry);
  hash.add(std::uint64_t{warp.suspended} << 32 | warp.cluster_arrived);
  hash.add(std::uint64_t{warp.cluster_parity} << 32 | static_cast<std::uint32_t>(warp.resume_above));
}

}  // namespace

void FreeBytes::operator()(std::byte* bytes) const noexcept {
  ::operator delete[](bytes, std::align_val_t{kAlign});
}

AlignedBytes allocate_aligned(std::size_t bytes) {
  return AlignedBytes(static_cast<std::byte*>(
      ::operator new[](round_up(std::max<std::size_t>(bytes, 1), kAlign), std::align_val_t{kAlign})));
}

BlockRunner::BlockRunner(const BlockSetting& setting, Cluster& cluster, std::uint32_t rank)
    : program_(*setting.program), setting_(setting) {
  const LaunchState& launch = *setting.launch;
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::size_t warps = (threads + kLanes - 1) / kLanes;
  const std::size_t file = static_cast<std::size_t>(program_.slots) * kLanes * sizeof(std::uint32_t);
  const std::size_t stride = round_up(static_cast<std::size_t>(program_.local_bytes), 16);
  registers_ = allocate_aligned(file * warps);
  std::memset(registers_.get(), 0, file * warps);
  predicates_.assign(static_cast<std::size_t>(program_.predicates) * warps, 0);
  local_bytes_ = stride * kLanes * warps;
  local_ = allocate_aligned(local_bytes_);
  cta_.launch = setting.launch;
  cta_.cluster = &cluster;
  cta_.rank = rank;
  cta_.shared_bytes = setting.dynamic_shared > 0 ? dynamic_begin(program_) + setting.dynamic_shared
                                                 : static_cast<std::uint32_t>(program_.shared_bytes);
  shared_ = allocate_aligned(cta_.shared_bytes);
  cta_.shared = shared_.get();
  warps_.resize(warps);
  async_.resize(program_.async_copies ? warps : 0);
  bulk_groups_.resize(program_.bulk_copies ? warps * kLanes : 0);
  cta_.bulk_groups = bulk_groups_.data();
  for (std::size_t w = 0; w < warps; ++w) {
    WarpState& warp = warps_[w];
    warp.slots = reinterpret_cast<std::uint32_t*>(registers_.get() + file * w);
    warp.predicates = predicates_.data() + static_cast<std::size_t>(program_.predicates) * w;
    warp.local = local_.get() + stride * kLanes * w;
    warp.local_stride = static_cast<std::int64_t>(stride);
    warp.index = static_cast<std::uint32_t>(w);
    warp.cta = &cta_;
    warp.async = async_.empty() ? nullptr : &async_[w];
  }
  executions_.resize(program_.blocks.size());
  counted_.resize(program_.counted_ops.size());
  cta_.first_instruction = program_.kernel->instructions.data();
  if (launch.count) cta_.costs.resize(program_.kernel->instructions.size());
  fill_constants();
}

void BlockRunner::begin(std::int64_t linear_block) {
  const LaunchState& launch = *setting_.launch;
  linear_ = linear_block;
  cta_.index = unlinear(linear_block, launch.grid);
  cta_.reuse.begin_block();
  cta_.pipeline.begin_block();
  spent_ = 0;
  warps_left_ = static_cast<int>(warps_.size());
  active_barriers_ = 0;
  for (Barrier& barrier : barriers_) barrier.active = false;
  cta_.ended = false;
  cta_.mbarriers.clear();
  std::fill(bulk_groups_.begin(), bulk_groups_.end(), 0);
  for (WgmmaGroups& groups : cta_.wgmma) groups.reset();
  std::memset(shared_.get(), kPoison, cta_.shared_bytes);
  if (setting_.kept_shared != nullptr) setting_.kept_shared->begin_block(linear_, {shared_.get(), cta_.shared_bytes});
  std::memset(local_.get(), kPoison, local_bytes_);
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  for (WarpState& warp : warps_) {
    const std::size_t lanes = std::min<std::size_t>(threads - std::size_t{warp.index} * kLanes, kLanes);
    warp.live = lanes == kLanes ? ~0u : (1u << lanes) - 1;
    warp.count = 0;
    warp.executed = 0;
    warp.carry = warp.rejoined = warp.parted = 0;
    warp.resume_above = -1;
    warp.suspended = warp.cluster_arrived = warp.register_limit = 0;
    warp.register_limit_op = nullptr;
    warp.polled = nullptr;
    warp.gave_up_at.reset();
    cta_.cluster->barrier.live += popcount(warp.live);
    warp.add_ready(0, warp.live);
    if (warp.async != nullptr) warp.async->reset();
    for (const std::int32_t slot : program_.zeroed_slots) {
      std::memset(warp.slots + std::ptrdiff_t{slot} * kLanes, 0, kLanes * sizeof(std::uint32_t));
    }
    for (const std::int32_t predicate : program_.zeroed_predicates) warp.predicates[predicate] = 0;
  }
  fill_block_constants();
  if (launch.sanitizer != nullptr)
    launch.sanitizer->begin_block(cta_, linear_block, warps_.size(), local_bytes_ / warps_.size());
}

Round BlockRunner::pass() {
  Round round = Round::stuck;
  const bool last_first = setting_.last_warp_first;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    WarpState& warp = warps_[last_first ? warps_.size() - 1 - w : w];
    if (warp.suspended != 0 && warp.changes_seen != cta_.cluster->changes) wake(warp);
    if (!warp.has_ready()) continue;
    run_turn(warp);
    const Round turn = !warp.has_ready() ? Round::moved : warp.polled != nullptr ? Round::polling : Round::spinning;
    round = std::max(round, turn);
  }
  return round;
}

Round BlockRunner::step() {
  turn_ = 1;
  const Round round = pass();
  turn_ = kTurn;
  return round;
}

std::int64_t BlockRunner::looks() const {
  std::int64_t looks = 0;
  for (std::size_t b = 0; b < executions_.size(); ++b)
    if (program_.blocks[b].spin > 0) looks += executions_[b].warps;
  return looks;
}

const ptx::Instruction* BlockRunner::waiting_at(const WarpState& warp, const Fragment& f) const {
  if (f.state == State::ready && warp.polled != nullptr) return warp.polled->instruction;
  if (f.state == State::ready)
    if (const ptx::Instruction* const polling = polling_at(f)) return polling;
  const Block& block = program_.blocks[static_cast<std::size_t>(f.block)];
  // An aligned instruction is the first of the block after.
  const Block& after = program_.blocks[static_cast<std::size_t>(std::max(block.next, 0))];
  return f.state == State::converge && after.begin != after.end ? after.begin->instruction : instruction_of(block);
}

/// The read that lanes at the begin of a loop repeat until others have written; null: no such loop begins here.
const ptx::Instruction* BlockRunner::polling_at(const Fragment& f) const {
  constexpr std::size_t kMostBlocks = 8;
  const auto polls = [](const Op& op) { return op.instruction != nullptr && is_polling(*op.instruction); };
  const std::size_t first = static_cast<std::size_t>(f.block);
  for (std::size_t b = first; b < std::min(first + kMostBlocks, program_.blocks.size()); ++b) {
    const Block& block = program_.blocks[b];
    const Op* const found = std::find_if(block.begin, block.end, polls);
    if (found != block.end) return found->instruction;
  }
  return nullptr;
}

const ptx::Instruction* BlockRunner::waiting_at() const {
  const ptx::Instruction* first = nullptr;
  for (const WarpState& warp : warps_) {
    for (int i = 0; i < warp.count; ++i) {
      const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
      // Others may only wait for these.
      if (awaited_by(warp, f)) return waiting_at(warp, f);
      if (first == nullptr) first = waiting_at(warp, f);
    }
  }
  return first;
}

/// Lanes that wait for something else than others of their warp.
std::uint32_t BlockRunner::waits_elsewhere(const WarpState& warp) const {
  std::uint32_t lanes = 0;
  for (int i = 0; i < warp.count; ++i) {
    const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
    if (f.state == State::cluster_barrier || awaited_by(warp, f)) lanes |= f.lanes;
  }
  return lanes;
}

void BlockRunner::tell_stuck() const {
  Sanitizer& sanitizer = *cta_.launch->sanitizer;
  for (const WarpState& warp : warps_) {
    for (int i = 0; i < warp.count; ++i) {
      const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
      const bool of_warp = f.state == State::converge || f.state == State::collective || f.state == State::warp_barrier;
      const std::uint32_t missing = warp.live & ~f.lanes & ~waits_elsewhere(warp);
      if ((of_warp || f.state == State::barrier) && missing != 0)
        sanitizer.stuck(warp, *waiting_at(warp, f), of_warp, f.lanes, missing);
      if (const std::optional<MbarrierWait> wait = awaited_by(warp, f))
        sanitizer.stuck_at_mbarrier(warp, *waiting_at(warp, f), f.lanes, wait->at, waited_phase(warp, f));
    }
  }
}

void BlockRunner::tell_spinning() const {
  Sanitizer& sanitizer = *cta_.launch->sanitizer;
  for (const WarpState& warp : warps_) {
    for (int i = 0; i < warp.count; ++i) {
      const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
      if (f.state == State::ready && warp.polled == nullptr && polling_at(f) != nullptr)
        sanitizer.spinning(warp, f.lanes);
    }
  }
}

/// "for phase 1 of mbarrier ...", if that is what the fragment waits for.
std::string BlockRunner::waited_phase(const WarpState& warp, const Fragment& f) const {
  const std::optional<MbarrierWait> wait = awaited_by(warp, f);
  return wait ? describe(*wait, *program_.kernel) : std::string();
}

std::optional<MbarrierWait> BlockRunner::awaited_by(const WarpState& warp, const Fragment& f) const {
  if (f.state == State::ready && warp.polled != nullptr)
    return MbarrierWait{{warp.cta, warp.polled_offset}, warp.polled_phase, false};
  if (f.state != State::mbarrier) return std::nullopt;
  const Op* const op = program_.blocks[static_cast<std::size_t>(f.block)].op;
  return look_at({&warp, op, __builtin_ctz(f.lanes)});
}

/// Who waits where: warps that wait for the same with the same lanes are told once.
std::string BlockRunner::waiting() const {
  struct Group {
    std::string lanes, what;
    std::vector<std::uint32_t> warps;
  };
  std::vector<Group> groups;
  int exited = 0;
  for (const WarpState& warp : warps_) {
    if (warp.live == 0) ++exited;
    for (int i = 0; i < warp.count; ++i) {
      const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
      std::string what = place(waiting_at(warp, f), program_.files);
      if (f.state == State::barrier) what += fmt::format(" for barrier {}", f.barrier);
      if (const std::string phase = waited_phase(warp, f); !phase.empty()) what += " " + phase;
      const std::string lanes = lane_list(f.lanes);
      const auto same = std::find_if(groups.begin(), groups.end(),
                                     [&](const Group& group) { return group.what == what && group.lanes == lanes; });
      if (same != groups.end()) {
        same->warps.push_back(warp.index);
      } else {
        groups.push_back({lanes, what, {warp.index}});
      }
    }
  }
  constexpr std::size_t kMostTold = 8;
  std::string text = block_name(cta_.index) + ":";
  for (std::size_t i = 0; i < std::min(groups.size(), kMostTold); ++i) {
    const Group& group = groups[i];
    text += fmt::format("{} {} {} {}", i == 0 ? "" : ",", warp_list(group.warps), group.lanes, group.what);
  }
  if (groups.size() > kMostTold) text += ", ...";
  if (exited > 0) text += fmt::format("; {} of {} warps have exited", exited, warps_.size());
  return text;
}

/// Registers, shared and local memory, who stands where, as one number.
std::uint64_t BlockRunner::hash_state() const {
  StateHash hash;
  for (const WarpState& warp : warps_) {
    add(hash, warp);
    if (warp.live == 0) continue;
    hash.add(warp.slots, static_cast<std::size_t>(program_.slots) * kLanes * sizeof(std::uint32_t));
    hash.add(warp.predicates, static_cast<std::size_t>(program_.predicates) * sizeof(std::uint32_t));
  }
  for (const Barrier& barrier : barriers_) {
    hash.add(barrier.active ? 1 : 0);
    if (!barrier.active) continue;
    for (const std::uint32_t lanes : barrier.arrived) hash.add(lanes);
    hash.add(static_cast<std::uint64_t>(barrier.trues) << 32 | static_cast<std::uint32_t>(barrier.voters));
  }
  hash.add(shared_.get(), cta_.shared_bytes);
  hash.add(local_.get(), local_bytes_);
  return hash.value();
}

}  // namespace kerlab::emu
