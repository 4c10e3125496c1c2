#include "session/analyse/report_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/analyse/inspect.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kMostLines = 12;

/// The winner first, then by time.
std::vector<ReportTrial*> best_of(ReportProblem& problem, int best) {
  std::vector<ReportTrial*> trials;
  for (ReportTrial& one : problem.trials)
    if (one.time && one.trial.status == TrialStatus::passed) trials.push_back(&one);
  std::ranges::stable_sort(trials, {},
                           [](const ReportTrial* one) { return std::pair(!one->winner, one->time->median_us); });
  if (trials.size() > static_cast<std::size_t>(best)) trials.resize(static_cast<std::size_t>(best));
  return trials;
}

std::string remarks_of(const LineCounts& sum) {
  const auto per = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
  std::string text;
  if (sum.least_wavefronts > 0 && sum.wavefronts > sum.least_wavefronts)
    text = fmt::format("{:.3g}-way bank conflicts", per(sum.wavefronts, sum.least_wavefronts));
  if (sum.global_requests > 0 && sum.sectors > sum.least_sectors)
    text += fmt::format("{}{:.3g} sectors per request, {:.3g} would do", text.empty() ? "" : ", ",
                        per(sum.sectors, sum.global_requests), per(sum.least_sectors, sum.global_requests));
  return text;
}

ReportSource lines_of(const Inspection& inspection) {
  ReportSource source{inspection.device, inspection.note, {}};
  if (inspection.launches.empty()) return {"", fmt::format("not counted: {}", inspection.trial.message), {}};
  const LaunchInspection& launch =  // of several that with the most work
      *std::ranges::max_element(inspection.launches, {}, [](const auto& one) { return one.time.us * one.times; });
  for (const SourceLine& line : launch.lines) {
    if (source.lines.size() == kMostLines) break;
    source.lines.push_back(
        {place_text(line.line), line.source.empty() ? line.sum.text : line.source, line.share, remarks_of(line.sum)});
  }
  if (inspection.launches.size() > 1)
    source.note += fmt::format("{}of kernel {}, one of {} launches", source.note.empty() ? "" : "; ", launch.kernel,
                               inspection.launches.size());
  return source;
}

ReportSource counted(const Trial& trial, const RigOptions& rig, const Database& database) {
  InspectOptions options;
  options.rig = rig;
  options.subject.trial = trial.id;
  try {
    return lines_of(inspect_as_far_as_possible(std::move(options), &database).finish());
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    return {"", fmt::format("not counted: {}", error.what()), {}};
  }
}

}  // namespace

Stepped<LabReport> with_source_lines(LabReport report, RigOptions rig, const Database& database, int best) {
  std::vector<std::pair<const ReportProblem*, ReportTrial*>> wanted;
  for (ReportProblem& problem : report.problems)
    for (ReportTrial* one : best_of(problem, best)) wanted.emplace_back(&problem, one);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [problem, one] = wanted[i];
    co_yield fmt::format("source lines: {} of {}, {} {} of {}", i + 1, wanted.size(), one->trial.variant,
                         one->trial.configuration, problem->title);
    one->source = counted(one->trial, rig, database);
  }
  co_return report;
}

}  // namespace kerlab::session
