#include "session/check/sanitize.h"

#include <algorithm>
#include <numeric>

#include "session/find/source_text.h"
#include "session/run/device_ids.h"
#include "session/run/elsewhere.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/valid_shape.h"

namespace kerlab::session {

namespace {

RigOptions on_emulated(RigOptions rig) {
  rig.device = inspecting_device(rig.device);
  return rig;
}

bool same(const Finding& a, const Finding& b) {
  return a.hazard == b.hazard && a.line == b.line && a.other == b.other;
}

}  // namespace

std::size_t SanitizeRow::findings() const {
  return std::accumulate(launches.begin(), launches.end(), std::size_t{0},
                         [](std::size_t sum, const SanitizedLaunch& launch) { return sum + launch.findings.size(); });
}

SanitizeSession::SanitizeSession(CheckOptions options, const Database& database)
    : options_(std::move(options)), rig_(on_emulated(options_.rig)) {
  const Family& family = rig_.folder().family;
  asked_ = problem_for_device(rig_.folder(), make_request(family, options_.arguments, options_.dtype), rig_.device());
  chosen_ = choose_configurations(options_, rig_.folder(), asked_, rig_.device(), database);
  notes_ = chosen_.notes;
  if (!options_.only_asked)
    for (const ProblemRequest& request : small_shapes(family, asked_, true))
      if (std::optional<Problem> small = nearest_problem(family, request, asked_)) small_.push_back(std::move(*small));
  small_.push_back(asked_);
  // Configurations of one problem together: its data are made once.
  const auto problem_key = [this](const auto& chosen) {
    return problem_of(*chosen_.sources[chosen.first].variant, chosen.second).key();
  };
  std::ranges::stable_sort(chosen_.configurations, {}, problem_key);
}

/// The most ragged one that the configuration can do.
Problem SanitizeSession::problem_of(const Variant& variant, const Configuration& configuration) const {
  for (const Problem& problem : small_)
    if (device_of_any(variant, problem, configuration, rig_.device())) return problem;
  return asked_;
}

void SanitizeSession::load(const Problem& problem) {
  if (setup_ && setup_->problem.key() == problem.key()) return;
  setup_ = prepare_alone(rig_.folder(), problem, rig_.device());  // it is the small one
  ProblemLoader(rig_, *setup_, false).load();
}

bool SanitizeSession::step() {
  if (next_ == chosen_.configurations.size() || stops_here()) return false;
  const auto& [index, configuration] = chosen_.configurations[next_];
  const VariantSource& source = chosen_.sources[index];
  load(problem_of(*source.variant, configuration));
  SingleOptions single;
  single.sanitize = true;
  single.line_info = true;
  single.deadline = generous_deadline(rig_, *setup_, 1);
  const auto few = device_of_few(rig_.folder().family, *source.variant, setup_->problem, configuration, rig_.device());
  Evaluation result = run_single_for(rig_, *setup_, source, configuration, single, few ? *few : rig_.device());
  rows_.push_back({setup_->problem, std::move(result.candidate.trial), std::move(result.sanitized)});
  keep(source, rows_.back());
  ++next_;  // not before: what was interrupted has not been done
  return true;
}

bool SanitizeSession::stops_here() const {
  return options_.fail_fast && state().failed > 0;
}

void SanitizeSession::keep(const VariantSource& source, const SanitizeRow& row) {
  auto of_variant = std::ranges::find(findings_, row.trial.variant, &VariantFindings::variant);
  if (of_variant == findings_.end()) {
    findings_.push_back({row.trial.variant, {}});
    of_variant = findings_.end() - 1;
  }
  SourceText text(source.source);
  const std::string label = label_text(row.trial);
  for (const SanitizedLaunch& launch : row.launches) {
    for (const Finding& finding : launch.findings) {
      const auto known = std::ranges::find_if(
          of_variant->findings, [&](const VariantFinding& other) { return same(finding, other.finding); });
      if (known == of_variant->findings.end()) {
        of_variant->findings.push_back(
            {finding, text.line(finding.line), text.line(finding.other), {label}, row.problem.title()});
        continue;
      }
      known->finding.count += finding.count;
      if (known->labels.back() != label) known->labels.push_back(label);
    }
  }
}

CheckState SanitizeSession::state() const {
  CheckState state;
  state.done = next_;
  state.total = chosen_.configurations.size();
  for (const SanitizeRow& row : rows_)
    state.failed += row.trial.status != TrialStatus::passed || row.findings() > 0 ? 1 : 0;
  state.stopped = options_.fail_fast && state.failed > 0 && state.done < state.total;
  if (!rows_.empty()) state.label = fmt::format("{} {}", rows_.back().problem.title(), rows_.back().trial.variant);
  return state;
}

std::vector<SecondOpinion> second_opinions(const SanitizeRow& row, const std::string& family, const std::string& kerlab,
                                           const std::vector<std::string>& options) {
  std::vector<std::string> run = {kerlab, "bench", family, "--once", "--variant", row.trial.variant};
  std::string configuration = row.trial.configuration;
  std::ranges::replace(configuration, ' ', ',');
  if (!configuration.empty()) run.insert(run.end(), {"--config", configuration});
  run.insert(run.end(), {"--dtype", std::string(name(row.problem.dtype))});
  for (const auto& [dimension, extent] : row.problem.dimensions)
    run.insert(run.end(), {"--" + dimension, fmt::format("{}", extent)});
  for (const auto& [flag, value] : row.problem.flags) run.insert(run.end(), {"--" + flag, value});
  for (const auto& [scalar, value] : row.problem.scalars)
    run.insert(run.end(), {"--" + scalar, fmt::format("{}", value)});
  run.insert(run.end(), options.begin(), options.end());
  std::vector<SecondOpinion> opinions;
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    std::vector<std::string> command = {
        "compute-sanitizer", "--target-processes", "all", "--error-exitcode", "3", "--tool", tool};
    // Not what kerlab asks the driver on purpose: the parameters of a kernel, until there are no more.
    if (std::string_view(tool) == "memcheck") command.insert(command.end(), {"--report-api-errors", "no"});
    command.insert(command.end(), run.begin(), run.end());
    opinions.push_back({tool, std::move(command)});
  }
  return opinions;
}

}  // namespace kerlab::session
