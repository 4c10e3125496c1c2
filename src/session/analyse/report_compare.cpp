#include "session/analyse/report_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kerlab::session {

namespace {

std::optional<ReportWinner> winner_of(const ReportProblem& problem) {
  if (!problem.winner || !problem.trials[*problem.winner].time) return std::nullopt;
  const ReportTrial& winner = problem.trials[*problem.winner];
  return ReportWinner{winner.trial, *winner.time};
}

const ReportProblem* find(const LabReport& report, const ReportProblem& like) {
  for (const ReportProblem& problem : report.problems)
    if (problem.key == like.key && problem.device_class == like.device_class && problem.clock == like.clock)
      return &problem;
  return nullptr;
}

ReportChange named_like(const ReportProblem& problem) {
  return {problem.key, problem.title, problem.device_class, problem.clock, {}, {}};
}

/// The newest decision on the problem, of its kind of device, that `takes` agrees with.
std::optional<ReportWinner> decided_by(const Database& database, const ReportProblem& problem,
                                       const std::function<bool(const Decision&)>& takes) {
  for (const Decision& decision : database.decisions(problem.key, problem.device_class)) {
    if (!takes(decision)) continue;
    const auto trial = database.trial(decision.trial);
    if (!trial || trial->device_kind != problem.device_kind) continue;
    for (Measurement& one : database.measurements(decision.trial)) {
      if (one.id != decision.measurement) continue;
      one.samples_us.clear();
      return ReportWinner{*trial, std::move(one)};
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> session_ids(const LabReport& report) {
  std::vector<std::int64_t> ids;
  for (const SessionRecord& session : report.sessions) ids.push_back(session.id);
  return ids;
}

}  // namespace

ReportComparison compare_databases(const ReportOptions& options, const LabReport& now, const Database& before) {
  const LabReport old = collect_report(options, before);
  ReportComparison comparison{before.path().filename().string(), "this report", {}};
  for (const ReportProblem& problem : now.problems) {
    ReportChange& row = comparison.problems.emplace_back(named_like(problem));
    row.now = winner_of(problem);
    if (const ReportProblem* then = find(old, problem)) row.before = winner_of(*then);
  }
  for (const ReportProblem& problem : old.problems) {
    if (find(now, problem) != nullptr) continue;
    comparison.problems.push_back(named_like(problem));
    comparison.problems.back().before = winner_of(problem);
  }
  std::erase_if(comparison.problems, [](const ReportChange& row) { return !row.before && !row.now; });
  return comparison;
}

ReportComparison compare_sessions(const LabReport& report, const Database& database, std::int64_t before,
                                  std::int64_t now) {
  ReportComparison comparison{fmt::format("session {}", before),
                              now > 0 ? fmt::format("session {}", now) : std::string("newest other session"),
                              {}};
  for (const ReportProblem& problem : report.problems) {
    ReportChange row = named_like(problem);
    row.before = decided_by(database, problem, [&](const Decision& one) { return one.session == before; });
    row.now = decided_by(database, problem,
                         [&](const Decision& one) { return now > 0 ? one.session == now : one.session != before; });
    if (row.before || (now > 0 && row.now)) comparison.problems.push_back(std::move(row));
  }
  for (const auto& [session, side] : {std::pair(before, &ReportChange::before), std::pair(now, &ReportChange::now)})
    if (session > 0 &&
        std::ranges::none_of(comparison.problems, [&](const auto& row) { return (row.*side).has_value(); }))
      throw UsageError(fmt::format("--compare: session {} decided none of these problems; there are {}", session,
                                   fmt::join(session_ids(report), ", ")));
  return comparison;
}

}  // namespace kerlab::session
