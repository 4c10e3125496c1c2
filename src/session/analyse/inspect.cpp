#include "session/analyse/inspect.h"

#include <algorithm>
#include <map>

#include "plan/counters.h"
#include "session/find/kernel_home.h"
#include "session/find/problem_bottleneck.h"
#include "session/find/problem_words.h"
#include "session/find/source_text.h"
#include "session/run/count_operations.h"
#include "session/run/device_ids.h"
#include "session/run/modelled.h"

namespace kerlab::session {

namespace {

std::vector<int> extents(const Dim3& dimensions) {
  return {static_cast<int>(dimensions.x), static_cast<int>(dimensions.y), static_cast<int>(dimensions.z)};
}

const KernelResources& resources_of(const std::vector<KernelResources>& resources, const std::string& kernel) {
  static const KernelResources kNone;
  const auto at = std::ranges::find(resources, kernel, &KernelResources::kernel);
  return at == resources.end() ? kNone : *at;
}

/// The launch of the plan that a counted one was.
const Launch* planned(const LaunchPlan& plan, const CountedLaunch& counted) {
  const auto same = [&](const Launch& launch) {
    return launch.kernel == counted.kernel && launch.grid == counted.grid && launch.block == counted.block;
  };
  const auto at = std::ranges::find_if(plan.launches, same);
  return at == plan.launches.end() ? nullptr : &*at;
}

LaunchInspection inspect_launch(const CountedLaunch& counted, const Evaluation& result, SourceText& source,
                                const DeviceInfo& device, ModelledTime time, const CountedWork& work) {
  const KernelResources& resources = resources_of(result.resources, counted.kernel);
  LaunchInspection launch;
  launch.work = work;
  launch.kernel = counted.kernel;
  launch.grid = extents(counted.grid);
  launch.block = extents(counted.block);
  const Launch* plan = planned(result.candidate.plan, counted);
  if (plan != nullptr) {
    if (plan->cluster != Dim3{}) launch.cluster = extents(plan->cluster);
    launch.programmatic = plan->programmatic;
    launch.carveout = plan->carveout;
  }
  launch.registers = resources.registers;
  launch.spill_bytes = resources.spill_bytes;
  launch.shared_bytes = resources.static_shared + static_cast<int>(counted.dynamic_shared);
  launch.occupancy = occupancy(device, static_cast<int>(launch.work.threads), resources.registers, launch.shared_bytes,
                               launch.carveout);
  launch.waves = waves_of(counted.blocks, std::int64_t{launch.occupancy.blocks} * device.sms);
  launch.counts = scaled(counted.counts, counted.blocks, counted.blocks_run);
  launch.time = std::move(time);
  launch.dram_bytes = work.dram_bytes;
  launch.instructions = counted.lines;
  launch.lines = by_source_line(counted.lines);
  for (SourceLine& line : launch.lines) line.source = source.line(line.line);
  launch.resident = occupancy_of_grid(launch.occupancy, counted.blocks, device);
  launch.bottleneck = launch_bottleneck(launch.time, work, launch.resident, device);
  launch.remarks = remarks_on(launch, device);
  return launch;
}

/// Plans repeat launches: one stands for all that are alike.
LaunchInspection* alike(std::vector<LaunchInspection>& launches, const CountedLaunch& counted) {
  const auto same = [&](const LaunchInspection& launch) {
    return launch.kernel == counted.kernel && launch.grid == extents(counted.grid) &&
           launch.block == extents(counted.block);
  };
  const auto at = std::ranges::find_if(launches, same);
  return at == launches.end() ? nullptr : &*at;
}

Evaluation count(Rig& rig, const ProblemSetup& setup, const Subject& subject) {
  SingleOptions single;
  single.schedule = TimingSchedule{};
  single.count_lines = true;
  single.line_info = true;
  single.deadline = generous_deadline(rig, setup, 1);
  return run_single(rig, setup, subject.source, subject.configuration, single);
}

}  // namespace

std::string counting_text(const Subject& subject, const DeviceInfo& device) {
  return fmt::format("compiling and counting {} on {}", subject.source.variant->name, device.id);
}

std::vector<StoredTime> stored_times(const Trial& like, const Database& database) {
  std::map<std::string, StoredTime> newest;
  for (const Trial& trial : database.trials_of(like.family)) {
    const bool same =
        trial.problem == like.problem && trial.variant == like.variant && trial.configuration == like.configuration;
    if (!same || trial.status != TrialStatus::passed) continue;
    for (Measurement& measurement : database.measurements(trial.id)) {
      StoredTime& known = newest[trial.device_class];
      if (known.trial == 0 || measurement.created >= known.measurement.created)
        known = {trial.id, trial.device_class, std::move(measurement)};
    }
  }
  std::vector<StoredTime> times;
  for (auto& [device_class, time] : newest) times.push_back(std::move(time));
  return times;
}

Stepped<Inspection> inspect(InspectOptions options, const Database* database) {
  auto inspecting = inspect_as_far_as_possible(std::move(options), database);
  while (inspecting.step()) co_yield inspecting.doing();
  Inspection inspection = inspecting.take();
  // A modelled time may be below the roof: nothing was measured, and the counts stand.
  if (inspection.launches.empty()) throw Error(ending_text(inspection.trial));
  co_return inspection;
}

Stepped<Inspection> inspect_as_far_as_possible(InspectOptions options, const Database* database) {
  const KernelHome home(options.subject, options.rig.kernels, database);
  const auto trial = options.subject.trial > 0 ? database->trial(options.subject.trial) : std::nullopt;
  if (trial && !options.rig.device.starts_with("emu:")) options.rig.device = emulated_twin(*trial);
  options.rig.device = inspecting_device(options.rig.device);
  options.rig.jobs = 2;  // the kernel and lab.cu
  co_yield "starting " + options.rig.device;
  Rig rig(options.rig, home.folder());
  take_problem_words(options.subject, options.arguments, rig.folder().family);
  Subject subject = home.said_readably([&] {
    return resolve_subject(options.subject, options.arguments, options.dtype, rig.folder(), rig.device(), database);
  });
  subject.how += home.suffix();
  announce_completion(subject.source.variant->name, subject.completion);
  ProblemSetup setup = prepare_problem(rig.folder(), subject.problem, rig.device());
  co_yield "preparing " + subject.problem.title();
  ProblemLoader(rig, setup, false).load();
  co_yield counting_text(subject, rig.device());
  Inspection inspection = inspect_subject(rig, setup, subject, database);
  inspection.source.path = home.readable(std::move(inspection.source.path));
  inspection.trial.message = home.readable(std::move(inspection.trial.message));
  co_return inspection;
}

Inspection inspect_subject(Rig& rig, const ProblemSetup& setup, const Subject& subject, const Database* database) {
  Evaluation result = count(rig, setup, subject);
  std::erase_if(result.counted, is_fill);

  Inspection inspection;
  inspection.trial = result.candidate.trial;
  inspection.start = result.candidate.plan.start;
  inspection.trial.id = subject.trial ? subject.trial->id : 0;
  inspection.title = subject.problem.title();
  inspection.how = subject.how;
  inspection.note = subject.note;
  inspection.completion = subject.completion;
  inspection.device = rig.device().id;
  inspection.flops = setup.plan.flops;
  inspection.bytes = setup.plan.bytes;
  inspection.cost_from_data = setup.cost_from_data();
  inspection.roof_us = theoretical_roof(subject.problem, setup.plan, rig.device()).minimum_us;
  std::vector<ModelledTime> times =
      model_launches(result.counted, result.resources, setup.plan, result.candidate.predicted, rig.device());
  const std::vector<CountedWork> works =
      counted_work(result.counted, result.resources, setup.plan, result.candidate.predicted, rig.device());
  SourceText text(subject.source.source);
  for (std::size_t i = 0; i < result.counted.size(); ++i) {
    inspection.modelled_us += times[i].us;
    inspection.start_us += times[i].start_us;
    ++inspection.started;
    if (LaunchInspection* known = alike(inspection.launches, result.counted[i])) {
      ++known->times;
      continue;
    }
    inspection.launches.push_back(
        inspect_launch(result.counted[i], result, text, rig.device(), std::move(times[i]), works[i]));
  }
  inspection.source = subject.source.source;
  if (database != nullptr) inspection.stored = stored_times(inspection.trial, *database);
  if (const auto rows = row_shape(rig.folder().family, subject.problem)) {
    const Ceilings ceilings = model_ceilings(setup.plan, rig.device());
    for (LaunchInspection& launch : inspection.launches)
      launch.bottleneck = row_launch_bottleneck(*rows, launch, rig.device(), ceilings);
  }
  return inspection;
}

}  // namespace kerlab::session
