// The part of `kerlab regress run` that says what a kernel executes that has become slower on a GPU: both kernels are
// counted on the emulated device that stands for it.

#include <algorithm>

#include "session/regress/regress_timed.h"
#include "session/regress/regress_why.h"
#include "session/run/count_operations.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kMostCounted = 3;  // as many as the screen explains

SingleOptions counting(const Rig& rig, const ProblemSetup& setup) {
  SingleOptions single;
  single.schedule = TimingSchedule{};
  single.count_lines = single.line_info = true;
  single.deadline = generous_deadline(rig, setup, 1);
  return single;
}

/// What is known of the GPU's kernel already goes first.
void add_changes(RegressRow& row, std::vector<FigureChange> counted) {
  for (FigureChange& change : counted)
    if (std::ranges::find(row.changes, change.name, &FigureChange::name) == row.changes.end())
      row.changes.push_back(std::move(change));
}

}  // namespace

/// The slowest few: at large sizes counting takes seconds each.
void RegressSession::choose_slowest() {
  for (std::size_t i = 0; i < timed_.size(); ++i)
    if (rows_[timed_[i].row].verdict == RegressVerdict::regressed && rows_[timed_[i].row].time) to_count_.push_back(i);
  std::ranges::sort(to_count_, std::ranges::greater(), [&](std::size_t i) { return rows_[timed_[i].row].time->ratio; });
  if (to_count_.size() > kMostCounted) to_count_.resize(kMostCounted);
  std::ranges::reverse(to_count_);
}

void RegressSession::count_next() {
  const Timed& timed = timed_[to_count_.back()];
  to_count_.pop_back();
  try {
    count_on_twin(baselines_[timed.baseline], rows_[timed.row]);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    rows_[timed.row].notes.push_back(fmt::format("not counted: {}", error.what()));
  }
}

void RegressSession::count_on_twin(const Baseline& baseline, RegressRow& row) {
  RigOptions options = options_.rig;
  options.target = baseline.folder.empty() ? baseline.family : baseline.folder;
  options.device = emulated_twin(baseline.device_class);
  options.worker_command.clear();
  options.kept.reset();
  options.jobs = 2;  // the two kernels
  Rig twin(options);
  const RegressKernel today = todays_kernel(baseline, twin);
  ProblemSetup setup = prepare_problem(twin.folder(), today.problem, twin.device());
  ProblemLoader(twin, setup, false).load();
  const SingleOptions single = counting(twin, setup);
  const SourceBundle old_source = folder_.source(baseline);
  const Evaluation before =
      run_candidate(twin, setup, old_source, Sampling::everything, stored_candidate(baseline, twin), single);
  const Evaluation after = run_single(twin, setup, today.source, today.configuration, single);
  for (const Evaluation* result : {&before, &after})
    if (result->counted.empty()) throw Error(ending_text(result->candidate.trial));
  row.lines = changed_lines(before.counted, old_source, after.counted, today.source.source);
  ChangedPlace place{row.file, row.line};
  point_at_hottest(row.lines, place);
  row.line = place.line;
  add_changes(row,
              compare_figures(figures_of(before, twin.device()), figures_of(after, twin.device()), options_.margins));
  row.notes.push_back(fmt::format("what it executes was counted on {}", twin.device().id));
}

}  // namespace kerlab::session
