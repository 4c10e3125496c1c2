#include "session/analyse/roofline.h"

#include <algorithm>
#include <map>

#include "base/interrupt.h"

namespace kerlab::session {

namespace {

constexpr double kNegligible = 0.05;  // share of the traffic

/// Reading, writing and copying reach different bandwidths: the one that the problem's tensors are like.
std::string bandwidth_like(const std::vector<Tensor>& tensors) {
  double read = 0, written = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.role != Role::output) read += static_cast<double>(tensor.bytes());
    if (tensor.role != Role::input) written += static_cast<double>(tensor.bytes());
  }
  if (written < kNegligible * read) return "read";
  return read < kNegligible * written ? "write" : "copy";
}

/// The measurement that the decision rests on; another final one if that is gone.
std::optional<Measurement> decided_measurement(const Database& database, const Decision& decision) {
  for (Measurement& measurement : database.measurements(decision.trial)) {
    if (measurement.id == decision.measurement) return std::move(measurement);
  }
  return database.latest_measurement(decision.trial, TimingStage::final);
}

void add_winner(ProblemRoofline& problem, const DeviceInfo& device, const Database& database) {
  const auto decision = database.winner(problem.key, device.device_class());
  if (!decision) return;
  auto trial = database.trial(decision->trial);
  auto measurement = decided_measurement(database, *decision);
  // A pretended device may have a real one's name; its times must not be shown as this one's.
  if (!trial || !measurement || measurement->clock != device.clock()) return;
  problem.points.push_back(point_under(problem, std::move(*trial), std::move(*measurement)));
  problem.points.front().winner = true;
}

/// With a cold cache: side by side with others, else asked for or of a ladder, else of a sweep.
std::optional<Measurement> best_measured(const Database& database, const Trial& trial, const DeviceInfo& device) {
  for (const TimingStage stage : kMostTrustedFirst) {
    auto measurement = database.latest_measurement(trial.id, stage);
    if (measurement && measurement->cache == CacheState::cold && measurement->clock == device.clock())
      return measurement;
  }
  return std::nullopt;
}

/// Best per variant, except of the winner's.
void add_others(ProblemRoofline& problem, const DeviceInfo& device, const Database& database) {
  const std::size_t winners = problem.points.size();
  std::map<std::string, RooflinePoint> best;
  for (Trial& trial : database.trials(problem.key, device.device_class())) {
    if (trial.status != TrialStatus::passed) continue;
    if (winners > 0 && trial.variant == problem.points.front().trial.variant) continue;
    auto measurement = best_measured(database, trial, device);
    if (!measurement) continue;
    const auto at = best.find(trial.variant);
    if (at != best.end() && at->second.measurement.median_us <= measurement->median_us) continue;
    const std::string variant = trial.variant;
    best.insert_or_assign(variant, point_under(problem, std::move(trial), std::move(*measurement)));
  }
  for (auto& [variant, point] : best) problem.points.push_back(std::move(point));
  std::sort(
      problem.points.begin() + static_cast<std::ptrdiff_t>(winners), problem.points.end(),
      [](const RooflinePoint& a, const RooflinePoint& b) { return a.measurement.median_us < b.measurement.median_us; });
}

/// Unless it is the stored winner itself. Its times are a real GPU's, whatever this device is.
void add_shipped(ProblemRoofline& problem, const std::vector<ShippedWinner>& shipped) {
  for (const ShippedWinner& winner : shipped) {
    if (winner.problem != problem.key) continue;
    if (!problem.points.empty() && problem.points.front().winner &&
        problem.points.front().measurement.clock == ClockKind::measured &&
        problem.points.front().trial.configuration == winner.configuration)
      continue;
    Trial trial;
    trial.family = winner.family;
    trial.variant = winner.variant;
    trial.configuration = winner.configuration;
    trial.problem = winner.problem;
    trial.device_class = winner.device_class;
    Measurement measurement;
    measurement.stage = TimingStage::final;
    measurement.median_us = winner.median_us;
    measurement.low_us = winner.low_us;
    measurement.high_us = winner.high_us;
    measurement.sm_clock_mhz = winner.sm_clock_mhz;
    RooflinePoint point = point_under(problem, std::move(trial), std::move(measurement));
    point.shipped = fmt::format("{}, {}", shipped_device_title(winner.device_class), winner.date);
    problem.points.push_back(std::move(point));
  }
}

/// What is shipped for such a device, of problems without a stored winner.
/// Adds problems by their keys. Each family is read once.
class ProblemsByKey {
 public:
  ProblemsByKey(RooflineReport& report, const RooflineOptions& options, const Database& database)
      : report_(report), catalogue_(open_catalogue(options.rig.kernels)), database_(database) {}

  void add_stored(const Decision& decision) {
    const auto has_winner = [](const ProblemRoofline& found) { return found.points.front().winner; };
    if (decision.device_class == report_.device.device_class()) add(decision.family, decision.problem, {}, has_winner);
  }
  void add_shipped(const ShippedWinner& winner) {
    if (std::ranges::find(report_.problems, winner.problem, &ProblemRoofline::key) == report_.problems.end())
      add(winner.family, winner.problem, {winner}, [](const ProblemRoofline&) { return true; });
  }

 private:
  template <typename Wanted>
  void add(const std::string& name, const std::string& key, const std::vector<ShippedWinner>& shipped, Wanted wanted) {
    end_interrupted_wait();
    try {
      auto known = families_.find(name);
      if (known == families_.end()) known = families_.emplace(name, catalogue_.find(name).family).first;
      const Family& family = known->second;
      const Problem problem = make_problem(family, request_of_key(family, key));
      auto found = problem_roofline(family, problem, report_.device, report_.measured, database_, shipped);
      if (!found.points.empty() && wanted(found)) report_.problems.push_back(std::move(found));
    } catch (const Error& error) {
      report_.warnings.push_back(fmt::format("left out: {}: {}", key, error.what()));
    }
  }

  RooflineReport& report_;
  Catalogue catalogue_;
  const Database& database_;
  std::map<std::string, Family> families_;
};

void add_winners(RooflineReport& report, const RooflineOptions& options, const Database& database,
                 const std::vector<ShippedWinner>& shipped) {
  ProblemsByKey problems(report, options, database);
  for (const Decision& decision : database.winners()) problems.add_stored(decision);
  for (const ShippedWinner& winner : shipped) problems.add_shipped(winner);
}

void take_ceilings(RooflineReport& report, const RooflineOptions& options, Rig& rig, Database& database) {
  try {
    report.measured = measure_ceilings(rig, database);
    report.measured_now = true;
  } catch (const Error& error) {
    if (options.measure || error.code() == ExitCode::interrupted) throw;
    report.warnings.push_back(fmt::format("only theoretical ceilings: {}", error.what()));
  }
}

}  // namespace

RooflinePoint point_under(const ProblemRoofline& problem, Trial trial, Measurement measurement) {
  RooflinePoint point;
  const double us = measurement.median_us;
  point.trial = std::move(trial);
  point.measurement = std::move(measurement);
  if (us <= 0) return point;
  point.flops_per_s = problem.flops / us * 1e6;
  point.bytes_per_s = problem.bytes / us * 1e6;
  point.of_theoretical = problem.roof.minimum_us / us;
  if (problem.measured_roof) point.of_measured = problem.measured_roof->minimum_us / us;
  return point;
}

ProblemRoofline problem_roof(const Family& family, const Problem& problem, const DeviceInfo& device,
                             const MeasuredCeilings& measured) {
  ProblemRoofline result;
  result.title = problem.title();
  result.key = problem.key();
  result.dtype = problem.dtype;
  result.flops = flops_of(family, problem);
  result.bytes = bytes_of(family, problem);
  result.bandwidth = bandwidth_like(tensors_of(family, problem));
  result.theoretical = theoretical_ceilings(device, problem.dtype, uses_tensor_cores(problem.dtype));
  result.roof = roofline(result.flops, result.bytes, result.theoretical);
  result.measured = practical_ceilings(measured, result.bandwidth, problem.dtype, result.theoretical);
  if (result.measured) result.measured_roof = roofline(result.flops, result.bytes, *result.measured);
  result.bottleneck = bottleneck_of(family, problem, device);
  return result;
}

void use_counted_cost(ProblemRoofline& problem, double flops, double bytes) {
  problem.cost_from_data = true;
  problem.flops = flops;
  problem.bytes = bytes;
  problem.roof = roofline(flops, bytes, problem.theoretical);
  if (problem.measured) problem.measured_roof = roofline(flops, bytes, *problem.measured);
  for (RooflinePoint& point : problem.points) {
    RooflinePoint anew = point_under(problem, std::move(point.trial), std::move(point.measurement));
    anew.winner = point.winner;
    anew.shipped = std::move(point.shipped);
    point = std::move(anew);
  }
  problem.sentence = roofline_sentence(problem);
}

ProblemRoofline problem_roofline(const Family& family, const Problem& problem, const DeviceInfo& device,
                                 const MeasuredCeilings& measured, const Database& database,
                                 const std::vector<ShippedWinner>& shipped) {
  ProblemRoofline result = problem_roof(family, problem, device, measured);
  add_winner(result, device, database);
  add_others(result, device, database);
  add_shipped(result, shipped);
  result.library = database.library_times(result.key, device.device_class(), device.clock());
  result.sentence = roofline_sentence(result);
  return result;
}

Stepped<RooflineReport> make_rooflines(RooflineOptions options, Database& database) {
  KernelFolder folder;
  ProblemRequest request;
  if (!options.rig.target.empty()) {
    folder = open_catalogue(options.rig.kernels).find(options.rig.target);
    // What was typed is judged before a device is needed.
    request = make_request(folder.family, options.arguments, options.dtype);
    make_problem(folder.family, request);
  } else if (!options.arguments.empty()) {
    throw UsageError(fmt::format("--{}: of which family? kerlab roofline FAMILY --{} {}", options.arguments[0].name,
                                 options.arguments[0].name, options.arguments[0].value));
  }
  Rig rig(options.rig, std::move(folder));
  RooflineReport report;
  report.device = rig.device();
  report.measured = stored_ceilings(database, report.device);
  if (!options.only_stored && (options.measure || report.measured.rows.empty())) {
    co_yield "measuring what " + rig.device().id + " reaches";
    take_ceilings(report, options, rig, database);
  }
  ShippedWinners shipped;  // none for a script, which pretends for tests only
  if (!report.device.is_scripted) shipped = read_shipped(shipped_folder(), shipped_device(report.device));
  report.warnings.insert(report.warnings.end(), shipped.warnings.begin(), shipped.warnings.end());
  if (options.rig.target.empty()) {
    add_winners(report, options, database, shipped.winners);
  } else {
    const Problem problem = problem_for_device(rig.folder(), request, rig.device());
    report.problems.push_back(
        problem_roofline(rig.folder().family, problem, report.device, report.measured, database, shipped.winners));
  }
  co_return report;
}

}  // namespace kerlab::session
