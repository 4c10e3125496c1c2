// What the database lacks: compiled together, checked one by one, timed in rounds with the shape's winner.

#include <algorithm>
#include <set>

#include "session/export/portfolio.h"
#include "session/run/compile_ahead.h"
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
  std::set<std::vector<std::string>> known;
  std::vector<CompileRequest> requests;
  for (std::size_t s = 0; s < result_.shapes.size(); ++s)
    for (std::size_t k = 0; k < result_.kernels.size(); ++k) {
      if (result_.cells[s][k].source != Source::unknown || !wanted(s, k)) continue;
      const Variant& variant = *result_.kernels[k].variant;
      TrialCandidate next = candidate(result_.kernels[k], result_.shapes[s].problem);
      std::vector<std::string> identity = next.options;
      identity.push_back(variant.name);
      if (known.insert(std::move(identity)).second)
        requests.push_back({source(variant).source, std::move(next.options)});
    }
  CompileAhead ahead(rig_, std::move(requests));
  while (ahead.step()) continue;
}

/// The image of a kernel that is right on this problem; else none, and the cell says why.
std::optional<TrialCandidate> PortfolioSession::checked(const ProblemSetup& setup, const PortfolioKernel& kernel,
                                                        PortfolioCell& cell) {
  SingleOptions options;
  options.recipes = quick_recipes(setup.plan);
  options.deadline = generous_deadline(rig_, setup, 10);
  Evaluation single = run_single(rig_, setup, source(*kernel.variant), kernel.configuration, options);
  ledger_->keep_source(source(*kernel.variant).source);
  ledger_->result(single.candidate.trial);
  ledger_->flush();
  if (single.candidate.trial.status == TrialStatus::passed) return std::move(single.candidate);
  cell.source = Source::invalid;
  cell.why = ending_text(single.candidate.trial);
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
  if (!ledger_) ledger_.emplace(database_, session_record(options_, rig_.device()));
  ProblemSetup setup = prepare_problem(rig_.folder(), shape.problem, rig_.device());
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

/// No time of it counts here, and where it was found wrong after it had passed its check, nor does its trial.
void PortfolioSession::reject(Evaluation& evaluation, const std::string& why, PortfolioCell& cell) {
  cell.why = why;
  if (evaluation.passed()) return;
  cell.source = Source::invalid;
  ledger_->result(evaluation.candidate.trial);
  ledger_->flush();
}

/// The first is the winner: the others are compared with it, round by round.
void PortfolioSession::time_together(std::size_t index, const ProblemSetup& setup,
                                     const std::vector<std::size_t>& kernels,
                                     const std::vector<TrialCandidate>& candidates) {
  Protocol protocol;
  protocol.schedule.emplace();
  protocol.schedule->rounds = options_.rounds;
  protocol.deadline =
      generous_deadline(rig_, setup, candidates.size() * (static_cast<std::size_t>(options_.rounds) + 10));
  Evaluations timed = evaluate(rig_, setup, candidates, std::move(protocol));
  auto& row = result_.cells[index];
  const Evaluation& winner = timed.items.front();
  for (std::size_t i = 0; i < timed.items.size(); ++i) {
    PortfolioCell& cell = row[kernels[i]];
    Evaluation& one = timed.items[i];
    if (!one.passed() || timed.apart) {
      reject(one,
             one.passed() ? "timed together they failed: " + timed.apart->message : ending_text(one.candidate.trial),
             cell);
      result_.notes.push_back(fmt::format("{}: {}", setup.problem.title(), cell.why));
      continue;
    }
    ledger_->measured(one.candidate.trial, *one.measurement);
    if (i == 0 && cell.source != Source::unknown) continue;  // what decided stands
    const Measurement& time = *one.measurement;
    const auto paired =
        winner.measurement ? paired_ratio(time.samples_us, winner.measurement->samples_us) : std::nullopt;
    cell = {Source::measured, time.median_us, time.low_us, time.high_us, paired ? paired->ratio : 0, {}};
    if (i == 0) result_.shapes[index].measurement = time;
  }
}

}  // namespace kerlab::session
