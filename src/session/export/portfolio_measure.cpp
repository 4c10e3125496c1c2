// What the database lacks: compiled together, checked one by one, timed in rounds with the shape's winner.

#include <algorithm>
#include <set>

#include "base/interrupt.h"
#include "session/export/portfolio.h"
#include "session/run/judge_samples.h"
#include "session/run/single.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kTimedTogether = 8;  // the winner and seven others
using Source = PortfolioCell::Source;

}  // namespace

bool PortfolioSession::wanted(std::size_t shape, std::size_t kernel) const {
  return compares() || result_.kernels[kernel] == result_.shapes[shape].winner;
}

/// Into the cache, with all compilers at once: what is measured later finds it there.
void PortfolioSession::compile_ahead() {
  if (!options_.rig.use_cache) return;
  std::set<std::vector<std::string>> submitted;
  std::uint64_t tickets = 0;
  for (std::size_t s = 0; s < result_.shapes.size(); ++s)
    for (std::size_t k = 0; k < result_.kernels.size(); ++k) {
      if (result_.cells[s][k].source != Source::unknown || !wanted(s, k)) continue;
      const Variant& variant = *result_.kernels[k].variant;
      TrialCandidate next = candidate(result_.kernels[k], result_.shapes[s].problem);
      std::vector<std::string> identity = next.options;
      identity.push_back(variant.name);
      if (submitted.insert(std::move(identity)).second)
        rig_.compilers().submit(++tickets, {source(variant).source, std::move(next.options)});
    }
  for (std::size_t finished = rig_.compilers().poll().size(); finished < tickets;) {
    rig_.wait(std::chrono::seconds(1));
    end_interrupted_wait();
    finished += rig_.compilers().poll().size();
  }
}

/// The image of a kernel that is right on this problem; else none, and the cell says why.
std::optional<TrialCandidate> PortfolioSession::checked(const ProblemSetup& setup, const PortfolioKernel& kernel,
                                                        PortfolioCell& cell) {
  SingleOptions options;
  options.recipes = quick_recipes(setup.plan);
  options.deadline = generous_deadline(rig_, setup, 10);
  SingleResult single = run_single(rig_, setup, source(*kernel.variant), kernel.configuration, options);
  ledger_->keep_source(source(*kernel.variant).source);
  ledger_->result(single.candidate.trial);
  ledger_->flush();
  if (single.candidate.trial.status == TrialStatus::passed) return std::move(single.candidate);
  cell.source = Source::invalid;
  cell.why = fmt::format("{}: {}", name(single.candidate.trial.status), single.candidate.trial.message);
  return std::nullopt;
}

void PortfolioSession::measure(std::size_t index) {
  TunedShape& shape = result_.shapes[index];
  auto& row = result_.cells[index];
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k].source == Source::unknown && result_.kernels[k] != shape.winner && wanted(index, k))
      missing.push_back(k);
  const auto own = static_cast<std::size_t>(std::find(result_.kernels.begin(), result_.kernels.end(), shape.winner) -
                                            result_.kernels.begin());
  if (missing.empty() && row[own].source != Source::unknown) return;
  if (row[own].source == Source::unknown && !shape.trial_key.empty())
    result_.notes.push_back(
        fmt::format("{}: its winner {} was decided with other sources, options or toolchain: "
                    "measured again",
                    shape.problem.title(), shape.winner.label()));
  if (!ledger_) {
    SessionRecord record;
    record.command = options_.command;
    record.version = options_.version;
    record.device = fmt::format("{} {}", rig_.device().id, rig_.device().name);
    ledger_.emplace(database_, record);
  }
  const ProblemSetup setup = prepare_problem(rig_.folder(), shape.problem, rig_.device());
  ProblemLoader(rig_, setup).load();
  std::optional<TrialCandidate> winner = checked(setup, shape.winner, row[own]);
  if (!winner) {
    result_.notes.push_back(fmt::format("{}: {}", shape.problem.title(), row[own].why));
    return;
  }
  std::vector<TrialCandidate> candidates = {*winner};
  std::vector<std::size_t> kernels = {own};
  for (const std::size_t k : missing) {
    if (auto candidate = checked(setup, result_.kernels[k], row[k])) {
      candidates.push_back(std::move(*candidate));
      kernels.push_back(k);
    } else {
      result_.notes.push_back(fmt::format("{}: {}", shape.problem.title(), row[k].why));
    }
    if (candidates.size() < kTimedTogether) continue;
    time_together(index, setup, kernels, candidates);
    candidates = {*winner};
    kernels = {own};
  }
  if (candidates.size() > 1 || row[own].source == Source::unknown) time_together(index, setup, kernels, candidates);
}

/// Found wrong by its timing, after it had passed its check.
void PortfolioSession::reject(Trial& trial, const CheckVerdict& verdict, PortfolioCell& cell) {
  cell.source = Source::invalid;
  trial.status = verdict.status;
  trial.message = verdict.message;
  ledger_->result(trial);
  ledger_->flush();
}

/// The first is the winner: the others are compared with it, round by round.
void PortfolioSession::time_together(std::size_t index, const ProblemSetup& setup,
                                     const std::vector<std::size_t>& kernels, std::vector<TrialCandidate>& candidates) {
  RunRequest run;
  for (TrialCandidate& one : candidates)
    run.items.push_back({one.label, one.image, one.plan, one.small_plan, one.nondeterministic});
  run.schedule.emplace();
  run.schedule->rounds = options_.rounds;
  run.deadline = generous_deadline(rig_, setup, candidates.size() * (static_cast<std::size_t>(options_.rounds) + 10));
  const RunOutcome outcome = rig_.runner().run(std::move(run));
  auto& row = result_.cells[index];
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    PortfolioCell& cell = row[kernels[i]];
    const SampleSet samples = i < outcome.samples.size() ? outcome.samples[i] : SampleSet{};
    const CheckVerdict verdict = outcome.status == TrialStatus::passed
                                     ? judge_samples(candidates[i].label, samples, setup.plan)
                                     : CheckVerdict{outcome.status, outcome.message};
    if (verdict.status != TrialStatus::passed) {
      cell.why = fmt::format("{}: {}", name(verdict.status), verdict.message);
      result_.notes.push_back(fmt::format("{}: {}", setup.problem.title(), cell.why));
      if (outcome.status == TrialStatus::passed) reject(candidates[i].trial, verdict, cell);
      continue;
    }
    auto measurement = make_measurement(samples, "bench", setup.plan.recipes.front(), rig_.device());
    ledger_->measured(candidates[i].trial, *measurement);
    if (i == 0 && cell.source != Source::unknown) continue;  // what decided stands
    const auto paired = paired_ratio(outcome.samples[i].samples_us, outcome.samples[0].samples_us);
    cell = {Source::measured,     measurement->median_us,     measurement->low_us,
            measurement->high_us, paired ? paired->ratio : 0, {}};
    if (i == 0) result_.shapes[index].measurement = *measurement;
  }
}

}  // namespace kerlab::session
