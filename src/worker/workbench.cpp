#include "worker/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/elapsed.h"
#include "measure/canary.h"
#include "measure/ceilings.h"

namespace kerlab::worker {
namespace {

// Emulated whole in about a tenth of a second.
constexpr double kCheapFlops = 5e8, kCheapBytes = 64e6;

void prepare_quick_check(ProblemData& data) {
  for (std::uint32_t recipe = 0; recipe < data.plan().recipes.size(); ++recipe) {
    if (!data.plan().recipes[recipe].plain()) continue;  // only a thorough check asks for it
    data.input_hashes(recipe);
    data.expected(recipe);
  }
}

CheckWishes wishes_of(const request::Check& check) {
  return {check.thorough, check.nondeterministic, check.explain};
}

std::int64_t blocks_of(const LaunchPlan& plan) {
  std::int64_t blocks = 0;
  for (const Launch& launch : plan.launches) blocks += std::int64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  return blocks;
}

/// What was seen of the small problem behind what was seen of the whole one.
CheckReport with_small(CheckReport whole, const CheckReport& small) {
  whole.whole_small = small.whole_small;
  whole.recipes.insert(whole.recipes.end(), small.recipes.begin(), small.recipes.end());
  return whole;
}

}  // namespace

Workbench::Small::Small(Lab& lab, const request::SetProblem& set)
    : data(lab, set.small, set.small_reference_image, ProblemData::Use::checks),
      checker(data),
      emulated_checker(data) {}

Workbench::Problem::Problem(Device& device, const request::SetProblem& set)
    : padding(set.placement == 0 ? Allocation() : Allocation(device, std::size_t{set.placement} << 20)),
      lab(device, set.lab_image),
      data(lab, set.problem, set.reference_image),
      checker(data),
      timer(lab),
      emulated_checker(data) {
  if (!set.small.tensors.empty()) small.emplace(lab, set);
}

Workbench::Problem& Workbench::problem() {
  if (!problem_) throw Error("worker: no problem was set");
  return *problem_;
}

Candidate& Workbench::candidate(std::uint32_t id) {
  const auto found = problem().candidates.find(id);
  if (found == problem().candidates.end()) throw Error(fmt::format("worker: candidate {} is not loaded", id));
  return found->second;
}

Reply Workbench::serve(const request::Hello& hello) {
  if (hello.version != kProtocolVersion)
    throw Error(fmt::format("worker: speaks protocol {}, was asked for {}; are both the same kerlab?", kProtocolVersion,
                            hello.version));
  return reply::Hello{std::string(kProtocolMagic), kProtocolVersion, device_.info()};
}

Reply Workbench::serve(const request::SetProblem& set) {
  const auto begin = std::chrono::steady_clock::now();
  problem_.reset();  // first: both may not fit
  problem_ = std::make_unique<Problem>(device_, set);
  ProblemData& data = problem_->data;
  const bool emulated = device_.info().kind == DeviceKind::emulated;  // makes what it needs when it needs it
  if (!emulated && !data.plan().tensors.empty()) data.prepare_timing();
  if (!emulated && !set.reference_image.empty()) prepare_quick_check(data);
  if (!emulated && problem_->small) prepare_quick_check(problem_->small->data);
  device_.synchronize();
  return reply::ProblemReady{milliseconds_since(begin), data.device_bytes(), data.rotation_sets()};
}

Reply Workbench::serve(const request::Load& load) {
  Problem& p = problem();
  p.candidates.erase(load.id);
  if (p.small) p.small->candidates.erase(load.id);
  if (p.small && !load.small_plan.launches.empty())
    p.small->candidates.try_emplace(load.id, p.small->data, load.image, load.label, load.small_plan);
  const auto added = p.candidates.try_emplace(load.id, p.data, load.image, load.label, load.plan).first;
  return reply::Loaded{load.id, added->second.resources()};
}

Reply Workbench::serve(const request::Check& check) {
  if (device_.info().kind == DeviceKind::emulated) return reply::Checked{check.id, check_emulated(check)};
  if (check.fresh)
    return reply::Checked{check.id,
                          problem().checker.check_fresh(candidate(check.id), ProblemData::Fresh::after_timing)};
  return reply::Checked{check.id, check_first(check)};
}

/// The whole small problem, if there is one and the candidate runs there: else a report of nothing.
CheckReport Workbench::check_small(const request::Check& check) {
  CheckReport report;
  Problem& p = problem();
  if (!p.small) return report;
  const auto found = p.small->candidates.find(check.id);
  if (found == p.small->candidates.end()) return report;
  try {
    report = device_.info().kind == DeviceKind::emulated
                 ? p.small->emulated_checker.check(found->second, check.recipes, wishes_of(check), false)
                 : p.small->checker.check(found->second, check.recipes, wishes_of(check));
  } catch (const DeviceFault& fault) {
    const std::string message = fault.what();
    if (message.starts_with(kReferenceFault)) throw;
    throw DeviceFault(fault.kind(), std::string(kOnSmallProblem) + message, fault.sticky());
  }
  report.whole_small = true;
  report.blocks = report.blocks_run = 0;
  for (RecipeReport& recipe : report.recipes) recipe.in_small = true;
  return report;
}

/// On a device that is fast enough for all of it: the small problem, and if that is right the whole one.
CheckReport Workbench::check_first(const request::Check& check) {
  Candidate& whole = candidate(check.id);
  const CheckReport small = check_small(check);
  if (small.whole_small && !small.passed()) return small;
  CheckReport report = problem().checker.check(whole, check.recipes, wishes_of(check));
  if (!small.whole_small) return report;
  report.blocks = report.blocks_run = blocks_of(whole.plan());
  return with_small(std::move(report), small);
}

/// Some blocks of the problem and the whole small one, as far as asked for and possible. A candidate that can do
/// neither is executed whole.
CheckReport Workbench::check_emulated(const request::Check& check) {
  Problem& p = problem();
  Candidate& whole = candidate(check.id);
  const bool cheap = p.data.plan().flops < kCheapFlops && p.data.plan().bytes < kCheapBytes;
  if (check.sampling == Sampling::everything || cheap)
    return p.emulated_checker.check(whole, check.recipes, wishes_of(check), false);
  const CheckReport small = check_small(check);
  if (small.whole_small && !small.passed()) return small;
  const bool independent = check.sampling == Sampling::blocks || whole.can_be_sampled();
  const bool sampled = check.sampling != Sampling::small && independent;
  if (small.whole_small && !sampled) return small;
  return with_small(p.emulated_checker.check(whole, check.recipes, wishes_of(check), sampled), small);
}

/// What a run executes, from some of its blocks.
std::vector<SampleSet> Workbench::count(const request::Time& time) {
  Problem& p = problem();
  const int data = p.data.set_with(0);
  std::vector<SampleSet> samples;
  for (const std::uint32_t id : time.ids) {
    Candidate& c = candidate(id);
    SampleSet& set = samples.emplace_back();
    set.id = id;
    set.protocol = "counts";
    set.cache = "cold";
    set.clock = "modelled";
    const std::vector<BoundLaunch>& launches = c.launches(data);
    const std::vector<LaunchReport> reports = c.run(data, LaunchMode::count);
    if (p.data.has_inout())
      for (const LaunchReport& report : reports) p.data.restore_written(data, report.written);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      set.launches.push_back({launches[i].kernel,
                              launches[i].grid,
                              launches[i].block,
                              launches[i].dynamic_shared,
                              reports[i].blocks,
                              reports[i].blocks_run,
                              reports[i].counts,
                              reports[i].stretches,
                              reports[i].traffic,
                              {}});
      if (time.lines) set.launches.back().lines = reports[i].lines;
    }
  }
  p.emulated_checker.forget_poison();
  return samples;
}

/// A candidate that has run once, on every set. The data must be those of timing.
Timeable Workbench::timeable(std::uint32_t id) {
  Problem& p = problem();
  Candidate& c = candidate(id);
  Timeable timeable;
  timeable.id = id;
  for (int set = 0; set < p.data.rotation_sets(); ++set) {
    timeable.sets.emplace_back(c.launches(set));
    timeable.restores.push_back(p.data.restore_launches(set, 0));
  }
  if (!c.warm()) c.run(0, LaunchMode::run);
  return timeable;
}

Reply Workbench::serve(const request::Time& time) {
  if (device_.info().kind == DeviceKind::emulated) return reply::Timed{count(time)};
  Problem& p = problem();
  p.data.prepare_timing();
  std::vector<Timeable> timeables;
  for (const std::uint32_t id : time.ids) timeables.push_back(timeable(id));
  if (time.library && p.library)
    for (Timeable& timeable : library_timeables(p.library_rows)) timeables.push_back(std::move(timeable));
  device_.synchronize();  // a fault of the warm-up is told before anything waits behind a blocker
  const std::vector<ForeignProcess> before = lookout_.glance();
  std::vector<SampleSet> samples = p.timer.time(timeables, time.schedule, p.data.needs_flush());
  const std::vector<ForeignProcess> neighbours = together(before, lookout_.glance());
  for (SampleSet& set : samples) set.neighbours = neighbours;
  scan_after_timing(time, samples);
  return reply::Timed{std::move(samples)};
}

void Workbench::scan_after_timing(const request::Time& time, std::vector<SampleSet>& samples) {
  Problem& p = problem();
  const int sets = time.schedule.cold ? p.data.rotation_sets() : 1;
  bool damaged = false;
  // Buffers are shared: the first scan sees the damage of all, and repairs it.
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].id >= kLibraryIds) continue;
    const std::string damage = p.checker.scan(candidate(samples[i].id), i == 0 ? sets : 0);
    if (damage.empty()) continue;
    damaged = true;
    samples[i].guard_violation = damage;
  }
  if (p.data.has_inout() || damaged) p.data.distrust_all();
  if (!damaged || samples.size() == 1) return;
  // Who was it? Each runs once more, alone.
  p.data.prepare_timing();
  for (SampleSet& sample : samples) {
    if (sample.id >= kLibraryIds) continue;
    candidate(sample.id).run(0, LaunchMode::run);
    const std::string alone = p.checker.scan(candidate(sample.id), 1);
    if (!alone.empty() || !sample.guard_violation.starts_with("workspace ")) sample.guard_violation = alone;
  }
  p.data.distrust_all();
}

Reply Workbench::serve(const request::RunOnce& run) {
  problem().data.prepare_timing();
  candidate(run.id).run(0, LaunchMode::run);
  device_.synchronize();
  if (problem().data.has_inout()) problem().data.distrust(0);
  return reply::Done{};
}

Reply Workbench::serve(const request::Unload& unload) {
  Problem& p = problem();
  p.candidates.erase(unload.id);
  if (p.small) p.small->candidates.erase(unload.id);
  return reply::Done{};
}

Reply Workbench::serve(const request::Health&) {
  const CanaryResult canary = run_canary(problem().lab);
  return reply::Healthy{canary.right, canary.us, device_.health_text()};
}

Reply Workbench::serve(const request::Neighbours&) {
  return reply::Neighbours{lookout_.look()};
}

Reply Workbench::serve(const request::Ceilings&) {
  return reply::Ceilings{measure_ceilings(problem().lab)};
}

Reply Workbench::serve(const request::Bye&) {
  return reply::Done{};
}

Reply serve(Workbench& workbench, const Request& request) {
  try {
    return std::visit([&](const auto& message) { return workbench.serve(message); }, request);
  } catch (const DeviceFault& fault) {
    return reply::Fault{fault.kind(), fault.what(), fault.sticky()};
  } catch (const std::bad_alloc&) {
    return reply::Fault{FaultKind::out_of_memory, "the worker process is out of host memory", false};
  } catch (const std::exception& error) {
    return reply::Fault{FaultKind::other, error.what(), false};
  }
}

}  // namespace kerlab::worker
