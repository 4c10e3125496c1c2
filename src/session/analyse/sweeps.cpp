#include "session/analyse/sweeps.h"

#include <algorithm>
#include <tuple>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "db/database.h"
#include "model/recording.h"
#include "session/run/device_class.h"
#include "session/run/modelled.h"
#include "session/run/prune.h"
#include "session/run/single.h"
#include "session/run/space.h"

namespace kerlab::session {
namespace {

namespace fs = std::filesystem;

/// "1965 to 1980 MHz".
struct ClockRange {
  double low = 0, high = 0;
  void see(double mhz) {
    if (mhz <= 0) return;
    low = low > 0 ? std::min(low, mhz) : mhz;
    high = std::max(high, mhz);
  }
};

}  // namespace

// Not in the nameless namespace: the frame of count_sweep holds one, and GCC warns of that where files are compiled
// together.
/// Compiles and runs the configurations of one sweep: compilers work ahead of the emulated device.
class SweepCounter {
 public:
  SweepCounter(RigOptions options, const Sweep& sweep)
      : rig_(options),
        variant_(find_variant(rig_.folder(), sweep.variant)),
        source_{&variant_, read_kernel_source(variant_)},
        setup_(prepare_problem(
            rig_.folder(),
            problem_for_device(rig_.folder(), request_of_key(rig_.folder().family, sweep.problem), rig_.device()),
            rig_.device())) {
    if (!rig_.device().counts_exactly)
      throw UsageError(fmt::format("{} is no emulated device: nothing is counted there", rig_.device().id));
    ProblemLoader(rig_, setup_, false).load();
  }

  Stepped<CountedSweep> count(const Sweep& sweep, std::size_t most) {
    CountedSweep counted{rig_.device(), model_ceilings(setup_.plan, rig_.device()), {}, false};
    counted.other_source = source_.source.hash != sweep.source;
    for (const SweepPoint& point : some_points(sweep, most))
      counted.points.push_back({point, {}, setup_.plan.minimum_us, ""});
    std::vector<TrialCandidate> candidates;
    std::vector<Compilation> compilations(counted.points.size());
    for (std::size_t i = 0; i < counted.points.size(); ++i)
      candidates.push_back(submit(counted.points[i], compilations[i]));
    co_yield fmt::format("{}: compiling {} configurations", sweep.name, candidates.size());
    std::size_t done = 0;
    while (std::ranges::any_of(compilations, [](const Compilation& one) { return bool(one); })) {
      rig_.compilers().step();
      for (std::size_t i = 0; i < compilations.size(); ++i) {
        if (!compilations[i].finished()) continue;
        co_yield fmt::format("{}: counting {} of {} configurations", sweep.name, ++done, candidates.size());
        CompileResult compiled = compilations[i].take();
        run(candidates[i], compiled, counted.points[i]);
      }
      end_interrupted_wait();
      rig_.wait(std::chrono::milliseconds(100));
    }
    co_return counted;
  }

 private:
  TrialCandidate submit(CountedPoint& point, Compilation& compilation) {
    const Configuration configuration = parse_configuration(variant_, point.measured.configuration);
    TrialCandidate candidate = make_candidate(rig_.folder().family, source_, 0, configuration, setup_.problem,
                                              rig_.device(), rig_.toolchain());
    point.problem_message = impossible_launch(rig_.device(), candidate.plan).message;
    if (point.problem_message.empty()) compilation = rig_.compilers().submit({source_.source, candidate.options});
    return candidate;
  }

  void run(TrialCandidate& candidate, CompileResult& compiled, CountedPoint& point) {
    if (compiled.status != CompileStatus::ok) {
      point.problem_message = compiled.message;
      return;
    }
    candidate.image = loadable_image(compiled, rig_.device());
    Protocol protocol;
    protocol.schedule = TimingSchedule{};
    protocol.deadline = generous_deadline(rig_, setup_, 1);
    const Evaluation ended = std::move(evaluate(rig_, setup_, {candidate}, std::move(protocol)).items.front());
    point.problem_message = ended.candidate.trial.message;
    if (!ended.counted.empty())
      point.launches =
          counted_work(ended.counted, ended.resources, setup_.plan, ended.candidate.predicted, rig_.device());
  }

  Rig rig_;
  const Variant& variant_;
  VariantSource source_;
  ProblemSetup setup_;
};

fs::path sweeps_folder() {
  return share_folder() / "tuning_db" / "sweeps";
}

fs::path spaces_folder() {
  return share_folder() / "tuning_db" / "spaces";
}

Sweep read_recording(const fs::path& file) {
  return parse_recording(read_text(file), file.string());
}

std::vector<Sweep> read_sweeps(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".txt") files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::vector<Sweep> sweeps;
  for (const fs::path& file : files) sweeps.push_back(parse_sweep(read_text(file), file.string()));
  return sweeps;
}

namespace {

/// Why a trial failed, in a few words: kinds of failure, not its figures.
std::string failure_of(const Trial& trial) {
  if (trial.status != TrialStatus::rejected) return std::string(name(trial.status));
  return trial.reason == TrialReason::shared_memory ? "shared memory" : std::string(name(trial.reason));
}

/// None: the trial has not ended, or what it took is not known.
std::optional<SweepPoint> point_of(const Trial& trial, const std::optional<Measurement>& measurement) {
  SweepPoint point{trial.configuration};
  if (!is_final(trial.status)) return {};
  if (trial.status != TrialStatus::passed) {
    point.failed = failure_of(trial);
    return point;
  }
  if (!measurement || measurement->clock != ClockKind::measured) return {};
  point.us = measurement->median_us;
  point.spills = static_cast<int>(trial.spill_bytes);
  point.twin = trial.reason == TrialReason::twin;
  return point;
}

struct Recording {
  Sweep sweep;
  ClockRange clock;
  std::size_t passed = 0;

  void add(const Trial& trial, const Database& database) {
    const bool timed = trial.status == TrialStatus::passed;
    const auto measurement = timed ? database.latest_measurement(trial.id, TimingStage::screen) : std::nullopt;
    auto point = point_of(trial, measurement);
    if (!point) return;
    sweep.points.push_back(std::move(*point));
    if (!timed) return;
    ++passed;
    sweep.driver = measurement->driver;
    sweep.toolchain = trial.toolchain;
    sweep.date = std::max(sweep.date, measurement->created);
    clock.see(measurement->sm_clock_mhz);
  }
};

}  // namespace

std::vector<Sweep> recorded_sweeps(const Database& database, std::size_t least) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Recording> found;
  for (const Trial& trial : database.trials_of("")) {
    if (!stored_capabilities(trial.device_kind).is_hardware) continue;
    Recording& recording = found[{trial.family, trial.variant, trial.problem, trial.source_hash}];
    recording.sweep.family = trial.family;
    recording.sweep.variant = trial.variant;
    recording.sweep.problem = trial.problem;
    recording.sweep.source = trial.source_hash;
    recording.sweep.device = trial.device_class;
    recording.add(trial, database);
  }
  std::map<std::string, Sweep> newest;  // by name: of a kernel that has changed, what was measured last
  for (auto& [key, recording] : found) {
    Sweep& sweep = recording.sweep;
    if (recording.passed == 0 || sweep.points.size() < least) continue;
    sweep.clock = fmt::format("{:.0f} to {:.0f} MHz", recording.clock.low, recording.clock.high);
    sweep.name = sweep_name(sweep);
    sort_points(sweep);
    Sweep& kept = newest[sweep.name];
    if (sweep.date > kept.date) kept = std::move(sweep);
  }
  std::vector<Sweep> sweeps;
  for (auto& [name, sweep] : newest) {
    sweep.date.resize(10);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

Stepped<CountedSweep> count_sweep(RigOptions options, const Sweep& sweep, std::size_t most) {
  options.target = sweep.family;
  co_yield fmt::format("{}: starting {}", sweep.name, options.device);
  SweepCounter counter(options, sweep);
  auto counting = counter.count(sweep, most);
  while (counting.step()) co_yield counting.doing();
  co_return counting.take();
}

std::string counted_text(const Sweep& sweep, const CountedSweep& counted) {
  const DeviceInfo& device = counted.device;
  std::string text =
      fmt::format("sweep {} {}\ndevice {} {} {} {} {} {} {} {}\n", sweep.name, sweep.fitted ? "fitted" : "held_out",
                  device.sms, device.clock_mhz, device.l2_bytes, device.compute_capability(), device.fp64_ratio,
                  device.shared_per_sm, counted.ceilings.bytes_per_s, counted.ceilings.flops_per_s);
  for (const CountedPoint& point : counted.points) {
    if (point.launches.empty()) continue;
    text += fmt::format("point {} {} {}\n", point.measured.us, point.minimum_us, point.measured.configuration);
    for (const CountedWork& w : point.launches) {
      const Counts& c = w.counts;
      text += fmt::format(
          "launch {} {} {} {} {} {} {} {} {} {} {} {}\npipeline {} {} {} {} {} {} {} {}\ncounts {} {} {} {} {} {} {} "
          "{} {} {} {} {} {} {}\n",
          w.threads, w.blocks, w.blocks_run, w.blocks_per_sm, w.shared_bytes, w.registers, w.dram_bytes,
          w.traffic.touched, w.traffic.first, w.traffic.again, w.traffic.written, w.weight, w.cluster,
          w.pipeline.blocks, w.pipeline.expected, w.pipeline.most_expected, w.pipeline.waits, w.pipeline.unfinished,
          w.pipeline.most_products, w.pipeline.least_products, fmt::join(c.warp_instructions, " "), c.flops,
          c.tensor_flops, c.global_load_bytes, c.global_store_bytes, c.global_requests, c.global_sectors,
          c.shared_load_bytes, c.shared_store_bytes, c.shared_requests, c.shared_wavefronts, c.local_bytes, c.atomics,
          c.barriers);
      for (const Stretch& s : w.stretches)
        text += fmt::format("stretch {} {} {} {} {} {} {} {} {}\n", s.executions, s.instructions, s.chain, s.loads,
                            s.awaited.value_or(-1), s.pending.value_or(-1), s.commits, s.held, s.fetched);
    }
  }
  return text;
}

namespace {

double modelled_us(const CountedSweep& counted, const CountedPoint& point) {
  double us = 0;
  for (const CountedWork& work : point.launches) us += model_launch(counted.device, counted.ceilings, work).us;
  return us;
}

}  // namespace

ModelledSweep model_sweep(const CountedSweep& counted) {
  ModelledSweep sweep;
  for (const CountedPoint& point : counted.points) {
    if (point.launches.empty()) continue;
    const double us = modelled_us(counted, point);
    sweep.measured.push_back(point.measured.us);
    sweep.modelled.push_back(std::max(us, point.minimum_us));
  }
  return sweep;
}

Stepped<std::vector<StepRatio>> step_ratios(RigOptions options, const Sweep& sweep, std::size_t anchors) {
  std::vector<StepRatio> ratios;
  std::vector<PointPair> pairs = step_pairs(sweep, anchors);
  if (pairs.empty()) co_return ratios;
  const Sweep steps = only_steps(sweep, pairs);
  auto counting = count_sweep(std::move(options), steps, 0);
  while (counting.step()) co_yield counting.doing();
  const CountedSweep counted = counting.take();
  for (const auto& [first, second] : pairs) {
    const CountedPoint &from = counted.points[first], &to = counted.points[second];
    if (from.launches.empty() || to.launches.empty()) continue;
    ratios.push_back({to.measured.us / from.measured.us, modelled_us(counted, to) / modelled_us(counted, from)});
  }
  co_return ratios;
}

}  // namespace kerlab::session
