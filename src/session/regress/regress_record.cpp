#include "session/regress/regress_record.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "session/find/shipped_kernel.h"
#include "session/find/subject.h"
#include "session/regress/regress_choice.h"
#include "session/regress/regress_fingerprint.h"
#include "session/regress/regress_gate.h"
#include "session/regress/regress_text.h"
#include "session/run/space.h"

namespace kerlab::session {

namespace {

constexpr int kRounds = 20;  ///< samples of a device that measures time

/// A variant's text for a dtype and flags: one program but for its parameters.
std::string form_of(const RegressKernel& kernel) {
  std::string form =
      fmt::format("{} {} {}", kernel.source.source.hash, kernel.source.variant->name, name(kernel.problem.dtype));
  for (const auto& [flag, value] : kernel.problem.flags) form += " " + value;
  return form;
}

}  // namespace

RecordSession::RecordSession(RecordOptions options, BaselineFolder folder, Database* database)
    : options_(std::move(options)), folder_(std::move(folder)), database_(database), lock_(folder_) {
  if (!options_.rig.kept) options_.rig.kept = std::make_shared<KeptProcesses>();
  if (options_.rig.device == "auto") options_.rig.device = "gpu";
  options_.rig.target.clear();
  open_device(options_.rig, rig_);
  device_ = rig_->device().name;
  device_class_ = rig_->device().device_class();
  if (options_.accept) {
    add_keys();
  } else if (options_.problems.empty()) {
    add_winners();
  } else {
    for (const RecordProblem& problem : options_.problems) add_problem(problem);
  }
  if (jobs_.empty())
    throw Error(fmt::format("nothing to record on {}: {}", device_,
                            notes_.empty() ? "no winner is stored; name a family, or --suite FILE"
                                           : fmt::format("{}", fmt::join(notes_, "; "))),
                ExitCode::inconclusive);
}

void RecordSession::open_family(const std::string& family) {
  if (family_ == family) return;
  KernelFolder folder = open_catalogue(options_.rig.kernels).find(family);
  rig_.reset();  // gives its processes to the next
  rig_ = std::make_unique<Rig>(options_.rig, std::move(folder));
  family_ = family;
  loaded_.clear();
}

void RecordSession::add_winners() {
  if (database_ == nullptr) return;
  for (const Decision& decision : database_->winners()) {
    if (decision.device_class != device_class_) continue;
    const auto trial = database_->trial(decision.trial);
    if (!trial) continue;
    jobs_.push_back({trial->family, trial->problem, trial->variant, trial->configuration,
                     fmt::format("winner, trial {}", trial->id), options_.why, 0});
  }
}

void RecordSession::add_keys() {
  const BaselineFolder::Listing listing = folder_.read();
  for (const BaselineFolder::Damaged& damaged : listing.damaged)
    if (is_chosen(damaged.key, options_.keys)) throw Error(damaged.why);
  for (const Baseline& baseline : chosen_baselines(listing, options_.keys, device_class_))
    jobs_.push_back({baseline.folder.empty() ? baseline.family : baseline.folder, baseline.problem, baseline.variant,
                     baseline.configuration, baseline.chosen, options_.why.empty() ? baseline.why : options_.why,
                     baseline.min_tflops});
}

void RecordSession::add_problem(const RecordProblem& asked) {
  open_family(asked.family);
  const KernelFolder& folder = rig_->folder();
  const Problem problem =
      problem_for_device(folder, make_request(folder.family, asked.arguments, asked.dtype), rig_->device());
  const bool all = std::ranges::find(asked.variants, "all") != asked.variants.end();
  if (!asked.variants.empty() && !all) {
    for (const std::string& name : asked.variants) add_variant(problem, asked, find_variant(folder, name), true);
    return;
  }
  if (!all && asked.configuration.empty()) {  // the winner alone stands for the problem
    const auto winner = database_ != nullptr ? database_->winner(problem.key(), device_class_) : std::nullopt;
    if (const auto trial = winner ? database_->trial(winner->trial) : std::nullopt) {
      jobs_.push_back({asked.family, problem.key(), trial->variant, trial->configuration,
                       fmt::format("winner, trial {}", trial->id), options_.why, asked.min_tflops});
      return;
    }
    if (const auto shipped = shipped_kernel(options_.shipped, folder, problem, rig_->device(), "", notes_)) {
      jobs_.push_back({asked.family, problem.key(), shipped->variant->name,
                       configuration_text(*shipped->variant, shipped->configuration), shipped->how, options_.why,
                       asked.min_tflops});
      return;
    }
  }
  if (!asked.configuration.empty() && folder.variants.size() != 1)
    throw UsageError("--config: say of which variant (--variant NAME)");
  for (const Variant& variant : folder.variants)
    if (all || variant.tune || !asked.configuration.empty()) add_variant(problem, asked, variant, false);
}

void RecordSession::add_variant(const Problem& problem, const RecordProblem& asked, const Variant& variant, bool must) {
  if (const std::string reason = unsupported_reason(variant, problem, rig_->device()); !reason.empty()) {
    const std::string text = fmt::format("{} cannot do {}: {}", variant.name, problem.title(), reason);
    if (must) throw Error(text, ExitCode::inconclusive);
    notes_.push_back(text);
    return;
  }
  std::string chosen = "default";
  Configuration configuration = default_configuration(variant, problem, rig_->device());
  const auto winner = database_ != nullptr ? database_->winner(problem.key(), device_class_) : std::nullopt;
  const auto trial = winner ? database_->trial(winner->trial) : std::nullopt;
  if (!asked.configuration.empty()) {
    const CompletedConfiguration completed =
        complete_configuration(variant, problem, rig_->device(), asked.configuration);
    require_valid(completed, variant, problem);
    announce_completion(variant.name, completion_remark(completed));
    configuration = completed.configuration;
    chosen = how_completed("as typed", completed);
  } else if (trial && trial->variant == variant.name) {
    configuration = parse_configuration(variant, trial->configuration);
    chosen = fmt::format("winner, trial {}", trial->id);
  } else if (auto shipped =
                 shipped_kernel(options_.shipped, rig_->folder(), problem, rig_->device(), variant.name, notes_)) {
    configuration = std::move(shipped->configuration);
    chosen = shipped->how;
  }
  if (const std::string broken = violated_constraint(variant, problem, rig_->device(), configuration); !broken.empty())
    throw UsageError(fmt::format("{} {} is not valid for {}: {}", variant.name,
                                 configuration_text(variant, configuration), problem.title(), broken));
  jobs_.push_back({asked.family, problem.key(), variant.name, configuration_text(variant, configuration), chosen,
                   options_.why, asked.min_tflops});
}

bool RecordSession::step() {
  if (next_ == jobs_.size()) return false;
  if (ahead_.step() || compile_ahead()) return true;
  std::optional<RecordRow> row = advance(jobs_[next_]);
  if (!row) return true;
  rows_.push_back(std::move(*row));
  passed_.reset();
  if (++next_ == jobs_.size()) finish();
  return next_ < jobs_.size();
}

/// None: the job has further steps.
std::optional<RecordRow> RecordSession::advance(const Job& job) {
  try {
    if (!passed_) return check(job);
    if (passed_->values && passed_->values->step()) return std::nullopt;
    finish_values();
    return record(job);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    RecordRow row;
    row.title = passed_ ? passed_->row.title : job.problem;
    row.variant = job.variant;
    row.configuration = job.configuration;
    row.error = error.what();
    row.code = error.code() == ExitCode::usage ? ExitCode::no_baseline : error.code();
    return row;
  }
}

/// On all cores at once, family by family. What cannot be compiled is told when its turn comes. False: there are no
/// more.
bool RecordSession::compile_ahead() {
  if (!options_.rig.use_cache || next_ahead_ == jobs_.size()) return false;
  if (next_ahead_ == 0)
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) {
      return std::tie(a.family, a.problem) < std::tie(b.family, b.problem);
    });
  std::vector<CompileRequest> requests;
  const std::string family = jobs_[next_ahead_].family;
  for (; next_ahead_ < jobs_.size() && jobs_[next_ahead_].family == family; ++next_ahead_) {
    try {
      RegressKernel kernel = kernel_of(jobs_[next_ahead_]);
      requests.push_back({std::move(kernel.source.source), std::move(kernel.candidate.options)});
    } catch (const Error& error) {
      if (error.code() == ExitCode::interrupted) throw;
    }
  }
  if (rig_ && !requests.empty()) ahead_ = CompileAhead(*rig_, std::move(requests));
  return true;
}

std::string RecordSession::doing() const {
  if (ahead_.left() > 0)
    return fmt::format("{} of {} to compile", format_count(static_cast<std::int64_t>(ahead_.left()), "kernel"),
                       jobs_[next_ahead_ - 1].family);
  if (passed_ && passed_->values) return passed_->values->doing();
  return rows_.empty() ? "" : rows_.back().title + " " + rows_.back().variant;
}

RegressKernel RecordSession::kernel_of(const Job& job) {
  open_family(job.family);
  const KernelFolder& folder = rig_->folder();
  const Variant& variant = find_variant(folder, job.variant);
  const Problem problem = make_problem(folder.family, request_of_key(folder.family, job.problem));
  return make_kernel(problem, variant, parse_configuration(variant, job.configuration), *rig_);
}

/// The thorough check. A row: it has not passed.
std::optional<RecordRow> RecordSession::check(const Job& job) {
  RegressKernel kernel = kernel_of(job);
  const Problem& problem = kernel.problem;
  const Variant& variant = *kernel.source.variant;
  // What cannot be read is not overwritten: told before anything runs.
  static_cast<void>(folder_.find(baseline_key(problem, rig_->folder().family, variant, rig_->device())));
  if (loaded_ != problem.key()) {
    setup_ = prepare_problem(rig_->folder(), problem, rig_->device());
    ProblemLoader(*rig_, *setup_).load();
    loaded_ = problem.key();
  }
  SingleOptions single;
  single.recipes = all_recipes(setup_->plan);
  single.thorough = true;
  single.schedule = TimingSchedule{};
  if (measures_time(rig_->device())) single.schedule->rounds = kRounds;
  single.deadline = generous_deadline(*rig_, *setup_, 10 * single.recipes.size() + kRounds);
  Evaluation result = run_single(*rig_, *setup_, kernel.source, kernel.configuration, single);

  RecordRow row;
  row.title = problem.title();
  if (variant.accuracy.weaker()) row.title += fmt::format(" ({})", accuracy_text(variant.accuracy));
  row.variant = job.variant;
  row.configuration = job.configuration;
  row.chosen = job.chosen;
  row.trial = result.candidate.trial;
  if (row.trial.status != TrialStatus::passed) {
    row.key = baseline_key(problem, rig_->folder().family, variant, rig_->device());
    row.error = ending_text(row.trial);
    row.code = row.trial.status == TrialStatus::unsupported ? ExitCode::inconclusive : ExitCode::wrong;
    return row;
  }
  std::string form = form_of(kernel);
  passed_.emplace(std::move(kernel), std::move(result), std::move(row), std::move(form), std::nullopt);
  if (!options_.unchecked_values && !values_known_.contains(passed_->form)) begin_values();
  return std::nullopt;
}

void RecordSession::begin_values() {
  const RegressKernel& kernel = passed_->kernel;
  passed_->values.emplace(*rig_, database_, session_record(options_, rig_->device()));
  passed_->values->add(kernel.source, kernel.problem, kernel.configuration);
}

/// What one kernel's checks have found holds for the others of the same form, database or not.
void RecordSession::finish_values() {
  if (options_.unchecked_values) return;
  std::string& fault = values_known_[passed_->form];
  if (passed_->values) {
    loaded_.clear();  // the checks had a problem of their own
    const std::vector<std::string>& notes = passed_->values->notes();
    notes_.insert(notes_.end(), notes.begin(), notes.end());
    if (!passed_->values->faults().empty()) fault = passed_->values->faults().front().text();
  }
  if (!fault.empty()) throw Error(fault, ExitCode::wrong);
}

RecordRow RecordSession::record(const Job& job) {
  const RegressKernel& kernel = passed_->kernel;
  const Evaluation& result = passed_->result;
  RecordRow row = std::move(passed_->row);
  Baseline baseline = make_baseline(kernel, result, *setup_, *rig_);
  if (job.family.find('/') != std::string::npos) baseline.folder = job.family;
  baseline.chosen = job.chosen;
  baseline.why = job.why;
  baseline.min_tflops = job.min_tflops;
  baseline.unchecked_values = options_.unchecked_values;
  if (measures_time(rig_->device())) {
    if (!result.measurement) throw Error("it was not timed: no sample was taken", ExitCode::inconclusive);
    baseline.time = baseline_time(*result.measurement, baseline, rig_->device());
    baseline.time->cubin = keep_image(result.candidate.image, database_, options_.artifacts);
    baseline.time->samples_digest = keep_samples(result.measurement->samples_us, database_, options_.artifacts);
  }
  keep(baseline, kernel, row);
  return row;
}

void RecordSession::keep(Baseline& baseline, const RegressKernel& kernel, RecordRow& row) {
  row.key = baseline.key;
  if (const std::optional<Baseline> old = folder_.find(baseline.key)) {
    row.changes = compare_figures(old->figures, baseline.figures, {});
    if (baseline.min_tflops == 0) baseline.min_tflops = old->min_tflops;
    // Nothing was to be accepted: the reason given is not this kernel's.
    if (options_.accept && row.changes.empty() && old->source_hash == baseline.source_hash) baseline.why = old->why;
  }
  row.recorded = folder_.write(baseline, kernel.source.source, lock_);
  if (database_ == nullptr) return;
  RegressRun run;
  run.name = folder_.name();
  run.key = baseline.key;
  run.device_class = device_class_;
  run.verdict = options_.accept ? "accepted" : "recorded";
  run.why = baseline.why;
  run.error_ratio = baseline.error_ratio;
  for (const Figure& one : baseline.figures)
    run.figures += fmt::format("{}{}={:.10g}", run.figures.empty() ? "" : " ", one.name, one.value);
  run.source_hash = baseline.source_hash;
  run.toolchain = baseline.toolchain;
  run.driver = rig_->device().driver;
  run.device = device_;
  database_->put(std::vector<RegressRun*>{&run});
}

void RecordSession::finish() {
  if (options_.unchecked_values)
    notes_.emplace_back(
        "--unchecked-values: some of the values of these variants' parameters may never have been right");
  if (options_.prune) {
    std::set<std::string> kept;
    for (const RecordRow& row : rows_) kept.insert(row.key);
    const bool all = std::ranges::all_of(rows_, [](const RecordRow& row) { return row.error.empty(); });
    const BaselineFolder::Listing listing = folder_.read();
    for (const Baseline& baseline : listing.baselines)
      if (all && baseline.device_class == device_class_ && !kept.contains(baseline.key)) {
        folder_.remove(baseline.key, lock_);
        notes_.push_back("removed " + baseline.key);
      }
  }
  folder_.remove_unused_sources(lock_);
  folder_.remove_torn(lock_);
}

ExitCode record_code(const std::vector<RecordRow>& rows) {
  for (const ExitCode code : {ExitCode::wrong, ExitCode::failed, ExitCode::inconclusive, ExitCode::no_baseline})
    if (std::ranges::find(rows, code, &RecordRow::code) != rows.end()) return code;
  return ExitCode::passed;
}

}  // namespace kerlab::session
