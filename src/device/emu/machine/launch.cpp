// A launch: which clusters of blocks run where, and what comes of them. Results are the same from run to run and with
// any number of threads: independent clusters write different memory, all others run in one fixed order on one thread.

#include <fmt/format.h>

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "device/emu/machine/chain.h"
#include "device/emu/machine/cluster_runner.h"
#include "device/emu/machine/hold_back.h"
#include "device/emu/machine/line_counts.h"
#include "device/emu/machine/place.h"
#include "device/emu/machine/pressure.h"
#include "device/emu/machine/progress.h"
#include "device/emu/machine/ranges.h"
#include "device/emu/machine/schedule.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

constexpr std::int64_t kNone = INT64_MAX;

std::int64_t volume(const Dim3& d) {
  return std::int64_t{d.x} * d.y * d.z;
}

/// The fault of the lowest cluster that failed.
class FirstFault {
 public:
  void offer(std::int64_t cluster, std::exception_ptr fault) {
    const std::lock_guard lock(mutex_);
    if (cluster >= cluster_.load()) return;
    cluster_ = cluster;
    fault_ = std::move(fault);
  }
  [[nodiscard]] const std::atomic<std::int64_t>& cluster() const { return cluster_; }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::int64_t> cluster_{kNone};
  std::exception_ptr fault_;
};

/// Of a block, on every GPU so far (CUDA C++ Programming Guide, compute capabilities).
constexpr std::int64_t kMostThreads = 1024;

/// The clusters of these blocks, each once, in the order of their first block.
std::vector<std::int64_t> clusters_of(const std::vector<std::int64_t>& blocks, const Dim3& grid, const Dim3& extent) {
  std::vector<std::int64_t> clusters;
  std::set<std::int64_t> known;
  for (const std::int64_t block : blocks) {
    const Dim3 at = unlinear(block, grid);
    const std::int64_t row = std::int64_t{at.z / extent.z} * (grid.y / extent.y) + at.y / extent.y;
    const std::int64_t cluster = row * (grid.x / extent.x) + at.x / extent.x;
    if (known.insert(cluster).second) clusters.push_back(cluster);
  }
  return clusters;
}

class Launch {
 public:
  explicit Launch(const MachineLaunch& launch) : launch_(launch), program_(*launch.program) {
    extent_ = cluster_extent(program_, launch.grid, launch.cluster);
    if (!launch.blocks.empty()) clusters_ = clusters_of(launch.blocks, launch.grid, extent_);
    total_ =
        launch.blocks.empty() ? volume(launch.grid) / volume(extent_) : static_cast<std::int64_t>(clusters_.size());
    threads_ = !launch.sanitize && program_.communication == ptx::Communication::none && !program_.prints
                   ? static_cast<int>(std::clamp<std::int64_t>(launch.threads, 1, std::max<std::int64_t>(total_, 1)))
                   : 1;
    state_.memory = launch.memory;
    state_.parameters = launch.parameters.data();
    state_.parameter_bytes = static_cast<std::int64_t>(launch.parameters.size());
    state_.grid = launch.grid;
    state_.block = launch.block;
    state_.parallel = threads_ > 1;
    state_.count = launch.count;
    state_.record_writes = launch.record_writes;
    state_.files = program_.files;
    state_.grid_workspace = launch.grid_workspace;
    state_.parts_active = launch.parts_active;
    if (launch.sanitize) {
      sanitizer_.emplace(program_, *launch.memory, launch.grid, extent_, launch.before);
      state_.sanitizer = &*sanitizer_;
    }
    setting_ = {&program_,
                &state_,
                extent_,
                launch.dynamic_shared,
                launch.instruction_budget,
                &launch.print,
                launch.multiprocessors,
                launch.kept_shared,
                launch.impatient,
                launch.last_warp_first};
  }

  LaunchReport run() {
    if (launch_.kept_shared != nullptr) launch_.kept_shared->begin_launch(launch_.resident_blocks);
    run_blocks();
    if (launch_.kept_shared != nullptr) launch_.kept_shared->end_launch();
    if (sanitizer_) {
      sanitizer_->end_launch();
      if (launch_.after != nullptr) sanitizer_->leave_behind(*launch_.after);
      report_.findings = sanitizer_->take();
    }
    if (launch_.count) {
      sums_.blocks.resize(program_.profiles.size());
      sums_.counted.resize(program_.counted_ops.size());
      sums_.costs.resize(program_.kernel->instructions.size());
      add_instructions();
      add_stretches();
      report_.lines = line_counts(program_, sums_);
    }
    report_.emulated = true;
    report_.blocks = volume(launch_.grid);
    report_.blocks_run = total_ * volume(extent_);
    merge(report_.written);
    return std::move(report_);
  }

 private:
  /// A fault ends the launch; where it is watched it is a finding.
  void run_blocks() {
    try {
      run_all();
    } catch (const MachineFault& fault) {
      if (!sanitizer_) throw;
      sanitizer_->fault(fault);
      report_.faulted = true;
    }
  }

  void run_all() {
    if (program_.communication == ptx::Communication::communicating) {
      run_together();
    } else if (threads_ == 1) {
      run_share();
    } else {
      std::vector<std::jthread> threads;
      for (int t = 1; t < threads_; ++t) threads.emplace_back([this] { run_share(); });
      run_share();
    }
    first_fault_.rethrow();
  }

  [[nodiscard]] std::int64_t cluster_at(std::int64_t i) const {
    return launch_.blocks.empty() ? i : clusters_[static_cast<std::size_t>(i)];
  }

  /// The clusters of one thread: the next one that nobody has begun.
  void run_share() {
    std::int64_t cluster = -1;
    try {
      ClusterRunner runner(setting_);
      for (std::int64_t i = next_++; i < total_; i = next_++) {
        cluster = cluster_at(i);
        if (first_fault_.cluster().load(std::memory_order_relaxed) < cluster) break;
        runner.begin(cluster);
        runner.run(first_fault_.cluster());
      }
      add(runner);
    } catch (...) {
      first_fault_.offer(cluster, std::current_exception());
    }
  }

  /// Of those that run together: the i-th to begin.
  [[nodiscard]] std::int64_t beginning(std::int64_t i) const {
    return cluster_at(launch_.first_begins_last ? (i + 1) % total_ : i);
  }

  /// How many of them run at once.
  [[nodiscard]] std::int64_t room() const {
    const std::int64_t fit = std::max<std::int64_t>(launch_.resident_blocks / volume(extent_), 1);
    const std::int64_t most = launch_.resident_blocks > 0 ? std::min(fit, total_) : total_;
    return launch_.first_begins_last ? std::clamp<std::int64_t>(total_ - 1, 1, std::max<std::int64_t>(most, 1)) : most;
  }

  /// Blocks that wait for each other: as many clusters as fit, each warp in turn. The next one begins when one ends, in
  /// ascending order, which every GPU keeps though none promises it. When all wait in vain and others have not begun,
  /// the sanitizer has these begin too, and sees who writes what is waited for.
  void run_together() {
    std::deque<ClusterRunner> runners;
    std::vector<ClusterRunner*> running;
    ScheduleOrder order(launch_.schedule);
    ProgressWatch watch;
    std::int64_t begun = 0;
    const auto begin = [&](std::int64_t more) {
      for (const std::int64_t end = std::min(begun + more, total_); begun < end; ++begun) {
        running.push_back(&runners.emplace_back(setting_));
        running.back()->begin(beginning(begun));
      }
      watch.restart();
    };
    begin(room());
    if (launch_.hold_back) HoldBack::apply(running, *launch_.hold_back);
    while (!running.empty()) {
      bool moved = false;
      for (const std::size_t r : order.next(running.size())) moved |= running[r]->pass() != Round::stuck;
      if (!moved || watch.stands_still(running)) {
        if (moved && sanitizer_ && begun < total_) {
          for (const ClusterRunner* cluster : running) cluster->tell_spinning();
          sanitizer_->others_begin();
          begin(static_cast<std::int64_t>(running.size()));
          continue;
        }
        for (const ClusterRunner* cluster : running) cluster->tell_stuck();
        throw MachineFault(FaultKind::timeout, deadlock(running, moved, begun), running.front()->waiting_at());
      }
      for (std::size_t r = 0; r < running.size();) {
        if (!running[r]->finished()) {
          ++r;
          continue;
        }
        if (begun < total_) {
          running[r]->begin(beginning(begun++));
        } else {
          running.erase(running.begin() + static_cast<std::ptrdiff_t>(r));
        }
        watch.restart();
      }
    }
    for (ClusterRunner& runner : runners) add(runner);
  }

  [[nodiscard]] std::string deadlock(const std::vector<ClusterRunner*>& running, bool spinning,
                                     std::int64_t begun) const {
    const char* const what = volume(extent_) > 1 ? "clusters" : "blocks";
    std::string text =
        spinning ? "deadlock: who runs waits for memory that nobody changes any more" : "deadlock: no warp can go on";
    for (std::size_t r = 0; r < running.size() && r < 4; ++r) text += "; " + running[r]->waiting();
    if (running.size() > 4) text += fmt::format("; and {} {} more", running.size() - 4, what);
    if (begun < total_)
      text += fmt::format("; {} of {} {} have not begun: there is room for them when others have ended", total_ - begun,
                          total_, what);
    return text;
  }

  void add(ClusterRunner& cluster) {
    const std::lock_guard lock(report_mutex_);
    for (BlockRunner& block : cluster.blocks()) add(block);
  }

  void add(BlockRunner& runner) {
    report_.counts += runner.cta().counts;
    report_.traffic += runner.cta().reuse.traffic();
    if (launch_.count) report_.pipeline += runner.cta().pipeline.pipeline();
    if (launch_.count) sums_.add(runner, runner.cta());
    report_.written.insert(report_.written.end(), runner.cta().written.begin(), runner.cta().written.end());
  }

  void add_code(std::int32_t index, std::vector<const ptx::Instruction*>& code) const {
    if (index < 0 || index >= static_cast<std::int32_t>(program_.blocks.size())) return;
    const Block& block = program_.blocks[static_cast<std::size_t>(index)];
    for (const Op* op = block.begin; op != block.end; ++op) code.push_back(op->instruction);
    if (block.op != nullptr) code.push_back(block.op->instruction);
  }

  /// One for each block of the program that was executed.
  void add_stretches() {
    const RegisterPressure pressure(*program_.kernel);
    std::vector<const ptx::Instruction*> code, after;
    for (std::size_t b = 0; b < sums_.blocks.size(); ++b) {
      if (sums_.blocks[b].warps == 0) continue;
      const Block& block = program_.blocks[b];
      code.clear();
      after.clear();
      add_code(static_cast<std::int32_t>(b), code);
      add_code(block.next, after);
      if (block.taken != block.next) add_code(block.taken, after);
      const auto& issued = program_.profiles[b].issued;
      const std::int32_t instructions = block.instructions - issued[static_cast<std::size_t>(Pipe::move)];
      Stretch& stretch = report_.stretches.emplace_back();
      stretch.executions = sums_.blocks[b].warps;
      stretch.instructions = instructions;
      measure_chain(*program_.kernel, code, after, stretch);
      pressure.measure(code, stretch);
    }
  }

  void add_instructions() {
    Counts& counts = report_.counts;
    for (std::size_t b = 0; b < program_.profiles.size(); ++b) {
      const BlockProfile& profile = program_.profiles[b];
      const Executions& done = sums_.blocks[b];
      for (std::size_t p = 0; p < kPipes; ++p) {
        counts.warp_instructions[p] += done.warps * profile.issued[p];
        counts.lane_instructions[p] += done.lanes * profile.by_lane[p];
      }
      counts.flops += done.lanes * profile.flops;
      counts.tensor_flops += done.warps * profile.tensor_flops;
    }
    for (std::size_t c = 0; c < program_.counted_ops.size(); ++c) {
      const CountedOp& op = program_.counted_ops[c];
      const Executions& done = sums_.counted[c];
      const auto pipe = static_cast<std::size_t>(op.pipe);
      if (!op.issued_with_block) counts.warp_instructions[pipe] += done.warps;
      counts.lane_instructions[pipe] += done.lanes;
      counts.flops += done.lanes * op.flops;
      counts.tensor_flops += done.warps * op.tensor_flops;
    }
  }

  const MachineLaunch& launch_;
  const Program& program_;
  LaunchState state_;
  std::optional<Sanitizer> sanitizer_;
  BlockSetting setting_;
  Dim3 extent_;                         ///< of a cluster, in blocks
  std::vector<std::int64_t> clusters_;  ///< to execute, when not all
  std::int64_t total_ = 0;              ///< clusters to execute
  int threads_ = 1;
  std::atomic<std::int64_t> next_{0};
  FirstFault first_fault_;
  std::mutex report_mutex_;
  LaunchReport report_;
  ExecutionSums sums_;
};

}  // namespace

LaunchReport run(const MachineLaunch& launch) {
  const Dim3& block = launch.block;
  const bool empty = block.x == 0 || block.y == 0 || block.z == 0;
  if (empty || block.x > kMostThreads || block.y > kMostThreads || block.z > 64 || volume(block) > kMostThreads) {
    throw Error(fmt::format("kernel '{}': a block of {}x{}x{} threads; from 1 to {} can be launched (z up to 64)",
                            launch.program->kernel->name, block.x, block.y, block.z, kMostThreads));
  }
  return Launch(launch).run();
}

}  // namespace kerlab::emu
