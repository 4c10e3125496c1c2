#include "session/regress/noise.h"

#include <fmt/format.h>

#include <map>

#include "base/elapsed.h"
#include "session/find/subject.h"
#include "session/run/single.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

constexpr double kLaunchBoundUs = 10;

struct Prepared {
  NoiseRow row;
  TimedPair pair;
  bool memory_bound = false;
};

/// Compiles the kernel that a problem of the suite asks for.
Prepared prepare(Rig& rig, const SuiteProblem& asked, const Database* database) {
  SubjectName name;
  name.family = asked.family;
  if (!asked.variants.empty()) name.variant = asked.variants.front();
  const Subject subject = resolve_subject(name, asked.arguments, asked.dtype, rig.folder(), rig.device(), database);
  const ProblemSetup setup = prepare_problem(rig.folder(), subject.problem, rig.device());
  ProblemLoader loader(rig, setup, false);
  loader.load();
  TrialCandidate candidate = make_candidate(rig.folder().family, subject.source, 0, subject.configuration,
                                            subject.problem, rig.device(), rig.toolchain());
  CompileResult compiled = rig.compilers().compile({subject.source.source, candidate.options});
  if (compiled.status != CompileStatus::ok) throw Error(fmt::format("{}: {}", candidate.label, compiled.message));
  Prepared prepared;
  prepared.row.title = subject.problem.title();
  prepared.row.label = candidate.label;
  prepared.row.how = subject.how;
  prepared.memory_bound = theoretical_roof(subject.problem, setup.plan, rig.device()).memory_bound;
  prepared.pair.label = fmt::format("{}  {}", prepared.row.title, candidate.label);
  prepared.pair.data = loader.data();
  prepared.pair.base = {candidate.label, loadable_image(compiled, rig.device()), candidate.plan, {}};
  prepared.pair.today = prepared.pair.base;
  prepared.pair.today.label += " (again)";
  prepared.pair.deadline = generous_deadline(rig, setup, 40);
  return prepared;
}

std::string kind_of(const Prepared& prepared, double us) {
  if (us < kLaunchBoundUs) return "launch";
  return prepared.memory_bound ? "memory" : "compute";
}

}  // namespace

NoiseReport measure_noise(const NoiseOptions& options, const Database* database,
                          const std::function<void(const std::string&)>& progress) {
  const auto begun = Clock::now();
  NoiseReport report;
  RigOptions rig_options = options.rig;
  rig_options.kept = std::make_shared<KeptProcesses>();
  std::vector<Prepared> prepared;
  std::unique_ptr<Rig> rig;
  for (const SuiteProblem& problem : options.problems) {
    if (rig == nullptr || rig_options.target != problem.family) {
      rig.reset();  // first: two cannot have the device
      rig_options.target = problem.family;
      rig = std::make_unique<Rig>(rig_options);
      report.device = rig->device();
    }
    if (rig->device().kind == DeviceKind::emulated)
      throw UsageError("noise: an emulated device has none, its times are a model; name a GPU with --device");
    progress("compiling " + problem.title);
    try {
      prepared.push_back(prepare(*rig, problem, database));
    } catch (const Error& error) {
      report.notes.push_back(fmt::format("{}: {}", problem.title, error.what()));
    }
  }
  if (prepared.empty()) throw Error(report.notes.empty() ? "noise: no problem was named" : report.notes.front());
  std::vector<TimedPair> pairs;
  for (const Prepared& one : prepared) pairs.push_back(one.pair);
  GateRun run = gate_times(*rig, pairs, options.gate, progress);
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    NoiseRow& row = report.rows.emplace_back(std::move(prepared[i].row));
    row.twice = std::move(run.outcomes[i]);
    row.kind = kind_of(prepared[i], row.twice.base_us);
    const auto summary = summarize(row.twice.base_samples_us);
    if (summary && summary->median > 0) row.spread = summary->mad / summary->median;
    report.processes = std::max(report.processes, row.twice.processes);
  }
  report.seconds = seconds_since(begun);
  return report;
}

}  // namespace kerlab::session
