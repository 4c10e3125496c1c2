#include "worker/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/elapsed.h"
#include "base/hash.h"
#include "measure/canary.h"
#include "measure/ceilings.h"
#include "worker/checks.h"
#include "worker/count_cost.h"
#include "worker/timed_check.h"

namespace kerlab::worker {
namespace {

void prepare_quick_check(ProblemData& data) {
  for (std::uint32_t recipe = 0; recipe < data.plan().recipes.size(); ++recipe) {
    if (!data.plan().recipes[recipe].plain()) continue;  // only a thorough check asks for it
    data.input_hashes(recipe);
    data.expected(recipe);
  }
}

}  // namespace

Workbench::Small::Small(Lab& lab, const request::SetProblem& set)
    : data(lab, set.small, set.small_reference_image, ProblemData::Use::checks),
      checker(data),
      emulated_checker(data) {}

Workbench::Problem::Problem(Lab& shared, const request::SetProblem& set)
    : lab(shared),
      padding(set.placement == 0 ? Allocation() : Allocation(lab.device(), std::size_t{set.placement} << 20)),
      data(lab, set.problem, set.reference_image, set.timed ? ProblemData::Use::timing : ProblemData::Use::checks),
      checker(data),
      timer(lab),
      emulated_checker(data) {
  if (!set.small.tensors.empty()) small.emplace(lab, set);
}

Lab& Workbench::lab_of(const Bytes& image) {
  if (!lab_ || lab_image_ != image) {
    lab_.reset();
    lab_.emplace(device_, image);
    lab_image_ = image;
  }
  return *lab_;
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
  problem_ = std::make_unique<Problem>(lab_of(set.lab_image), set);
  ProblemData& data = problem_->data;
  const bool lazy = device_.info().executes_samples;  // makes what it needs when it needs it
  if (!lazy && !data.plan().tensors.empty()) data.prepare_timing();
  // Before candidates come by the hundred; a single one may need a few of them, and waits for these alone.
  if (!lazy && set.timed && data.has_reference()) prepare_quick_check(data);
  if (!lazy && problem_->small) prepare_quick_check(problem_->small->data);
  device_.synchronize();
  return reply::ProblemReady{milliseconds_since(begin), data.device_bytes(), data.rotation_sets()};
}

Reply Workbench::serve(const request::CountCost& asked) {
  problem_.reset();
  const CountedCost counted = count_cost(lab_of(asked.lab_image), asked.problem, asked.reference_image, asked.launch);
  return reply::CostCounted{counted.flops, counted.bytes};
}

Reply Workbench::serve(const request::Load& load) {
  Problem& p = problem();
  p.candidates.erase(load.id);
  if (p.small) p.small->candidates.erase(load.id);
  if (p.small && !load.small_plan.launches.empty())
    p.small->candidates.try_emplace(load.id, p.small->data, load.image, load.label, load.small_plan);
  p.labels[load.id] = load.label;
  p.programs[load.id] = digest(load.image);
  const auto added = p.candidates.try_emplace(load.id, p.data, load.image, load.label, load.plan).first;
  return reply::Loaded{load.id, added->second.resources()};
}

Reply Workbench::serve(const request::Check& check) {
  if (device_.info().executes_samples) return reply::Checked{check.id, check_emulated(check)};
  if (check.fresh) return reply::Checked{check.id, check_after_timing(check)};
  return reply::Checked{check.id, check_first(check)};
}

/// On data that it has not seen, and on some that differ little from those that were timed.
CheckReport Workbench::check_after_timing(const request::Check& check) {
  Candidate& timed = candidate(check.id);
  Checker& checker = problem().checker;
  CheckReport report = checker.check_fresh(timed, ProblemData::Fresh::after_timing);
  if (!report.passed()) return report;
  CheckReport kept = checker.check_kept(timed, 1);
  kept.recipes.insert(kept.recipes.begin(), report.recipes.begin(), report.recipes.end());
  return kept;
}

CheckWishes Workbench::wishes_with_progress(const request::Check& check) const {
  CheckWishes wishes = wishes_of(check);
  if (wishes.thorough) wishes.progress = progress_;
  return wishes;
}

/// On a device that is fast enough for all of it: the small problem, and if that is right the whole one.
CheckReport Workbench::check_first(const request::Check& check) {
  Candidate& whole = candidate(check.id);
  const CheckReport small = check_small(check);
  if (small.whole_small && !small.passed()) return small;
  CheckReport report = problem().checker.check(whole, check.recipes, wishes_with_progress(check));
  if (!small.whole_small) return report;
  report.blocks = report.blocks_run = blocks_of(whole.plan());
  return with_small(std::move(report), small);
}

/// A candidate that has run once, on every set. The data must be those of timing.
Timeable Workbench::timeable(std::uint32_t id) {
  Problem& p = problem();
  Candidate& c = candidate(id);
  Timeable timeable;
  timeable.id = id;
  timeable.start = c.plan().start;
  for (int set = 0; set < p.data.rotation_sets(); ++set) {
    timeable.sets.emplace_back(c.timed_launches(set));
    timeable.restores.push_back(p.data.restore_launches(set, 0));
  }
  timeable.touches = p.data.touch_launches();
  if (!c.warm()) c.run(0, LaunchMode::run);
  return timeable;
}

Reply Workbench::serve(const request::Time& time) {
  if (!device_.info().has_clock) return reply::Timed{count(time)};
  Problem& p = problem();
  p.data.prepare_timing();
  std::vector<Timeable> timeables;
  std::vector<Candidate*> candidates;
  for (const std::uint32_t id : time.ids) {
    timeables.push_back(timeable(id));
    candidates.push_back(&candidate(id));
  }
  TimedCheck look(p.data, candidates);
  for (std::size_t i = 0; i < timeables.size(); ++i)
    timeables[i].look = [&look, i](std::size_t set) { look.look(i, static_cast<int>(set)); };
  if (time.library)
    for (Timeable& timeable : library_row_timeables()) timeables.push_back(std::move(timeable));
  device_.synchronize();  // a fault of the warm-up is told before anything waits behind a blocker
  const std::vector<ForeignProcess> before = lookout_.glance();
  std::vector<SampleSet> samples = p.timer.time(timeables, time.schedule, p.data.needs_flush());
  const std::vector<ForeignProcess> neighbours = together(before, lookout_.glance());
  for (SampleSet& set : samples) {
    set.neighbours = neighbours;
    if (time.schedule.cold) set.protocol += hot_inputs(p.data.plan());  // never compared with one that says else
  }
  const std::vector<std::string> wrong = look.read();
  scan_after_timing(time, samples);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::string changed = candidate(time.ids[i]).restore_variables();  // its own, whoever else is timed
    if (samples[i].guard_violation.empty()) samples[i].guard_violation = wrong[i].empty() ? changed : wrong[i];
  }
  return reply::Timed{std::move(samples)};
}

void Workbench::scan_after_timing(const request::Time& time, std::vector<SampleSet>& samples) {
  Problem& p = problem();
  const int sets = time.schedule.cold ? p.data.rotation_sets() : 1;
  bool damaged = false;
  std::vector<bool> own(samples.size());  // in a workspace, which nobody else has
  // Buffers are shared: the first scan sees the damage of all, and repairs it.
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].id >= kLibraryIds) continue;
    Checker::Damage damage = p.checker.scan(candidate(samples[i].id), i == 0 ? sets : 0);
    if (damage.what.empty()) continue;
    damaged = true;
    own[i] = damage.own;
    samples[i].guard_violation = std::move(damage.what);
  }
  if (p.data.has_inout() || damaged) p.data.distrust_all();
  if (!damaged || samples.size() == 1) return;
  // Who was it? Each is timed once more, alone: it may know a timed launch from a checked one.
  p.data.prepare_timing();
  TimingSchedule schedule = time.schedule;
  schedule.settle = schedule.cross_check = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].id >= kLibraryIds) continue;
    p.timer.time(std::vector{timeable(samples[i].id)}, schedule, p.data.needs_flush());
    std::string alone = p.checker.scan(candidate(samples[i].id), sets).what;
    if (!alone.empty() || !own[i]) samples[i].guard_violation = std::move(alone);
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

namespace {
reply::Fault fault_of(const DeviceFault& fault, reply::FaultOf of) {
  reply::Fault told{fault.kind(), fault.what(), fault.sticky()};
  told.of = of;
  return told;
}
}  // namespace

Reply serve(Workbench& workbench, const Request& request) {
  try {
    return std::visit([&](const auto& message) { return workbench.serve(message); }, request);
  } catch (const ReferenceFault& fault) {
    return fault_of(fault, reply::FaultOf::reference);
  } catch (const SmallProblemFault& fault) {
    return fault_of(fault, reply::FaultOf::small_problem);
  } catch (const DeviceFault& fault) {
    return fault_of(fault, reply::FaultOf::problem);
  } catch (const std::bad_alloc&) {
    return reply::Fault{FaultKind::out_of_memory, "the worker process is out of host memory", false};
  } catch (const std::exception& error) {
    return reply::Fault{FaultKind::other, error.what(), false};
  }
}

}  // namespace kerlab::worker
