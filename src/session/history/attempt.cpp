#include "session/history/attempt.h"

#include <algorithm>

#include "base/elapsed.h"
#include "base/file.h"
#include "session/history/saves.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

/// Passes over shared memory of one run, beyond what the same accesses take without bank conflicts.
std::int64_t bank_conflicts(const std::vector<CountedLaunch>& launches) {
  double sum = 0;
  for (const CountedLaunch& launch : launches) {
    std::int64_t beyond = 0;
    for (const LineCounts& line : launch.lines) beyond += line.wavefronts - line.least_wavefronts;
    if (launch.blocks_run > 0)
      sum += static_cast<double>(beyond) * static_cast<double>(launch.blocks) / static_cast<double>(launch.blocks_run);
  }
  return static_cast<std::int64_t>(sum + 0.5);
}

constexpr double kLeastLimit = 5;  // seconds
constexpr double kPatience = 20;   // times what the last good run took

std::optional<double> occupancy_of(const Trial& trial, const DeviceInfo& device) {
  if (trial.blocks_per_sm <= 0 || trial.threads <= 0 || device.threads_per_sm <= 0) return std::nullopt;
  return static_cast<double>(trial.blocks_per_sm * trial.threads) / device.threads_per_sm;
}

Beside beside_of(const std::string& what, std::int64_t number, const std::vector<double>& ours,
                 const std::vector<double>& theirs) {
  Beside beside{what, number, median(theirs).value_or(0), 1, 1, 1};
  if (const auto ratio = paired_ratio(ours, theirs))
    beside = {what, number, beside.us, ratio->ratio, ratio->interval.low, ratio->interval.high};
  return beside;
}

std::string limit_message(double limit_s, double good_s) {
  return fmt::format("not done after {:.3g} s, the limit: an endless loop?{} --limit SECONDS allows more", limit_s,
                     good_s > 0 ? fmt::format(" The last good run took {:.2g} s;", good_s) : "");
}

/// What is known before it is compiled.
Attempt begun(const Subject& subject, const Rig& rig) {
  Attempt attempt;
  attempt.problem = subject.problem;
  attempt.how = subject.how;
  attempt.completion = subject.completion;
  attempt.device = fmt::format("{} {}", rig.device().id, rig.device().name);
  attempt.files = kernel_files(rig.folder().family, *subject.source.variant, subject.source.source,
                               read_kernel_source(rig.folder().family));
  return attempt;
}

/// Once the problem is loaded: it may depend on the data.
void know_cost(Attempt& attempt, const ProblemSetup& setup, const Rig& rig) {
  attempt.flops = setup.plan.flops;
  attempt.bytes = setup.plan.bytes;
  attempt.roof_us = theoretical_roof(setup.problem, setup.plan, rig.device()).minimum_us;
  attempt.cost_from_data = setup.cost_from_data();
}

SingleOptions with_lines(const Rig& rig, const ProblemSetup& setup) {
  SingleOptions single;
  single.recipes = quick_recipes(setup.plan);
  single.line_info = true;
  single.deadline = generous_deadline(rig, setup, 1);
  return single;
}

/// Everything that the candidate's outcome says, but for its comparison with others.
void take(Attempt& attempt, Evaluation& result, const Subject& subject, const DeviceInfo& device) {
  attempt.label = result.candidate.label;
  attempt.trial = result.candidate.trial;
  if (!result.compile_log.empty()) attempt.first_error = error_in_place(result.compile_log, subject.source.source);
  attempt.report = std::move(result.report);
  attempt.measurement = std::move(result.measurement);
  attempt.warning = std::move(result.warning);
  attempt.compile_s = result.compile_s;
  attempt.counted = std::move(result.counted);
  if (!attempt.counted.empty()) attempt.conflicts = bank_conflicts(attempt.counted);
  attempt.occupancy = occupancy_of(attempt.trial, device);
}

}  // namespace

Attempts::Attempts(AttemptOptions options, Database& database) : options_(std::move(options)), database_(database) {
  if (!options_.rig.kept) options_.rig.kept = std::make_shared<KeptProcesses>();
}

Attempts::~Attempts() {
  try {
    if (ledger_) ledger_->close(SessionState::finished);
  } catch (const std::exception&) {
    // The next session marks it interrupted.
  }
}

Stepped<Attempt> Attempts::run(AttemptRequest request) {
  ++number_;
  save_ = 0;
  knows_files_ = false;
  try {
    Stepped<Attempt> trying = try_now(request);
    while (trying.step()) co_yield trying.doing();
    co_return trying.take();
  } catch (const Error& error) {
    if (error.code() != ExitCode::interrupted)
      keep_broken(error.what());
    else
      keep_unfinished();
    throw;
  } catch (...) {
    keep_unfinished();
    throw;
  }
}

AttemptStage Attempts::stage() const {
  if (rig_ == nullptr) return {"starting the device", 0};
  if (rig_->runner().idle()) return {rig_->compilers().pending() > 0 ? "compiling" : "getting ready", 0};
  const WorkerSeconds& seconds = rig_->runner().seconds();
  if (seconds.load == 0) return {"data and reference", 0};
  return {seconds.check == 0 ? "checking" : "timing", limit_s_};
}

double Attempts::limit_of(const Track& track) const {
  if (options_.limit_s > 0) return options_.limit_s;
  return track.good_s > 0 ? std::max(kLeastLimit, kPatience * track.good_s) : 0;
}

/// The files are known: whatever becomes of the attempt, they are kept.
void Attempts::know_files(const Attempt& attempt, const Subject& subject) {
  files_ = attempt.files;
  family_ = subject.problem.family;
  variant_ = subject.source.variant->name;
  problem_ = subject.problem.key();
  completion_ = subject.completion;
  knows_files_ = true;
}

Stepped<Attempt> Attempts::try_now(const AttemptRequest& request) {
  const Clock::time_point begin = Clock::now();
  co_yield "starting the device";
  options_.rig.target = family_of(request.kernel, &database_);
  Rig rig(options_.rig);
  const OnRig on_rig{rig_ = &rig};
  const Subject subject =
      todays_subject(request.kernel, request.arguments, request.dtype, rig.folder(), rig.device(), &database_);
  ProblemSetup setup = prepare_problem(rig.folder(), subject.problem, rig.device());
  Attempt attempt = begun(subject, rig);
  attempt.number = number_;
  know_files(attempt, subject);
  co_yield "getting ready";
  ProblemLoader loader(rig, setup);
  for (loader.begin(); !loader.ready() && !loader.step(); rig.compilers().step()) {
    co_yield "getting ready";
    rig.wait();
  }
  attempt.open_s = seconds_since(begin);
  know_cost(attempt, setup, rig);
  Track& track = tracks_[fmt::format("{}\n{}\n{}", rig.device().device_class(), subject.problem.key(),
                                     subject.source.variant->name)];
  limit_s_ = limit_of(track);
  Stepped<Evaluations> trying = try_it(rig, setup, subject, track);
  while (trying.step()) co_yield trying.doing();
  Evaluations together = trying.take();
  TrialCandidate candidate = together.items.front().candidate;
  candidate.checked = true;
  take(attempt, together.items.front(), subject, rig.device());
  const WorkerSeconds& worker = rig.runner().seconds();
  if (attempt.trial.status == TrialStatus::passed) track.good_s = std::max(worker.check, worker.time);
  attempt.prepare_s = worker.prepare;
  attempt.check_s = worker.check;
  attempt.time_s = worker.time;
  if (attempt.measurement) {
    compare(attempt, together, track);
    track.last = Timed{std::move(candidate), attempt.number, attempt.measurement->median_us};
    if (attempt.is_best) track.best = track.last;
  }
  const Clock::time_point storing = Clock::now();
  store(attempt, subject, rig.device());
  keep(attempt);
  attempt.store_s = seconds_since(storing);
  attempt.seconds = seconds_since(begin);
  co_return attempt;
}

SingleOptions Attempts::protocol(const Rig& rig, const ProblemSetup& setup) const {
  SingleOptions single;
  single.recipes = quick_recipes(setup.plan);
  single.explain = true;
  single.count_lines = true;
  TimingSchedule schedule;
  schedule.rounds = options_.rounds;
  single.schedule = schedule;
  single.deadline = generous_deadline(rig, setup, 3 * static_cast<std::size_t>(options_.rounds) + 10);
  if (limit_s_ > 0) {
    single.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * limit_s_));
    single.attempts = 1;
  }
  return single;
}

/// On a GPU together with the last and the best. A fault of the emulated device names the line of the PTX; of a twin
/// with line information, that of the source.
Stepped<Evaluations> Attempts::try_it(Rig& rig, const ProblemSetup& setup, const Subject& subject,
                                      const Track& track) const {
  std::vector<TrialCandidate> beside;
  if (rig.device().has_clock) {
    if (track.last) beside.push_back(track.last->candidate);
    if (track.best && track.best->number != track.last->number) beside.push_back(track.best->candidate);
  }
  Stepped<Evaluations> trying =
      run_beside(rig, setup, subject.source, subject.configuration, protocol(rig, setup), std::move(beside));
  while (trying.step()) co_yield trying.doing();
  Evaluations together = trying.take();
  Trial& trial = together.items.front().candidate.trial;
  const WorkerSeconds& worker = rig.runner().seconds();
  if (trial.status == TrialStatus::timeout && limit_s_ > 0 && std::max(worker.check, worker.time) >= limit_s_) {
    trial.message = limit_message(limit_s_, track.good_s);
    co_return together;
  }
  if (!rig.device().counts_exactly || !is_fault(trial.status)) co_return together;
  Stepped<Evaluations> naming =
      run_beside(rig, setup, subject.source, subject.configuration, with_lines(rig, setup), {});
  while (naming.step()) co_yield naming.doing();
  const Evaluations twin = naming.take();
  const Trial& same = twin.items.front().candidate.trial;
  if (same.status == trial.status) trial.message = same.message;
  co_return together;
}

/// Of the same rounds, behind ours: the last and then the best where that is another; else only medians are compared.
void Attempts::compare(Attempt& attempt, const Evaluations& together, const Track& track) {
  const Measurement& ours = *attempt.measurement;
  std::size_t next = 1;
  for (const auto& [what, timed] : {std::pair{"last", &track.last}, std::pair{"best", &track.best}}) {
    if (!*timed) continue;
    const bool again = next > 1 && !attempt.beside.empty() && (*timed)->number == attempt.beside.front().number;
    if (ours.clock == ClockKind::modelled) {
      const double ratio = ours.median_us / (*timed)->us;
      attempt.beside.push_back({what, (*timed)->number, (*timed)->us, ratio, ratio, ratio});
    } else if (again) {
      attempt.beside.push_back(attempt.beside.front());
      attempt.beside.back().what = what;
    } else if (next < together.items.size() && !together.apart && together.items[next].measurement) {
      const std::vector<double>& theirs = together.items[next].measurement->samples_us;
      attempt.beside.push_back(beside_of(what, (*timed)->number, ours.samples_us, theirs));
    }
    ++next;
  }
  const auto best = std::ranges::find(attempt.beside, "best", &Beside::what);
  attempt.is_best = !track.best || (best != attempt.beside.end() && best->high < 1);
}

void Attempts::store(Attempt& attempt, const Subject& subject, const DeviceInfo& device) {
  if (!ledger_) ledger_.emplace(database_, session_record(options_, device));
  ledger_->keep_source(subject.source.source);
  ledger_->result(attempt.trial);
  ledger_->flush();
  if (attempt.measurement) ledger_->measured(attempt.trial, *attempt.measurement);
}

void Attempts::keep(Attempt& attempt) {
  if (!options_.keep_saves) return;
  Save save;
  save.family = family_;
  save.variant = variant_;
  save.trial = attempt.trial.id;
  save.problem = attempt.trial.problem;
  save.verdict = name(attempt.trial.status);
  save.message = attempt.first_error.empty() ? attempt.trial.message : attempt.first_error;
  save.median_us = attempt.measurement ? attempt.measurement->median_us : 0;
  if (attempt.measurement) save.clock = attempt.measurement->clock;
  attempt.save = save_ = keep_save(database_, attempt.files, std::move(save));
}

/// Ended before its verdict, by Ctrl-C or by a newer save: the files are kept all the same.
void Attempts::keep_unfinished() {
  if (!options_.keep_saves || !knows_files_) return;
  Save save;
  save.family = family_;
  save.variant = variant_;
  save.problem = problem_;
  save.verdict = name(TrialStatus::interrupted);
  save_ = keep_save(database_, files_, std::move(save));
}

/// Nothing could be tried, since the spec is wrong or an include is missing: the files that the last trial was made of
/// are kept as they are now.
void Attempts::keep_broken(const std::string& why) {
  if (!options_.keep_saves || variant_.empty()) return;
  KernelFiles present{files_.folder, {}, {}};
  for (const KernelFile& file : files_.own) {
    std::error_code error;
    if (std::filesystem::is_regular_file(files_.folder / file.name, error))
      present.own.push_back({file.name, read_text(files_.folder / file.name)});
  }
  Save save;
  save.family = family_;
  save.variant = variant_;
  save.verdict = "error";
  save.message = why;
  if (!present.own.empty()) save_ = keep_save(database_, present, std::move(save));
}

}  // namespace kerlab::session
