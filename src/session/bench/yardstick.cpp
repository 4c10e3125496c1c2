#include "session/bench/yardstick.h"

#include <cstdio>

#include "session/run/single.h"

namespace kerlab::session {

namespace {

YardstickRow row_of(const ProblemSetup& setup, const DeviceInfo& device) {
  YardstickRow row;
  row.problem = setup.problem;
  row.flops = setup.plan.flops;
  row.bytes = setup.plan.bytes;
  row.roof_us = theoretical_roof(setup.problem, setup.plan, device).minimum_us;
  return row;
}

void take_samples(YardstickRow& row, const LibraryOutcome& library) {
  row.note = library_note(library);
  if (library.samples.empty()) return;
  const SampleSet& best = library.samples.front();
  row.library = compare_library(library, best.samples_us);
  for (const SampleSet& samples : library.samples) {
    if (samples.samples_us.empty()) continue;
    row.sm_clock_mhz.push_back(median(samples.sm_clock_mhz).value_or(0));
    if (row.warning.empty()) row.warning = samples.warning;
  }
  if (!row.library.empty()) row.library.front().ratio.reset();  // the best against itself
  row.protocol = best.protocol;
  row.cache = best.cache;
  row.clock = best.clock;
}

}  // namespace

std::optional<ChosenAlgorithm> chosen_algorithm(const std::string& label) {
  ChosenAlgorithm chosen;
  const std::size_t at = label.find("best of ");
  if (at == std::string::npos ||
      std::sscanf(label.c_str() + at, "best of %d algorithms (no. %d)", &chosen.offered, &chosen.number) != 2)
    return std::nullopt;
  return chosen;
}

YardstickRow Yardstick::measure(const std::string& target, const ProblemRequest& request) {
  if (!rig_ || options_.target != target) {
    rig_.reset();  // first: one worker at a time has the device
    options_.target = target;
    rig_.emplace(options_);
  }
  Rig& rig = *rig_;
  const Problem problem = problem_for_device(rig.folder(), request, rig.device());
  ProblemSetup setup = prepare_problem(rig.folder(), problem, rig.device());
  if (!has_library(setup, rig))
    throw Error(fmt::format("there is no vendor's library for {} on {} ({})", problem.title(), rig.device().id,
                            rig.device().name),
                ExitCode::inconclusive);
  ProblemLoader(rig, setup, rig.has_plugins()).load();  // plug-ins are checked
  Protocol protocol;
  protocol.library = true;
  protocol.schedule.emplace();
  protocol.schedule->rounds = rounds_;
  protocol.schedule->cold = !hot_;
  protocol.deadline = generous_deadline(rig, setup, 2 * static_cast<std::size_t>(rounds_) + 20);
  const LibraryOutcome library = evaluate(rig, setup, {}, std::move(protocol)).library;
  YardstickRow row = row_of(setup, rig.device());
  if (library.status != TrialStatus::passed)
    throw Error(fmt::format("{}: {}: {}", problem.title(), name(library.status), library.message));
  take_samples(row, library);
  return row;
}

}  // namespace kerlab::session
