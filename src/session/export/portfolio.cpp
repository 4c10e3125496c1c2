#include "session/export/portfolio.h"

#include <algorithm>
#include <map>

#include "session/run/ceilings.h"
#include "session/run/space.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kMostOthers = 32;  // kernels that won nowhere
constexpr std::size_t kShownBeyond = 3;  // portfolios larger than asked for, to say what they would bring
constexpr double kWorthKeeping = 0.10;   // so near the winner, on two shapes or more

using Source = PortfolioCell::Source;

}  // namespace

LossMatrix PortfolioResult::losses() const {
  LossMatrix losses;
  for (const auto& row : cells) {
    auto& line = losses.emplace_back();
    for (const PortfolioCell& cell : row)
      line.push_back(cell.ratio > 0 ? std::optional(std::max(0.0, cell.ratio - 1)) : std::nullopt);
  }
  return losses;
}

PortfolioSession::PortfolioSession(PortfolioOptions options, Database& database)
    : options_(std::move(options)), database_(database), rig_(options_.rig) {
  TunedShapes tuned = tuned_shapes(rig_.folder(), rig_.device(), database_, options_.filter, options_.shipped);
  result_.left_out = std::move(tuned.left_out);
  result_.shapes = std::move(tuned.shapes);
  result_.clock = rig_.device().clock();
  for (TunedShape& shape : result_.shapes) adopt_remeasured(shape);
  if (options_.stored_only)
    std::erase_if(result_.shapes, [this](const TunedShape& shape) {
      if (candidate(shape.winner, shape.problem).trial.key == shape.trial_key) return false;
      result_.left_out.push_back(fmt::format(
          "{}: its winner {} {}; without --stored-only it is measured", shape.problem.title(), shape.winner.label(),
          shape.trial_key.empty() ? "is only shipped, and was not measured here"
                                  : "was decided with other sources, options or toolchain"));
      return true;
    });
  if (result_.shapes.empty())
    throw Error(fmt::format("no problem of {} that was tuned on {} is left{}{}", rig_.folder().family.name,
                            rig_.device().name, result_.left_out.empty() ? "; run kerlab tune first" : ": ",
                            result_.left_out.empty() ? "" : result_.left_out.front()),
                ExitCode::no_baseline);
  for (const TunedShape& shape : result_.shapes) {
    add_kernel(shape.winner);
    if (compares())
      for (const PortfolioKernel& tied : shape.ties) add_kernel(tied);
  }
  if (compares()) add_stored_kernels();
}

/// A winner that was decided with other sources or another toolchain may have been timed again since.
void PortfolioSession::adopt_remeasured(TunedShape& shape) {
  const std::string key = candidate(shape.winner, shape.problem).trial.key;
  const auto trial = key == shape.trial_key ? std::nullopt : database_.trial_by_key(key);
  if (!trial || trial->status != TrialStatus::passed) return;
  for (const TimingStage stage : {TimingStage::bench, TimingStage::final}) {
    auto measurement = database_.latest_measurement(trial->id, stage);
    if (!measurement || measurement->cache != CacheState::cold || measurement->clock != result_.clock) continue;
    shape.trial_key = key;
    shape.trial = trial->id;
    shape.measurement = std::move(*measurement);
    return;
  }
}

void PortfolioSession::add_kernel(const PortfolioKernel& kernel) {
  if (std::find(result_.kernels.begin(), result_.kernels.end(), kernel) == result_.kernels.end())
    result_.kernels.push_back(kernel);
}

/// Those that nearly won on two shapes or more may serve more shapes than any winner does.
void PortfolioSession::add_stored_kernels() {
  std::map<std::pair<std::string, std::string>, std::size_t> near;
  for (const TunedShape& shape : result_.shapes) {
    const double limit = shape.measurement.median_us * (1 + std::max(kWorthKeeping, options_.within));
    for (const Trial& trial : database_.trials(shape.problem.key(), rig_.device().device_class())) {
      if (trial.status != TrialStatus::passed) continue;
      auto time = database_.latest_measurement(trial.id, TimingStage::final);
      if (!time) time = database_.latest_measurement(trial.id, TimingStage::screen);
      if (time && time->median_us <= limit) ++near[{trial.variant, trial.configuration}];
    }
  }
  std::vector<std::pair<std::size_t, std::pair<std::string, std::string>>> order;
  for (const auto& [kernel, count] : near)
    if (count > 1) order.emplace_back(count, kernel);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::size_t most = result_.kernels.size() + kMostOthers;
  for (const auto& [count, kernel] : order) {
    if (result_.kernels.size() == most) break;
    try {
      const Variant& variant = find_variant(rig_.folder(), kernel.first);
      add_kernel({&variant, parse_configuration(variant, kernel.second)});
    } catch (const Error&) {
      continue;  // of parameters that are no longer
    }
  }
}

const VariantSource& PortfolioSession::source(const Variant& variant) {
  const auto [at, added] = sources_.try_emplace(variant.name);
  if (added) at->second = {&variant, read_kernel_source(variant)};
  return at->second;
}

TrialCandidate PortfolioSession::candidate(const PortfolioKernel& kernel, const Problem& problem) {
  return make_candidate(rig_.folder().family, source(*kernel.variant), 0, kernel.configuration, problem, rig_.device(),
                        rig_.toolchain());
}

/// The time of the kernel as it stands now, and its ratio to the winner's of the same session and stage, where there is
/// one, else to what the decision rests on.
std::optional<PortfolioCell> PortfolioSession::stored_cell(const TunedShape& shape, const PortfolioKernel& kernel) {
  const auto trial = database_.trial_by_key(candidate(kernel, shape.problem).trial.key);
  if (!trial || trial->status != TrialStatus::passed) return std::nullopt;
  const std::vector<Measurement> winners = database_.measurements(shape.trial);
  std::optional<PortfolioCell> best;
  int best_rank = 0;
  for (const Measurement& one : database_.measurements(trial->id)) {
    if (one.cache != CacheState::cold || one.clock != result_.clock) continue;
    const auto beside = std::find_if(winners.begin(), winners.end(), [&](const Measurement& other) {
      return other.session == one.session && other.stage == one.stage && other.cache == one.cache;
    });
    const double against = beside != winners.end() ? beside->median_us : shape.measurement.median_us;
    const int rank = (beside != winners.end() ? 4 : 0) + (one.stage == TimingStage::final   ? 3
                                                          : one.stage == TimingStage::bench ? 2
                                                                                            : 1);
    if (against <= 0 || rank < best_rank) continue;
    best_rank = rank;
    best = PortfolioCell{Source::stored, one.median_us, one.low_us, one.high_us, one.median_us / against, {}};
  }
  return best;
}

void PortfolioSession::look_up(std::size_t index) {
  const TunedShape& shape = result_.shapes[index];
  auto& row = result_.cells.emplace_back(result_.kernels.size());
  const bool current = candidate(shape.winner, shape.problem).trial.key == shape.trial_key;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const PortfolioKernel& kernel = result_.kernels[k];
    std::string why = unsupported_reason(*kernel.variant, shape.problem, rig_.device());
    if (why.empty() && !kernel.variant->accuracy.within(shape.winner.variant->accuracy))
      why = fmt::format("{}: the shape's winner is of a stricter class", accuracy_text(kernel.variant->accuracy));
    if (why.empty()) why = violated_constraint(*kernel.variant, shape.problem, rig_.device(), kernel.configuration);
    if (!why.empty()) {
      row[k].source = Source::invalid;
      row[k].why = std::move(why);
    } else if (kernel == shape.winner && current) {
      const Measurement& m = shape.measurement;
      row[k] = {Source::stored, m.median_us, m.low_us, m.high_us, 1, {}};
    } else if (auto stored = current ? stored_cell(shape, kernel) : std::nullopt) {
      row[k] = std::move(*stored);
    }
  }
}

bool PortfolioSession::step() {
  if (next_ == result_.shapes.size()) {
    finish();
    return check_values();
  }
  if (result_.cells.empty())
    for (std::size_t i = 0; i < result_.shapes.size(); ++i) look_up(i);
  if (!options_.stored_only) {
    if (!std::exchange(compiled_ahead_, true)) compile_ahead();
    measure(next_);
  }
  ++next_;
  return true;
}

void PortfolioSession::finish() {
  if (ledger_) ledger_->close(SessionState::finished);
  if (!result_.portfolios.empty()) return;
  const std::size_t most = options_.largest > 0 ? options_.largest + kShownBeyond : 0;
  result_.portfolios = portfolios(result_.losses(), options_.within, most);
  for (std::size_t i = 0; i < result_.portfolios.size(); ++i)
    if (options_.largest == 0 || result_.portfolios[i].kernels.size() <= options_.largest) result_.chosen = i;
  for (std::size_t s = 0; s < result_.shapes.size(); ++s)
    for (std::size_t k = 0; k < result_.kernels.size(); ++k)
      if (const PortfolioCell& cell = result_.cells[s][k]; cell.ratio > 0 && cell.ratio < 0.99)
        result_.notes.push_back(fmt::format("{}: {} is {:.1f} % faster than the stored winner: tune again",
                                            result_.shapes[s].problem.title(), result_.kernels[k].label(),
                                            100 * (1 - cell.ratio)));
  if (result_.chosen && !result_.portfolio()->exact)
    result_.notes.emplace_back("the search for the smallest portfolio was cut short: a smaller one may exist");
  if (result_.chosen && options_.unchecked_values)
    result_.notes.emplace_back(
        "--unchecked-values: some of the values of these variants' parameters may never have been right");
}

std::string PortfolioSession::doing() const {
  if (values_) return values_->doing();
  return fmt::format("shape {} of {}", std::min(next_ + 1, result_.shapes.size()), result_.shapes.size());
}

/// What the portfolio relies on: the variant of each kernel that a shape gets, for problems of that kind.
void PortfolioSession::begin_values() {
  values_.emplace(rig_, &database_, session_record(options_, rig_.device()));
  for (std::size_t s = 0; s < result_.shapes.size(); ++s) {
    const PortfolioKernel& kernel = result_.kernels[result_.portfolio()->of_shape[s]];
    values_->add(source(*kernel.variant), result_.shapes[s].problem, kernel.configuration);
  }
}

bool PortfolioSession::check_values() {
  if (!result_.chosen || options_.unchecked_values) return false;
  if (!values_) begin_values();
  if (values_->step()) return true;
  if (!values_->faults().empty()) throw Error(values_->faults().front().text(), ExitCode::wrong);
  const std::vector<std::string>& notes = values_->notes();
  result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
  return false;
}

}  // namespace kerlab::session
