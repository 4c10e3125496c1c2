#include "session/regress/regress_gate.h"

#include <algorithm>

#include "base/elapsed.h"
#include "base/format.h"
#include "session/regress/regress_choice.h"
#include "session/regress/regress_timed.h"
#include "session/regress/regress_why.h"

namespace kerlab::session {

namespace {

std::string target_of(const Baseline& baseline) {
  return baseline.folder.empty() ? baseline.family : baseline.folder;
}

}  // namespace

RegressSession::RegressSession(RegressOptions options, BaselineFolder folder, Database* database)
    : options_(std::move(options)), folder_(std::move(folder)), database_(database) {
  if (!folder_.exists())
    throw Error(fmt::format("no baseline '{}' in {}; `kerlab regress record{}` makes it", folder_.name(),
                            folder_.path().parent_path().string(), options_.repeat),
                ExitCode::no_baseline);
  const BaselineFolder::Listing listing = folder_.read();
  if (!options_.rig.kept) options_.rig.kept = std::make_shared<KeptProcesses>();
  if (options_.rig.device == "auto") options_.rig.device = "gpu";
  options_.rig.target.clear();
  open_device(options_.rig, rig_);
  head_.name = folder_.name();
  head_.device = rig_->device().name;
  head_.device_class = rig_->device().device_class();
  head_.toolchain = rig_->toolchain();
  if (rig_->device().is_scripted) options_.gate.before_confirming = {};  // nothing to wait for
  baselines_ = chosen_baselines(listing, options_.only, head_.device_class);
  for (const BaselineFolder::Damaged& damaged : listing.damaged) {
    if (!is_chosen(damaged.key, options_.only)) continue;
    rows_.push_back({});
    rows_.back().key = damaged.key;
    rows_.back().verdict = RegressVerdict::failed;
    rows_.back().why = damaged.why;
  }
  if (baselines_.empty() && rows_.empty())
    throw Error(
        fmt::format("baseline '{}' has nothing of {}{}; `kerlab regress record{}` records there", folder_.name(),
                    head_.device_class, others_text(listing.baselines, head_.device_class), options_.repeat),
        ExitCode::no_baseline);
  if (const std::string others = others_text(listing.baselines, head_.device_class); !others.empty())
    head_.notes.push_back("left out" + others);
}

RegressSession::~RegressSession() = default;

RegressState RegressSession::state() const {
  RegressState state;
  state.done = next_;
  state.total = baselines_.size();
  for (const RegressRow& row : rows_) state.failed += row.verdict <= RegressVerdict::regressed ? 1 : 0;
  if (next_ > 0) state.label = baselines_[next_ - 1].key;
  if (ahead_.left() > 0)
    state.doing =
        fmt::format("{} of {} to compile", format_count(static_cast<std::int64_t>(ahead_.left()), "kernel"), ahead_of_);
  if (gate_) state.doing = gate_->doing();
  if (!to_count_.empty()) state.doing = "counting " + baselines_[timed_[to_count_.back()].baseline].key;
  return state;
}

RegressReport RegressSession::report() const {
  RegressReport report = head_;
  report.rows = rows_;
  sort_rows(report.rows);
  report.seconds = seconds_since(begun_);
  return report;
}

bool RegressSession::step() {
  if (next_ < baselines_.size()) {
    if (ahead_.step() || open_ahead(baselines_[next_])) return true;
    const Baseline& baseline = baselines_[next_++];
    const Clock::time_point begun = Clock::now();
    RegressRow row = examine(baseline);
    row.seconds = seconds_since(begun);
    rows_.push_back(std::move(row));
    if (next_ == baselines_.size()) begin_gate();
  } else if (gate_) {
    if (gate_->step()) return true;
    const GateRun run = gate_->result();
    gate_.reset();
    take_times(run);
    choose_slowest();
  } else if (!to_count_.empty()) {
    count_next();
  } else {
    keep_history();
    return false;
  }
  return true;
}

void RegressSession::end_here() {
  head_.interrupted = true;
  for (const Timed& timed : timed_) {
    if (timed.row >= rows_.size()) continue;  // interrupted before it had a row
    RegressRow& row = rows_[timed.row];
    if (row.time || row.verdict != RegressVerdict::passed) continue;
    row.verdict = RegressVerdict::inconclusive;
    row.why = "interrupted before its time was known";
  }
  keep_history();
}

/// One family at a time: its worker and its compilers are kept for the next.
void RegressSession::open_family(const Baseline& baseline) {
  const std::string target = target_of(baseline);
  if (rig_ && family_ == target) return;
  setup_.reset();
  problem_key_.clear();
  loaded_ = false;
  family_.clear();
  KernelFolder folder = [&] {
    try {
      return open_catalogue(options_.rig.kernels).find(target);
    } catch (const UsageError& error) {
      throw NotComparable(error.what());
    }
  }();
  rig_.reset();  // gives its processes to the next
  rig_ = std::make_unique<Rig>(options_.rig, std::move(folder));
  family_ = target;
}

/// True: a new family, and what of it will have to run is being compiled, on all cores at once. What is wrong is told
/// when the turn of its baselines comes.
bool RegressSession::open_ahead(const Baseline& baseline) {
  if (std::exchange(ahead_of_, target_of(baseline)) == target_of(baseline) || !options_.rig.use_cache) return false;
  try {
    open_family(baseline);
    ahead_ = CompileAhead(*rig_, to_compile(baseline));
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
  }
  return true;
}

std::vector<CompileRequest> RegressSession::to_compile(const Baseline& first) const {
  bool all = options_.rerun || measures_time(rig_->device());
  std::vector<CompileRequest> requests;
  for (const Baseline& baseline : baselines_) {
    if (baseline.family != first.family || baseline.folder != first.folder) continue;
    try {
      const RegressKernel today = todays_kernel(baseline, *rig_);
      if (&baseline == &first && !all &&
          !options_.changed_only)  // one stands for all: they are checked with the same reference
        all = check_identity(prepare_problem(rig_->folder(), today.problem, rig_->device()), *rig_) !=
              baseline.check_identity;
      if (!all && same_code(baseline, today.candidate) && baseline.toolchain == rig_->toolchain()) continue;
      requests.push_back({today.source.source, today.candidate.options});
    } catch (const Error&) {
      continue;
    }
  }
  return requests;
}

void RegressSession::open_problem(const Problem& problem, bool with_data) {
  if (problem_key_ != problem.key()) {
    setup_ = prepare_problem(rig_->folder(), problem, rig_->device());
    problem_key_ = problem.key();
    loaded_ = false;
  }
  if (!with_data || loaded_) return;
  ProblemLoader loader(*rig_, *setup_);
  loader.load();
  data_ = loader.data();
  loaded_ = true;
}

RegressRow RegressSession::examine(const Baseline& baseline) {
  RegressRow row;
  row.key = baseline.key;
  row.title = baseline.title;
  if (baseline.plan.accuracy.weaker()) row.title += fmt::format(" ({})", accuracy_text(baseline.plan.accuracy));
  row.variant = baseline.variant;
  row.configuration = baseline.configuration;
  row.file = baseline.file;
  row.reproduce = fmt::format("kerlab regress --only {}{}", baseline.key, options_.repeat);
  try {
    open_family(baseline);
    RegressKernel today = todays_kernel(baseline, *rig_);
    row.file = changed_place({}, today.source.source).file;
    source_hashes_[row.key] = today.source.source.hash;
    open_problem(today.problem, false);
    examine_code(baseline, today, row);
  } catch (const NotComparable& error) {
    row.verdict = RegressVerdict::not_comparable;
    row.why = error.what();
  } catch (const SpecError& error) {  // of a family that is there, but broken
    row.verdict = RegressVerdict::wrong;
    row.why = error.what();
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    row.verdict = RegressVerdict::failed;
    row.why = error.what();
  }
  return row;
}

void RegressSession::keep_history() {
  if (database_ == nullptr || std::exchange(history_kept_, true)) return;
  std::vector<RegressRun> runs;
  for (const RegressRow& row : rows_) {
    if (row.title.empty()) continue;  // a file that could not be read
    RegressRun run;
    run.name = head_.name;
    run.key = row.key;
    run.device_class = head_.device_class;
    run.verdict = name(row.verdict);
    run.why = row.why;
    if (row.time) {
      run.ratio = row.time->ratio;
      run.low = row.time->low;
      run.high = row.time->high;
      run.mde = row.time->mde;
    }
    run.error_ratio = row.error_ratio;
    for (const Figure& one : figures_[row.key])
      run.figures += fmt::format("{}{}={:.10g}", run.figures.empty() ? "" : " ", one.name, one.value);
    run.source_hash = source_hashes_[row.key];
    run.toolchain = head_.toolchain;
    run.driver = rig_ ? rig_->device().driver : "";
    run.device = head_.device;
    runs.push_back(std::move(run));
  }
  std::vector<RegressRun*> pointers;
  for (RegressRun& run : runs) pointers.push_back(&run);
  if (!pointers.empty()) database_->put(std::move(pointers));
}

}  // namespace kerlab::session
