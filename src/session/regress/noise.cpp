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

std::string kind_of(bool memory_bound, double us) {
  if (us < kLaunchBoundUs) return "launch";
  return memory_bound ? "memory" : "compute";
}

}  // namespace

NoiseSession::NoiseSession(NoiseOptions options, const Database* database)
    : options_(std::move(options)), database_(database) {
  options_.rig.kept = std::make_shared<KeptProcesses>();
}

NoiseSession::~NoiseSession() = default;

bool NoiseSession::step() {
  if (next_ < options_.problems.size()) {
    prepare(options_.problems[next_++]);
    return true;
  }
  if (!gate_) {
    if (pairs_.empty()) throw Error(notes_.empty() ? "noise: no problem was named" : notes_.front());
    gate_.emplace(*rig_, std::move(pairs_), options_.gate);
  }
  return gate_->step();
}

std::string NoiseSession::doing() const {
  if (next_ < options_.problems.size()) return "compiling " + options_.problems[next_].title;
  return gate_ ? gate_->doing() : "starting a process";
}

void NoiseSession::prepare(const SuiteProblem& asked) {
  if (rig_ == nullptr || options_.rig.target != asked.family) {
    rig_.reset();  // first: two cannot have the device
    options_.rig.target = asked.family;
    rig_ = std::make_unique<Rig>(options_.rig);
    device_ = rig_->device();
  }
  if (!device_.has_clock)
    throw UsageError("noise: an emulated device has none, its times are a model; name a GPU with --device");
  try {
    add_kernel(asked);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    notes_.push_back(fmt::format("{}: {}", asked.title, error.what()));
  }
}

/// Compiles the kernel that a problem of the suite asks for.
void NoiseSession::add_kernel(const SuiteProblem& asked) {
  Rig& rig = *rig_;
  SubjectName name;
  name.family = asked.family;
  if (!asked.variants.empty()) name.variant = asked.variants.front();
  const Subject subject = resolve_subject(name, asked.arguments, asked.dtype, rig.folder(), rig.device(), database_);
  TimedPair pair;
  pair.setup = prepare_problem(rig.folder(), subject.problem, rig.device());
  ProblemLoader loader(rig, pair.setup, false);
  loader.load();
  pair.data = loader.data();
  pair.base = make_candidate(rig.folder().family, subject.source, 0, subject.configuration, subject.problem,
                             rig.device(), rig.toolchain());
  Prepared prepared;
  prepared.row.title = subject.problem.title();
  prepared.row.label = pair.base.label;
  prepared.row.how = subject.how;
  prepared.memory_bound = theoretical_roof(subject.problem, pair.setup.plan, rig.device()).memory_bound;
  CompileResult compiled = rig.compilers().compile({subject.source.source, pair.base.options});
  if (compiled.status != CompileStatus::ok) throw Error(fmt::format("{}: {}", pair.base.label, compiled.message));
  pair.base.image = loadable_image(compiled, rig.device());
  pair.label = fmt::format("{}  {}", prepared.row.title, pair.base.label);
  pair.today = pair.base;
  pair.today.label += " (again)";
  pair.deadline = generous_deadline(rig, pair.setup, 40);
  prepared_.push_back(std::move(prepared));
  pairs_.push_back(std::move(pair));
}

NoiseReport NoiseSession::report() const {
  NoiseReport report;
  report.device = device_;
  report.notes = notes_;
  GateRun run = gate_->result();
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    NoiseRow& row = report.rows.emplace_back(prepared_[i].row);
    row.twice = std::move(run.outcomes[i]);
    row.kind = kind_of(prepared_[i].memory_bound, row.twice.base_us);
    const auto summary = summarize(row.twice.base_samples_us);
    if (summary && summary->median > 0) row.spread = summary->mad / summary->median;
    report.processes = std::max(report.processes, row.twice.processes);
  }
  report.seconds = seconds_since(begun_);
  return report;
}

}  // namespace kerlab::session
