#include "session/analyse/what_if.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/inspection.h"
#include "model/waves.h"
#include "plan/occupancy.h"
#include "session/analyse/timed_ratio.h"
#include "session/run/compile_ahead.h"
#include "session/run/modelled.h"

namespace kerlab::session {
namespace {

constexpr double kWellFilled = 0.9;      // of the places of all waves
constexpr std::ptrdiff_t kFarthest = 3;  // that a second parameter moves, in listed values

std::int64_t blocks_of(const LaunchPlan& plan) {
  std::int64_t blocks = 0;
  for (const Launch& launch : plan.launches) blocks += std::int64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  return blocks;
}

template <typename Value>
bool differ(const LaunchPlan& a, const LaunchPlan& b, Value value) {
  return !std::ranges::equal(a.launches, b.launches, {}, value, value);
}

StepKind kind_of(const LaunchPlan& from, const LaunchPlan& to) {
  if (differ(from, to, &Launch::grid)) return StepKind::tile;
  if (differ(from, to, &Launch::block)) return StepKind::threads;
  if (differ(from, to, &Launch::dynamic_shared)) return StepKind::stage;
  return StepKind::other;
}

/// With one other parameter moved as little as makes it valid; none: no small move of a single one does.
std::optional<Configuration> with_another(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                          const Configuration& from, std::size_t parameter) {
  for (std::ptrdiff_t distance = 1; distance <= kFarthest; ++distance) {
    for (std::size_t other = 0; other < variant.parameters.size(); ++other) {
      if (other == parameter) continue;
      std::vector<std::int64_t> values = variant.parameters[other].values;
      std::ranges::sort(values);
      const std::ptrdiff_t at = std::ranges::find(values, from.values[other]) - values.begin();
      for (const std::ptrdiff_t place : {at - distance, at + distance}) {
        if (place < 0 || place >= std::ssize(values)) continue;
        Configuration next = from;
        next.values[other] = values[static_cast<std::size_t>(place)];
        if (violated_constraint(variant, problem, device, next).empty()) return next;
      }
    }
  }
  return std::nullopt;
}

/// The nearest value above or below that a valid configuration has; where none has, the nearest one, with another
/// parameter that makes it valid.
std::optional<Configuration> next_valid(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                        const Configuration& from, std::size_t parameter, bool up) {
  std::vector<std::int64_t> values = variant.parameters[parameter].values;
  std::ranges::sort(values);
  if (!up) std::ranges::reverse(values);
  const std::int64_t now = from.values[parameter];
  std::erase_if(values, [&](std::int64_t value) { return up ? value <= now : value >= now; });
  for (const std::int64_t value : values) {
    Configuration next = from;
    next.values[parameter] = value;
    if (violated_constraint(variant, problem, device, next).empty()) return next;
  }
  if (values.empty()) return std::nullopt;
  Configuration next = from;
  next.values[parameter] = values.front();
  return with_another(variant, problem, device, next, parameter);
}

/// "MIN_BLOCKS 1": what besides the step's own parameter differs.
std::string others_of(const Variant& variant, const Configuration& from, const Step& step) {
  std::string text;
  for (std::size_t i = 0; i < variant.parameters.size(); ++i)
    if (i != step.parameter && step.configuration.values[i] != from.values[i])
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", variant.parameters[i].name,
                          value_text(variant.parameters[i], step.configuration.values[i]));
  return text;
}

/// Kinds in the order in which they promise something.
std::vector<StepKind> order_of_kinds(const LaunchInspection& launch, const DeviceInfo& device) {
  const WaveFill fill = wave_fill(launch.work.blocks, std::int64_t{launch.occupancy.blocks} * device.sms);
  const bool uneven = launch.work.blocks < device.sms || (fill.waves > 1 && fill.efficiency < kWellFilled);
  if (launch.bottleneck.name == kLatency && !uneven)
    return {StepKind::stage, StepKind::tile, StepKind::threads, StepKind::other};
  return {StepKind::tile, StepKind::stage, StepKind::threads, StepKind::other};
}

/// Fills in what a run of a neighbour told.
void take(WhatIf& what, Evaluation result, const ProblemSetup& setup, const DeviceInfo& device, double from_us) {
  std::erase_if(result.counted, is_fill);
  if (result.counted.empty()) {
    what.failure = fmt::format("{}: {}", name(result.candidate.trial.status), result.candidate.trial.message);
    return;
  }
  const std::vector<ModelledTime> times =
      model_launches(result.counted, result.resources, setup.plan, result.candidate.predicted, device);
  const std::vector<CountedWork> works =
      counted_work(result.counted, result.resources, setup.plan, result.candidate.predicted, device);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    what.us += times[i].us;
    if (times[i].us > times[longest].us) longest = i;
  }
  const CountedWork& work = works[longest];
  const Occupancy fits =
      occupancy(device, static_cast<int>(work.threads), work.registers, static_cast<int>(work.shared_bytes));
  what.ratio = from_us > 0 ? what.us / from_us : 0;
  what.registers = work.registers;
  what.shared_bytes = static_cast<int>(work.shared_bytes);
  what.spill_bytes = static_cast<int>(result.candidate.trial.spill_bytes);
  what.blocks_per_sm = fits.blocks;
  const Occupancy resident = occupancy_of_grid(fits, work.blocks, device);
  what.occupancy = resident.fraction;
  what.waves = waves_of(work.blocks, std::int64_t{fits.blocks} * device.sms).waves;
  what.bottleneck = launch_bottleneck(times[longest], work, resident, device).name;
}

/// So that they are compiled side by side, and found in the cache.
CompileAhead compile_all(Rig& rig, const ProblemSetup& setup, const Subject& subject, const std::vector<Step>& steps) {
  std::vector<CompileRequest> requests;
  for (const Step& step : steps) {
    const TrialCandidate candidate = make_candidate(rig.folder().family, subject.source, 0, step.configuration,
                                                    setup.problem, rig.device(), rig.toolchain());
    if (impossible_launch(rig.device(), candidate.plan).passed())
      requests.push_back({subject.source.source, candidate.options});
  }
  return CompileAhead(rig, std::move(requests));
}

}  // namespace

const LaunchInspection& heaviest(const Inspection& inspection) {
  return *std::ranges::max_element(inspection.launches, {},
                                   [](const LaunchInspection& launch) { return launch.time.us * launch.times; });
}

std::vector<Step> steps_from(const Family& family, const Variant& variant, const Problem& problem,
                             const DeviceInfo& device, const Configuration& configuration) {
  const LaunchPlan from = instantiate(family, variant, problem, configuration, device).plan;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < variant.parameters.size(); ++i) {
    for (const bool up : {true, false}) {
      const auto next = next_valid(variant, problem, device, configuration, i, up);
      if (!next) continue;
      const LaunchPlan to = instantiate(family, variant, problem, *next, device).plan;
      steps.push_back({i, up, *next, kind_of(from, to), blocks_of(to)});
    }
  }
  return steps;
}

std::vector<Step> most_telling(std::vector<Step> steps, const Variant& variant, const Inspection& from,
                               const DeviceInfo& device, const std::vector<std::string>& timed, std::size_t most) {
  if (from.launches.empty()) return {};
  const LaunchInspection& launch = heaviest(from);
  const std::vector<StepKind> kinds = order_of_kinds(launch, device);
  const bool idle = launch.work.blocks < device.sms;
  const auto is_timed = [&](const Step& step) {
    return std::ranges::count(timed, configuration_text(variant, step.configuration)) > 0;
  };
  if (idle) std::ranges::stable_sort(steps, std::ranges::greater{}, &Step::blocks);
  std::map<std::size_t, std::size_t> turns;  // of each parameter
  std::vector<std::tuple<bool, std::size_t, std::ptrdiff_t, std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < steps.size(); ++i)
    order.emplace_back(!is_timed(steps[i]), turns[steps[i].parameter]++,
                       std::ranges::find(kinds, steps[i].kind) - kinds.begin(), steps[i].parameter, i);
  std::ranges::sort(order);
  std::vector<Step> chosen;
  for (const auto& place : order)
    if (chosen.size() < most) chosen.push_back(steps[std::get<4>(place)]);
  return chosen;
}

Stepped<std::vector<WhatIf>> what_if(Rig& rig, const ProblemSetup& setup, const Subject& subject,
                                     const Inspection& from, const Database* database, std::size_t most,
                                     bool use_cache) {
  std::vector<WhatIf> list;
  if (most == 0 || from.launches.empty()) co_return list;
  const Variant& variant = *subject.source.variant;
  const TimedRatios timed(from.trial, database);
  const std::vector<Step> steps =
      most_telling(steps_from(rig.folder().family, variant, setup.problem, rig.device(), subject.configuration),
                   variant, from, rig.device(), timed.configurations(), most);
  CompileAhead ahead = use_cache ? compile_all(rig, setup, subject, steps) : CompileAhead();
  const std::size_t all = ahead.left();
  while (ahead.step()) co_yield fmt::format("compiling {} of {} neighbours", all - ahead.left() + 1, all);
  SingleOptions single;
  single.schedule = TimingSchedule{};
  single.deadline = generous_deadline(rig, setup, 1);
  for (const Step& step : steps) {
    WhatIf& what = list.emplace_back();
    co_yield fmt::format("counting {} of {} neighbours", list.size(), steps.size());
    what.parameter = variant.parameters[step.parameter].name;
    what.from = subject.configuration.values[step.parameter];
    what.to = step.configuration.values[step.parameter];
    if (const Parameter& moved = variant.parameters[step.parameter]; !moved.words.empty()) {
      what.from_text = value_text(moved, what.from);
      what.to_text = value_text(moved, what.to);
    }
    what.others = others_of(variant, subject.configuration, step);
    what.configuration = configuration_text(variant, step.configuration);
    what.typed = short_configuration(variant, setup.problem, rig.device(), step.configuration);
    what.timed = timed.over(what.configuration);
    take(what, run_single(rig, setup, subject.source, step.configuration, single), setup, rig.device(),
         from.modelled_us);
  }
  sort_by_ratio(list);
  co_return list;
}

}  // namespace kerlab::session
