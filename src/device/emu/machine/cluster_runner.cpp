#include "device/emu/machine/cluster_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/emu/async/bulk_copy.h"
#include "device/emu/machine/place.h"

namespace kerlab::emu {
namespace {

/// How often in a row try_wait may see `false` before that counts as a deadlock: a kernel may do something else then.
constexpr int kMostGivenUp = 256;

std::int64_t volume_of(const Dim3& d) {
  return std::int64_t{d.x} * d.y * d.z;
}

[[noreturn]] void refuse(const Program& program, const std::string& why) {
  throw MachineFault(FaultKind::launch_failed, fmt::format("kernel '{}': {}", program.kernel->name, why));
}

std::string extent_text(const Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

}  // namespace

Dim3 cluster_extent(const Program& program, const Dim3& grid, const Dim3& cluster) {
  const std::int32_t* const demanded = program.kernel->required_cluster;
  Dim3 extent = cluster;
  if (demanded[0] > 0) {
    const auto at = [&](int i) { return static_cast<std::uint32_t>(std::max(demanded[i], 1)); };
    extent = {at(0), at(1), at(2)};
    if (cluster != Dim3{} && cluster != extent) {
      refuse(program, fmt::format("launched with clusters of {}, but its .reqnctapercluster demands {}",
                                  extent_text(cluster), extent_text(extent)));
    }
  }
  if (volume_of(extent) == 0 || volume_of(extent) > kMostClusterBlocks) {
    refuse(program,
           fmt::format("a cluster of {} blocks; from 1 to {} are possible", extent_text(extent), kMostClusterBlocks));
  }
  if (grid.x % extent.x != 0 || grid.y % extent.y != 0 || grid.z % extent.z != 0) {
    refuse(program, fmt::format("grid {} is not a multiple of cluster {}", extent_text(grid), extent_text(extent)));
  }
  return extent;
}

ClusterRunner::ClusterRunner(const BlockSetting& setting) : setting_(setting) {
  cluster_.extent = setting.cluster;
  const auto count = static_cast<std::uint32_t>(volume_of(setting.cluster));
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    cluster_.blocks.push_back(&blocks_.emplace_back(setting_, cluster_, rank).cta());
  }
}

void ClusterRunner::begin(std::int64_t index) {
  index_ = index;
  cluster_.pending.clear();
  cluster_.barrier = {};
  given_up_ = 0;
  const Dim3& grid = setting_.launch->grid;
  const Dim3& extent = setting_.cluster;
  const Dim3 at = unlinear(index, {grid.x / extent.x, grid.y / extent.y, grid.z / extent.z});
  for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
    const Dim3 in = unlinear(static_cast<std::int64_t>(rank), extent);
    const std::int64_t x = std::int64_t{at.x} * extent.x + in.x;
    const std::int64_t y = std::int64_t{at.y} * extent.y + in.y;
    const std::int64_t z = std::int64_t{at.z} * extent.z + in.z;
    blocks_[rank].begin((z * grid.y + y) * grid.x + x);
  }
}

bool ClusterRunner::finished() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const BlockRunner& block) { return block.finished(); });
}

Round ClusterRunner::pass() {
  Round round = Round::stuck;
  for (BlockRunner& block : blocks_) {
    if (!block.finished()) round = std::max(round, block.pass());
  }
  if (round == Round::moved) return round;
  return help(round) ? Round::moved : round == Round::polling && given_up_ >= kMostGivenUp ? Round::stuck : round;
}

void ClusterRunner::run(const std::atomic<std::int64_t>& failed) {
  while (!finished() && failed.load(std::memory_order_relaxed) >= index_) {
    if (pass() == Round::stuck) {
      tell_stuck();
      throw MachineFault(FaultKind::timeout, "deadlock: no warp can go on; " + waiting(), waiting_at());
    }
  }
}

bool ClusterRunner::run_to_effect(std::int64_t effects) {
  constexpr int kMostSteps = 1 << 16;
  const std::int64_t before = this->effects(), looks_before = looks();
  for (int step = 0; step < kMostSteps && this->effects() - before < effects; ++step) {
    Round round = Round::stuck;
    for (BlockRunner& block : blocks_)
      if (!block.finished()) round = std::max(round, block.step());
    if (finished() || looks() != looks_before) return false;
    if (round <= Round::polling && !help(round)) return false;
  }
  return this->effects() - before >= effects;
}

std::int64_t ClusterRunner::looks() const {
  std::int64_t looks = 0;
  for (const BlockRunner& block : blocks_) looks += block.looks();
  return looks;
}

/// Copies may be done at any time; as late as this only they are.
bool ClusterRunner::help(Round round) {
  if (!cluster_.pending.empty() && (perform_awaited() || perform_oldest())) return true;
  if (cluster_.changes != changes_) given_up_ = 0;
  changes_ = cluster_.changes;
  if (given_up_ >= kMostGivenUp) return false;
  ++given_up_;
  bool any = false;
  for (BlockRunner& block : blocks_) any |= block.give_up_waits();
  return any || round == Round::polling;
}

/// The oldest copies that complete on an mbarrier that somebody waits for, until one of them ends a phase: a reduction
/// through distributed shared memory has thousands of a few bytes to one mbarrier.
bool ClusterRunner::perform_awaited() {
  awaited_.clear();
  for (const BlockRunner& block : blocks_) block.awaited(awaited_);
  const auto is_awaited = [&](const BulkCopy& copy) {
    return copy.on_mbarrier && std::any_of(awaited_.begin(), awaited_.end(), [&](const SharedPlace& place) {
             return place.offset == copy.mbarrier && (copy.targets >> place.block->rank & 1) != 0;
           });
  };
  const std::uint64_t phases_before = cluster_.phases_ended;
  bool any = false;
  for (auto copy = cluster_.pending.begin();
       copy != cluster_.pending.end() && cluster_.phases_ended == phases_before;) {
    if (!is_awaited(*copy)) {
      ++copy;
      continue;
    }
    perform(cluster_, *copy);
    copy = cluster_.pending.erase(copy);
    any = true;
  }
  return any;
}

bool ClusterRunner::perform_oldest() {
  perform(cluster_, cluster_.pending.front());
  cluster_.pending.pop_front();
  return true;
}

const ptx::Instruction* ClusterRunner::waiting_at() const {
  for (const BlockRunner& block : blocks_)
    if (const ptx::Instruction* const at = block.waiting_at()) return at;
  return nullptr;
}

void ClusterRunner::tell_stuck() const {
  if (setting_.launch->sanitizer == nullptr) return;
  for (const BlockRunner& block : blocks_) block.tell_stuck();
}

void ClusterRunner::tell_spinning() const {
  for (const BlockRunner& block : blocks_) block.tell_spinning();
}

std::int64_t ClusterRunner::effects() const {
  auto sum = static_cast<std::int64_t>(cluster_.changes);
  for (const Cta* const block : cluster_.blocks) sum += block->effects;
  return sum;
}

std::uint64_t ClusterRunner::hash_state() const {
  std::uint64_t hash = cluster_.pending.size();
  for (const BlockRunner& block : blocks_) hash = hash * 0x9E3779B97F4A7C15u + block.hash_state();
  return hash;
}

std::string ClusterRunner::waiting() const {
  std::string text;
  for (const BlockRunner& block : blocks_) {
    if (block.finished()) continue;
    text += (text.empty() ? "" : "; ") + block.waiting();
  }
  return text;
}

}  // namespace kerlab::emu
