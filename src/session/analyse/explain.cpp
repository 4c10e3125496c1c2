#include "session/analyse/explain.h"

#include <algorithm>

#include "session/analyse/what_if.h"
#include "session/find/problem_words.h"
#include "session/run/count_operations.h"
#include "session/run/device_class.h"
#include "session/run/device_ids.h"
#include "session/run/modelled.h"
#include "session/run/space.h"
#include "session/shapes/tiles.h"

namespace kerlab::session {
namespace {

constexpr double kOff = 0.02;             // counted over predicted less 1, from which on it is worth a line
constexpr std::size_t kPlacesOfEach = 2;  // of a counter

std::vector<VariantFit> fits(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device) {
  std::vector<VariantFit> list;
  for (const Variant& variant : folder.variants) {
    const std::string doc =
        variant.accuracy.weaker() ? fmt::format("({}) {}", accuracy_text(variant.accuracy), variant.doc) : variant.doc;
    VariantFit fit{variant.name, doc, variant.rung, unsupported_reason(variant, problem, device), ""};
    if (fit.reason.empty()) {
      const Configuration configuration = default_configuration(variant, problem, device);
      fit.reason = violated_constraint(variant, problem, device, configuration);
      fit.configuration = configuration_text(variant, configuration);
    }
    list.push_back(std::move(fit));
  }
  std::ranges::stable_sort(list, {}, &VariantFit::rung);
  return list;
}

/// A GPU like the emulated device whose winners and ceilings are stored; else the emulated device itself.
DeviceInfo known_device(const DeviceInfo& emulated, const std::optional<Trial>& trial, const Database& database) {
  if (trial && stored_capabilities(trial->device_kind).is_hardware) return device_of_class(trial->device_class);
  std::string newest, device_class;
  for (const Decision& decision : database.winners()) {
    const auto winner = database.trial(decision.trial);
    if (!winner || !stored_capabilities(winner->device_kind).is_hardware || emulated_twin(*winner) != emulated.id)
      continue;
    if (decision.created < newest) continue;
    newest = decision.created;
    device_class = decision.device_class;
  }
  return device_class.empty() ? emulated : device_of_class(device_class);
}

void add_problem(Explanation& result, const KernelFolder& folder, const Problem& problem,
                 const std::optional<Trial>& trial, const Database* database) {
  const Database nothing = Database::in_memory();
  const Database& known = database == nullptr ? nothing : *database;
  const DeviceInfo device = known_device(result.device, trial, known);
  const MeasuredCeilings ceilings = stored_ceilings(known, device);
  const ShippedWinners shipped = read_shipped(shipped_folder(), shipped_device(result.device), folder.family.name);
  result.problem = problem_roofline(folder.family, problem, device, ceilings, known, shipped.winners);
  result.times_of = device.device_class();
  result.ceilings_created = ceilings.created;
}

/// Persistent blocks do not all do the same: of some of them all cannot be told exactly.
double unevenness(const std::vector<LaunchInspection>& launches, const std::vector<LaunchWaves>& waves) {
  double most = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!waves[i].stays || launches[i].work.blocks_run >= launches[i].work.blocks) continue;
    const SmShare share = share_of_sms(waves[i].tiles.items, waves[i].tiles.places);
    most = std::max(most, share.most == 0 ? 1 : 1 - static_cast<double>(share.least) / static_cast<double>(share.most));
  }
  return most;
}

void add_operations(Explanation& result, const Subject& subject) {
  const Inspection& kernel = *result.kernel;
  Counts total;
  std::int64_t blocks = 0, run = 0;
  for (const LaunchInspection& launch : kernel.launches) {
    for (int i = 0; i < launch.times; ++i) total += launch.counts;
    blocks += launch.work.blocks * launch.times;
    run += launch.work.blocks_run;
  }
  result.operations.rows = compare_operations(
      predicted_counts(*subject.source.variant, subject.problem, subject.configuration, result.device), &total);
  result.operations.scope = fmt::format("{} of {} blocks", run, blocks);
  result.uneven = unevenness(kernel.launches, result.waves);
  for (const Operation& row : result.operations.rows) {
    const auto ratio = row.ratio();
    if (!ratio || std::abs(*ratio - 1) <= std::max(kOff, result.uneven)) continue;
    for (CounterPlace& place : places_of(row.name, kernel.launches, kPlacesOfEach))
      result.excess.push_back(std::move(place));
  }
}

/// Of the launch that a counted one was.
std::int64_t tiles_for(const LaunchInspection& launch, const LaunchPlan& plan, const std::vector<std::int64_t>& tiles) {
  for (std::size_t i = 0; i < plan.launches.size() && i < tiles.size(); ++i) {
    const Dim3& grid = plan.launches[i].grid;
    const std::vector<int> extent = {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)};
    if (plan.launches[i].kernel == launch.kernel && extent == launch.grid) return tiles[i];
  }
  return 0;
}

void add_waves(Explanation& result, const KernelFolder& folder, const Subject& subject, const ProblemPlan& problem) {
  const Variant& variant = *subject.source.variant;
  const LaunchPlan plan =
      instantiate(folder.family, variant, subject.problem, subject.configuration, result.device).plan;
  const auto tiles = tiles_of(folder.family, variant, subject.problem, subject.configuration, result.device);
  const Ceilings ceilings = model_ceilings(problem, result.device);
  for (const LaunchInspection& launch : result.kernel->launches)
    result.waves.push_back(launch_waves(launch, result.device, ceilings, tiles_for(launch, plan, tiles)));
}

/// What is known of a trial that can no longer be compiled.
Inspection stored_facts(const Trial& trial, const Problem& problem, const DeviceInfo& device,
                        const Database& database) {
  Inspection kernel;
  kernel.trial = trial;
  kernel.title = problem.title();
  kernel.how = fmt::format("trial {}", trial.id);
  kernel.device = device.id;
  kernel.stored = stored_times(trial, database);
  return kernel;
}

}  // namespace

// Not in the nameless namespace: explain's frame holds one, and GCC warns of that where files are compiled together.
/// The kernel that is meant, with what stands in its way.
struct FoundKernel {
  std::optional<Subject> subject;
  std::optional<Trial> trial;
  std::string obstacle;
};

namespace {

FoundKernel find_kernel(const InspectOptions& options, const Rig& rig, const Problem& problem,
                        const Database* database) {
  const SubjectName& name = options.subject;
  FoundKernel meant;
  if (name.trial > 0) meant.trial = database->trial(name.trial);
  const bool open = name.trial == 0 && name.variant.empty();
  if (open && name.configuration.empty() && rig.folder().variants.size() > 1) {
    meant.trial = newest_winner(problem, database);
    if (!meant.trial) return meant;
  }
  if (name.trial == 0 && !name.variant.empty()) {
    const Variant& variant = find_variant(rig.folder(), name.variant);
    if (std::string reason = unsupported_reason(variant, problem, rig.device()); !reason.empty()) {
      meant.obstacle = std::move(reason);
      return meant;
    }
  }
  try {
    meant.subject = resolve_subject(name, options.arguments, options.dtype, rig.folder(), rig.device(), database);
    meant.trial = meant.subject->trial;
  } catch (const Error& error) {
    // A stored trial is of yesterday's parameters: its record is explained all the same. What was typed is not.
    if (!meant.trial) throw;
    meant.obstacle = error.what();
  }
  return meant;
}

/// Empty: no kernel is meant.
std::string kernel_name(const FoundKernel& meant, const SubjectName& name) {
  const std::string variant = meant.subject ? meant.subject->source.variant->name
                              : meant.trial ? meant.trial->variant
                                            : name.variant;
  if (variant.empty()) return "";
  return (name.trial > 0 && meant.trial ? meant.trial->family : name.family) + "/" + variant;
}

Problem problem_of(const InspectOptions& options, const Rig& rig, const Database* database) {
  const Family& family = rig.folder().family;
  if (options.subject.trial == 0)
    return problem_for_device(rig.folder(), make_request(family, options.arguments, options.dtype), rig.device());
  if (!options.arguments.empty() || !options.dtype.empty())
    throw UsageError(
        fmt::format("trial {}: an id says it all; dimensions and --dtype go with a family", options.subject.trial));
  const auto trial = database->trial(options.subject.trial);
  return problem_for_device(rig.folder(), request_of_key(family, trial->problem), rig.device());
}

/// What of `result` is known once the kernel is counted.
Stepped<Explanation> count_kernel(Explanation result, Rig& rig, const Subject& subject, const ExplainOptions& options,
                                  const Database* database) {
  ProblemSetup setup = prepare_problem(rig.folder(), subject.problem, rig.device());
  co_yield "preparing " + subject.problem.title();
  ProblemLoader(rig, setup, false).load();
  if (setup.cost_from_data()) use_counted_cost(result.problem, setup.plan.flops, setup.plan.bytes);
  co_yield counting_text(subject, rig.device());
  result.kernel = inspect_subject(rig, setup, subject, database);
  if (result.kernel->launches.empty()) {
    result.obstacle = ending_text(result.kernel->trial);
    result.code = ExitCode::failed;
    co_return result;
  }
  result.typed = short_configuration(*subject.source.variant, subject.problem, rig.device(), subject.configuration);
  add_waves(result, rig.folder(), subject, setup.plan);
  add_operations(result, subject);
  result.steps =
      steps_from(rig.folder().family, *subject.source.variant, subject.problem, rig.device(), subject.configuration)
          .size();
  auto neighbours =
      what_if(rig, setup, subject, *result.kernel, database, options.what_if, options.inspect.rig.use_cache);
  while (neighbours.step()) co_yield neighbours.doing();
  result.what_if = neighbours.take();
  co_return result;
}

KnownTime known_time(const RooflinePoint& point) {
  const Measurement& m = point.measurement;
  const std::string who = point.winner            ? "the winner, "
                          : point.shipped.empty() ? "the best stored trial of "
                                                  : "the shipped winner, ";
  const std::string trial = point.trial.id > 0 ? fmt::format(" (trial {})", point.trial.id) : "";
  return {who + point.trial.variant + trial,
          m.median_us,
          m.low_us,
          m.high_us,
          m.clock,
          point.shipped.empty() ? point.trial.device_class : point.shipped};
}

/// Of other kernels than the one that is explained.
std::vector<KnownTime> known_times(const Explanation& explanation) {
  std::vector<KnownTime> list;
  for (const RooflinePoint& point : explanation.problem.points) {
    const bool same = explanation.kernel && point.trial.variant == explanation.kernel->trial.variant &&
                      point.trial.configuration == explanation.kernel->trial.configuration && point.shipped.empty();
    if (!same && point.measurement.median_us > 0) list.push_back(known_time(point));
  }
  for (const LibraryTime& time : explanation.problem.library)
    list.push_back(
        {time.label, time.median_us, time.low_us, time.high_us,
         explanation.times_of == explanation.device.device_class() ? ClockKind::modelled : ClockKind::measured,
         explanation.times_of});
  return list;
}

}  // namespace

Stepped<Explanation> explain(ExplainOptions options, const Database* database) {
  InspectOptions& inspect = options.inspect;
  inspect.rig.target = family_of(inspect.subject, database);
  const auto trial = inspect.subject.trial > 0 ? database->trial(inspect.subject.trial) : std::nullopt;
  if (trial && !inspect.rig.device.starts_with("emu:")) inspect.rig.device = emulated_twin(*trial);
  inspect.rig.device = inspecting_device(inspect.rig.device);
  co_yield "starting " + inspect.rig.device;
  Rig rig(inspect.rig);
  take_problem_words(inspect.subject, inspect.arguments, rig.folder().family);
  const Problem problem = problem_of(inspect, rig, database);
  const FoundKernel meant = find_kernel(inspect, rig, problem, database);

  Explanation result;
  result.device = rig.device();
  result.kernel_name = kernel_name(meant, inspect.subject);
  add_problem(result, rig.folder(), problem, meant.trial, database);
  if (meant.subject) {
    announce_completion(meant.subject->source.variant->name, meant.subject->completion);
    auto counting = count_kernel(std::move(result), rig, *meant.subject, options, database);
    while (counting.step()) co_yield counting.doing();
    result = counting.take();
  } else if (!meant.obstacle.empty()) {
    result.obstacle = meant.obstacle;
    result.code = ExitCode::inconclusive;
    if (meant.trial) result.kernel = stored_facts(*meant.trial, problem, rig.device(), *database);
  }
  if (!meant.subject) result.variants = fits(rig.folder(), problem, rig.device());
  result.bottleneck = result.kernel && !result.kernel->launches.empty() ? heaviest(*result.kernel).bottleneck
                                                                        : result.problem.bottleneck;
  result.problem_options = options_of(problem, rig.folder().family);
  result.known = known_times(result);
  co_return result;
}

}  // namespace kerlab::session
