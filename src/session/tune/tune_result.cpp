// What a session says while it runs and when it is finished (or interrupted): gathered from its parts, nothing is
// measured here.

#include <algorithm>
#include <array>
#include <map>

#include "base/elapsed.h"
#include "base/enum_words.h"
#include "base/format.h"
#include "session/run/ceilings.h"
#include "session/tune/tune.h"

namespace kerlab::session {

namespace {

/// Parameters of the winner that sit at the end of their listed values. One of which a single value was tried says
/// nothing: it is at that end because nothing else was looked at.
std::vector<std::string> range_edges(const Variant& variant, std::size_t index, const Configuration& winner,
                                     const std::deque<Screened>& screened) {
  const auto was_varied = [&](std::size_t parameter) {
    return std::ranges::any_of(screened, [&](const Screened& other) {
      return other.candidate.variant == index && other.time &&
             other.candidate.configuration.values[parameter] != winner.values[parameter];
    });
  };
  std::vector<std::string> edges;
  for (std::size_t i = 0; i < variant.parameters.size(); ++i) {
    const Parameter& parameter = variant.parameters[i];
    if (parameter.values.size() < 2 || !parameter.words.empty() || !was_varied(i)) continue;
    const auto [least, most] = std::minmax_element(parameter.values.begin(), parameter.values.end());
    const std::int64_t value = winner.values[i];
    if (*least == 0 && *most == 1) continue;  // a switch has no edge
    if (value == *most) edges.push_back(fmt::format("{}={} (largest)", parameter.name, value));
    if (value == *least && value > 1) edges.push_back(fmt::format("{}={} (smallest)", parameter.name, value));
  }
  return edges;
}

std::vector<Importance> importance_in(const Variant& variant, std::size_t variant_index,
                                      const std::deque<Screened>& screened) {
  std::vector<std::string> names;
  for (const Parameter& parameter : variant.parameters) names.push_back(parameter.name);
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (const Screened& candidate : screened) {
    if (candidate.candidate.variant != variant_index || !candidate.time) continue;
    configurations.push_back(candidate.candidate.configuration.values);
    costs.push_back(candidate.time->median_us);
  }
  return parameter_importance(names, configurations, costs);
}

void count_failures(const std::deque<Screened>& screened, TuneResult& result) {
  std::vector<Trial> trials;
  for (const Screened& candidate : screened) trials.push_back(candidate.candidate.trial);
  result.failures = group_failures(trials);
  std::map<TrialStatus, std::size_t> failed;
  for (const FailureGroup& group : result.failures) failed[group.first.status] += group.trials.size();
  result.failed.assign(failed.begin(), failed.end());
}

}  // namespace

/// Of the sweep by its own pace as soon as there is one, of the finals by those of earlier tunes. None: not known.
std::optional<double> TuneSession::remaining_s(const ScreeningCounts& counts) const {
  constexpr std::size_t kEnough = 3;  // results that make a pace
  if (!pace_) return std::nullopt;
  if (screened_) return std::max(0.0, pace_->finals_s - seconds_since(*screened_));
  const std::size_t tried = counts.done - counts.stored - counts.hopeless;
  const double own =
      std::max(0.0, ledger_.seconds() - pace_->prepare_s) / static_cast<double>(std::max<std::size_t>(1, tried));
  const double each = tried < kEnough ? pace_->per_candidate_s : own;
  double planned = static_cast<double>(counts.planned - counts.stored);
  if (search_.forecasts()) planned = std::min(planned, std::max(pace_->tried, static_cast<double>(tried + 1)));
  double left_s = each * std::max(0.0, planned - static_cast<double>(tried));
  if (options_.screening.time_s > 0) left_s = std::min(left_s, options_.screening.time_s - reserved_s_);
  return left_s + pace_->finals_s;
}

std::string_view name(TunePhase phase) {
  constexpr std::array<std::string_view, 4> kNames = {"screening", "finals", "ladder", "finished"};
  return word_of(kNames, phase);
}

TuneState TuneSession::state() const {
  TuneState state;
  state.phase = phase_;
  state.counts = screening_->counts();
  state.compiling = rig_.compilers().pending();
  state.seconds = ledger_.seconds();
  state.waiting = company_.waiting();
  state.remaining_s = remaining_s(state.counts);
  if (const Screened* best = screening_->best()) {
    state.best_us = best->time->median_us;
    state.best_label = best->candidate.label;
  }
  return state;
}

std::vector<std::string> TuneSession::take_notes() {
  std::vector<std::string> notes = company_.take_notes();
  for (std::string& note : screening_->take_notes()) notes.push_back(std::move(note));
  for (std::string& note : std::exchange(notes_, {})) notes.push_back(std::move(note));
  if (finals_) {
    for (std::string& note : finals_->take_notes()) notes.push_back(std::move(note));
  }
  if (ladder_) {
    for (std::string& note : ladder_->take_notes()) notes.push_back(std::move(note));
  }
  return notes;
}

void TuneSession::warn_beyond_measured_roof(TuneResult& result) const {
  const DType dtype = setup_.problem.dtype;
  const Ceilings theoretical = theoretical_ceilings(rig_.device(), dtype, uses_tensor_cores(dtype));
  const auto measured =
      practical_ceilings(stored_ceilings(ledger_.database(), rig_.device()), "copy", dtype, theoretical);
  if (!measured) return;
  const double roof_us = roofline(setup_.plan.flops, setup_.plan.bytes, *measured).minimum_us;
  if (result.rows.front().measurement.median_us < 0.98 * roof_us) {
    result.warnings.push_back(
        "the winner is faster than the measured ceilings allow: a cache helps, or they are stale "
        "(kerlab device --measure)");
  }
}

void TuneSession::add_devices(TuneResult& result) const {
  for (const RigDevice& device : rig_.devices()) {
    result.devices.push_back({device.info, 0, device.runner->busy_seconds() / result.wall_s, device.lost});
    result.gpu_busy += result.devices.back().busy / static_cast<double>(rig_.devices().size());
    result.respawns += device.runner->respawns();
    if (!device.lost.empty())
      result.warnings.push_back(fmt::format("{} was given up during the sweep: {}", device.info.id, device.lost));
  }
  for (const Screened& screened : screening_->screened())
    if (screened.device) ++result.devices[*screened.device].tried;
}

/// Of a time budget what was asked for, though the sweep has only its share.
std::string TuneSession::ended() const {
  const std::string budget = fmt::format("{:g} s", options_.screening.time_s);
  const std::optional<SweepEnd> end = screening_->end();
  if (end == SweepEnd::recalled) return budget + ", in an earlier session";
  return end == SweepEnd::time ? budget : screening_->search_ended();
}

/// The limit that ended the search before it came to its own end.
std::string TuneSession::stopped_by() const {
  if (screening_->counts().done >= space_.size()) return "";
  if (screening_->end() == SweepEnd::time) return fmt::format("--time {:g}", options_.screening.time_s);
  if (interrupted_) return "interrupted";
  if (screening_->counts().done < search_.trials) return "";
  return fmt::format("--trials {}{}", search_.trials, options_.trials > 0 ? "" : ", the default");
}

TuneResult TuneSession::result() const {
  TuneResult result;
  result.title = setup_.problem.title();
  result.device = rig_.device();
  result.device_title = rig_.device_title();
  result.toolchain = rig_.toolchain();
  result.problem = setup_.plan;
  result.cost_from_data = setup_.cost_from_data();
  result.roof = theoretical_roof(setup_.problem, setup_.plan, rig_.device());
  result.space = space_.raw_size();
  result.valid = space_.valid_size();
  result.sampled = result.valid > space_.size() ? space_.size() : 0;
  result.search = search_;
  result.ended = ended();
  result.stopped_by = stopped_by();
  result.interrupted = interrupted_;
  if (const Screened* best = screening_->best(); best != nullptr && interrupted_)
    result.fastest = FastestSoFar{best->candidate.label, best->time->median_us};
  result.left_for_all = space_.left_for_all();
  if (setup_.small) result.small_problem = setup_.small->problem.title();
  result.counts = screening_->counts();
  result.left_out = space_.left_out();
  result.rule = final_.rule;
  result.outside = final_.outside;
  result.verified = final_.verified;
  result.library = final_.library;
  result.library_note = final_.library_note;
  result.beside = beside_;
  result.library_s = final_.library_s;
  result.measured_now = measured_now_;
  result.warnings = final_.warnings;
  result.warnings.insert(result.warnings.end(), warnings_.begin(), warnings_.end());
  for (std::string& warning : company_.warnings()) result.warnings.push_back(std::move(warning));
  result.shipped = shipped_;
  result.shipped_note = shipped_note_;
  if (!rig_.compilers().cache_warning().empty()) result.warnings.push_back(rig_.compilers().cache_warning());
  count_failures(screening_->screened(), result);
  result.rows = final_.rows;
  result.others = other_trials(screening_->screened(), final_.rows);
  if (!result.rows.empty())
    result.first_rung =
        first_rung(rig_.folder(), ledger_.database(), result.rows.front().trial, result.rows.front().measurement);
  result.variants = variant_outcomes(space_, screening_->screened(), final_);
  result.bottleneck = bottleneck_of(rig_.folder().family, setup_.problem, rig_.device());
  if (!final_.rows.empty()) {
    const Trial& winner = result.rows.front().trial;
    const auto [index, configuration] = space_.parse(winner.variant, winner.configuration).value();
    const Variant& variant = *space_.variants()[index].source.variant;
    result.untimed = untimed_text(variant);
    result.range_edges = range_edges(variant, index, configuration, screening_->screened());
    warn_beyond_measured_roof(result);
    result.importance = importance_in(variant, index, screening_->screened());
  }
  if (previous_ && (measured_now_ || interrupted_)) {
    const auto trial = ledger_.database().trial(previous_->trial);
    const auto measurement = ledger_.database().latest_measurement(previous_->trial, TimingStage::final);
    if (trial && measurement) {
      result.previous = PreviousWinner{trial->variant + " " + trial->configuration, measurement->median_us, trial->id};
    }
  }
  if (ladder_) result.ladder = ladder_->rungs();
  const auto seconds_until = [this](const std::optional<Clock::time_point>& when) {
    return std::chrono::duration<double>(when.value_or(Clock::now()) - begun_).count();
  };
  result.wall_s = seconds_until(finished_);
  result.open_s = seconds_until(opened_);
  if (screened_) result.finals_s = result.wall_s - seconds_until(screened_);
  result.worker_s = rig_.runner().seconds();
  add_devices(result);
  result.compilers_busy = rig_.compilers_busy_seconds() / (result.wall_s * rig_.compilers().processes());
  return result;
}

}  // namespace kerlab::session
