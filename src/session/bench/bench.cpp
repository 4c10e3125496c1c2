#include "session/bench/bench.h"

#include <algorithm>

#include "session/find/subject.h"

namespace kerlab::session {

namespace {

Trial stored_trial(const Database& database, std::int64_t id) {
  const auto trial = database.trial(id);
  if (!trial) throw UsageError(fmt::format("--trial {}: there is no such trial in {}", id, database.path().string()));
  return *trial;
}

}  // namespace

/// A trial says which family it is of.
RigOptions BenchSession::completed(BenchOptions& options, const Database& database) {
  if (options.trial > 0 && options.rig.target.empty())
    options.rig.target = stored_trial(database, options.trial).family;
  if (options.rig.target.empty()) throw UsageError("bench: name a family, or --trial N");
  return options.rig;
}

BenchSession::BenchSession(BenchOptions options, Database& database)
    : options_(std::move(options)), database_(database), rig_(completed(options_, database)) {
  if (options_.energy) require_energy_counter(rig_.device());
  const Family& family = rig_.folder().family;
  if (options_.trial > 0 && options_.arguments.empty() && options_.dtypes.empty()) {
    problems_ = {request_of_key(family, stored_trial(database_, options_.trial).problem)};
  } else {
    problems_ = make_requests(family, options_.arguments, options_.dtypes);
  }
  for (const ProblemRequest& request : problems_)
    make_problem(family, request);  // all are judged before the first runs
  if (options_.once) return;
  ledger_.emplace(database_, session_record(options_, rig_.device()));
}

bool BenchSession::step() {
  if (next_ == problems_.size()) {
    if (ledger_) ledger_->close(SessionState::finished);
    return false;
  }
  const Problem problem = problem_for_device(rig_.folder(), problems_[next_++], rig_.device());
  const std::vector<Choice> chosen = choices(problem);
  if (chosen.empty()) return true;
  ProblemSetup setup = prepare_problem(rig_.folder(), problem, rig_.device());
  ProblemLoader(rig_, setup, !options_.once).load();
  const std::size_t first = rows_.size();
  for (const Choice& choice : chosen) run(setup, choice);
  if (ledger_) ledger_->flush();
  ask_beside(setup, first);
  return true;
}

/// When everything of ours is stored: a command may take its time, or be interrupted.
void BenchSession::ask_beside(const ProblemSetup& setup, std::size_t first_row) {
  std::optional<double> ours_us;
  for (std::size_t i = first_row; i < rows_.size(); ++i) {
    const std::optional<Measurement>& measurement = rows_[i].measurement;
    if (measurement && measurement->clock != ClockKind::modelled)
      ours_us = std::min(ours_us.value_or(measurement->median_us), measurement->median_us);
  }
  const BesideWish wish{options_.rounds, options_.hot, 0};
  for (BesideAnswer& answer : session::ask_beside(options_.beside, setup, rig_.device(), wish, ours_us))
    beside_.push_back(std::move(answer));
}

std::vector<BenchSession::Choice> BenchSession::choices(const Problem& problem) {
  const KernelFolder& folder = rig_.folder();
  if (options_.trial > 0) {
    const Trial trial = stored_trial(database_, options_.trial);
    const Variant& variant = find_variant(folder, trial.variant);
    return {{&variant, parse_configuration(variant, trial.configuration), fmt::format("trial {}", trial.id)}};
  }
  std::vector<const Variant*> variants;
  for (const std::string& name : options_.variants) {
    if (name != "all") variants.push_back(&find_variant(folder, name));
  }
  const bool all = std::count(options_.variants.begin(), options_.variants.end(), "all") > 0;
  for (const Variant& variant : folder.variants) {
    if (all || (options_.variants.empty() && folder.variants.size() == 1)) variants.push_back(&variant);
  }
  if (!options_.configuration.empty()) {
    if (variants.size() != 1) throw UsageError("--config: say of which variant (--variant NAME)");
    const Variant& variant = *variants.front();
    const CompletedConfiguration typed =
        complete_configuration(variant, problem, rig_.device(), options_.configuration);
    require_valid(typed, variant, problem);
    announce_completion(variant.name, completion_remark(typed));
    return {{&variant, typed.configuration, how_completed("--config", typed)}};
  }
  if (options_.variants.empty()) {
    if (auto best = known().winner(problem, notes_)) return {*best};
    throw Error(
        fmt::format("no winner is stored or shipped for {} on {}; run kerlab tune first, or name --variant or --config",
                    problem.title(), rig_.device().name));
  }
  std::vector<Choice> chosen;
  for (const Variant* variant : variants) {
    if (std::string reason = unsupported_reason(*variant, problem, rig_.device()); !reason.empty()) {
      notes_.push_back(fmt::format("{}: {} left out: {}", problem.title(), variant->name, reason));
    } else {
      chosen.push_back(known().best(*variant, problem, notes_));
    }
  }
  return chosen;
}

const VariantSource& BenchSession::source(const Variant& variant) {
  const auto [at, added] = sources_.try_emplace(variant.name);
  VariantSource& entry = at->second;
  if (!added) return entry;
  entry = {&variant, read_kernel_source(variant)};
  if (options_.trial > 0) {
    const Trial trial = stored_trial(database_, options_.trial);
    if (trial.source_hash != entry.source.hash) {
      if (const auto text = database_.source_text(trial.source_hash)) {
        notes_.push_back(
            fmt::format("{} has changed since trial {}: its stored source is run", variant.source.string(), trial.id));
        entry.source = unpack_source(*text, variant.source.string(), trial.source_hash);
      }
    }
  }
  if (ledger_) ledger_->keep_source(entry.source);
  return entry;
}

void BenchSession::run(const ProblemSetup& setup, const Choice& choice) {
  if (const std::string broken =
          violated_constraint(*choice.variant, setup.problem, rig_.device(), choice.configuration);
      !broken.empty()) {
    throw UsageError(fmt::format("{} {} is not valid for {}: {}", choice.variant->name,
                                 configuration_text(*choice.variant, choice.configuration), setup.problem.title(),
                                 broken));
  }
  SingleOptions single;
  single.run_once = options_.once;
  if (!options_.once) {
    single.recipes = quick_recipes(setup.plan);
    single.full = options_.full;
    single.explain = true;  // compares as much as the check of a single kernel does, not of one in a sweep
    TimingSchedule schedule;
    schedule.rounds = options_.rounds;
    schedule.cold = !options_.hot;
    single.schedule = schedule;
    single.energy_seconds = options_.energy ? kEnergySeconds : 0;
    single.library = options_.library && has_library(setup, rig_);
  }
  single.deadline = generous_deadline(rig_, setup, static_cast<std::size_t>(options_.rounds) + 10);
  Evaluations ended = run_beside(rig_, setup, source(*choice.variant), choice.configuration, single, {}).finish();
  Evaluation& result = ended.items.front();
  BenchRow row;
  row.problem = setup.problem;
  row.flops = setup.plan.flops;
  row.bytes = setup.plan.bytes;
  row.cost_from_data = setup.cost_from_data();
  const Roofline roof = theoretical_roof(setup.problem, setup.plan, rig_.device());
  row.roof_us = roof.minimum_us;
  row.memory_bound = roof.memory_bound;
  row.chosen = choice.how;
  row.warning = result.warning;
  if (!result.counted.empty())
    row.operations = operations_of(*choice.variant, setup.problem, choice.configuration, rig_.device(), result.counted);
  row.measurement = std::move(result.measurement);
  if (row.measurement) row.library = compare_library(ended.library, row.measurement->samples_us);
  if (has_hot_inputs(setup.plan) && !options_.hot) row.temperatures = temperatures(setup.plan);
  row.library_note = library_note(ended.library, setup, rig_);
  row.energy = energy_rows(ended.energy, ended.library, setup.plan);
  row.energy_message = ended.energy_message;
  row.trial = std::move(result.candidate.trial);
  if (ledger_) {
    row.trial.session = ledger_->session();
    database_.put(row.trial);
    if (row.measurement) {
      ledger_->measured(row.trial, *row.measurement);
      ledger_->library(library_records(row.library, row.measurement->id));
    }
  }
  rows_.push_back(std::move(row));
}

}  // namespace kerlab::session
