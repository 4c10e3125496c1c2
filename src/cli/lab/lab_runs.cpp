#include <algorithm>

#include "base/format.h"
#include "cli/lab/attempt_answer.h"
#include "cli/lab/attempt_progress.h"
#include "cli/lab/lab.h"
#include "cli/tune/tune_command.h"
#include "report/form/label_layout.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"
#include "session/analyse/sweep_rows.h"
#include "session/run/space.h"

namespace kerlab::cli {

namespace {

constexpr std::uint64_t kMostTried = 256;  // combinations of one sweep: more are a matter for tune
constexpr std::size_t kRowsShown = 24;
constexpr std::size_t kRemarksShown = 8;

std::vector<std::string> cells_of(const SweepRow& row, const SweepRow* best) {
  const auto because = [&row](const std::string& why) {
    return std::vector<std::string>{row.values, row.also, "-", "", "", "", "", "", "", shortened(why, 60)};
  };
  if (!row.not_valid.empty()) return because("not valid: " + row.not_valid);
  if (!row.trial) return because("not tried");
  const Trial& trial = *row.trial;
  if (!row.measurement) return because(fmt::format("{}: {}", name(trial.status), trial.message));
  return {row.values,
          row.also,
          median_with_interval(*row.measurement),
          fmt::format("{:.3f}", best->measurement->median_us / row.measurement->median_us),
          fmt::format("{}", trial.registers),
          trial.spill_bytes > 0 ? fmt::format("{}", trial.spill_bytes) : "",
          format_bytes(trial.shared_bytes),
          fmt::format("{}", trial.blocks_per_sm),
          fmt::format("{}", trial.id),
          row.values == best->values ? "best" : ""};
}

/// In the order of the values; where these are too many, the fastest.
std::string sweep_text(const std::vector<SweepRow>& rows, const SweepRow* best, bool color) {
  std::vector<const SweepRow*> shown;
  for (const SweepRow& row : rows) shown.push_back(&row);
  std::string rest;
  if (shown.size() > kRowsShown) {
    const auto time = [](const SweepRow* row) { return row->measurement ? row->measurement->median_us : 1e300; };
    std::ranges::stable_sort(shown, {}, time);
    rest = fmt::format("the fastest of {}\n", shown.size());
    shown.resize(kRowsShown);
  }
  const bool modelled = best != nullptr && best->measurement->clock == ClockKind::modelled;
  Table table{{{"values"},
               {"also changed", Align::left, true},
               {modelled ? "us modelled" : "us", Align::right},
               {"speed", Align::right},
               {"regs", Align::right},
               {"spill", Align::right},
               {"shared", Align::right},
               {"blocks/SM", Align::right},
               {"trial", Align::right},
               {""}},
              {}};
  for (const SweepRow* row : shown) table.rows.push_back(cells_of(*row, best));
  if (std::ranges::all_of(rows, &std::string::empty, &SweepRow::also)) {
    table.columns.erase(table.columns.begin() + 1);
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + 1);
  }
  return text_table(table, color, 0, table_width(0)) + rest;
}

/// In lines of the terminal's width; of many the first.
std::string remarks_text(const std::vector<std::string>& remarks) {
  std::string text;
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    if (i == kRemarksShown)
      return text + fmt::format("... and {} more, as the table says\n", remarks.size() - kRemarksShown);
    for (const std::string& line : wrapped(remarks[i], terminal_width(stdout))) text += line + "\n";
  }
  return text;
}

std::string seconds_of(const std::string& word) {
  if (word.size() < 2 || word.back() != 's' || word.find_first_not_of("0123456789.") != word.size() - 1) return "";
  return word.substr(0, word.size() - 1);
}

}  // namespace

ExitCode LabConsole::run(const std::vector<std::string>& words) {
  if (!words.empty()) change(with_settings(state_, folder(), words));
  tell_completion();
  const Attempt attempt = [this] {
    AttemptProgress progress("Ctrl-C ends it");
    Stepped<Attempt> trying = attempts_.run({state_.subject(), state_.arguments, state_.dtype});
    while (trying.step()) progress.show(attempts_.stage());
    return trying.take();
  }();
  fmt::print("{}", attempt_answer(attempt, color_on(global_, stdout), terminal_width(stdout)));
  remember(attempt);
  return exit_code_of(attempt.trial.status);
}

void LabConsole::remember(const Attempt& attempt) {
  outcome_ = attempt_outcome(attempt);
  if (attempt.trial.id > 0) trials_.push_back(attempt.trial.id);
  if (!attempt.measurement || attempt.trial.status != TrialStatus::passed) return;
  Best& best = best_[attempt.problem.key()];
  if (best.trial == 0 || attempt.measurement->median_us < best.us)
    best = {attempt.trial.id, attempt.measurement->median_us};
}

ExitCode LabConsole::check(const std::vector<std::string>& words) {
  const KernelFolder read = folder();
  const Subject next = subject(read);
  std::vector<std::string> command{"check", state_.target, "--variant", state_.variant};
  if (!next.source.variant->parameters.empty()) {
    std::string configuration = configuration_text(*next.source.variant, next.configuration);
    std::ranges::replace(configuration, ' ', ',');
    command.insert(command.end(), {"--config", configuration});
  }
  for (const std::string& recipe : words)
    if (recipe.rfind("--", 0) == 0)
      command.push_back(recipe);
    else
      command.insert(command.end(), {"--recipe", recipe});
  const std::vector<std::string> problem = problem_words();
  command.insert(command.end(), problem.begin(), problem.end());
  const ExitCode code = run_command(command);
  outcome_ = code == ExitCode::passed ? "correct" : code == ExitCode::wrong ? "did not pass" : "not decided";
  return code;
}

std::optional<Configuration> LabConsole::try_choices(const std::vector<std::string>& words, ExitCode& code) {
  const KernelFolder read = folder();
  const Subject now = subject(read);
  const Variant& variant = *now.source.variant;
  const std::vector<ParameterChoice> choices = parse_choices(variant, words);
  if (combinations(choices) > kMostTried)
    throw UsageError(
        fmt::format("{} combinations: more than {}; narrow the ranges, or tune", combinations(choices), kMostTried));
  std::vector<SweepRow> rows =
      plan_sweep(variant, now.problem, device_, now.configuration, state_.configuration(), choices);
  fmt::print("{}", remarks_text(sweep_remarks(rows)));
  std::fflush(stdout);
  TuneOptions options;
  options.variants.names = {variant.name};
  options.variants.all = true;
  options.where = conditions_of(variant, rows);
  options.search = "exhaustive";
  options.screening.bound_factor = 0;  // every value is to be seen
  options.screening.allow_spills = true;
  options.dtype = state_.dtype;
  GlobalOptions global = global_;
  global.typed = "kerlab lab: sweep " + fmt::format("{}", fmt::join(words, " "));
  options = cli::complete(std::move(options), state_.target, state_.arguments, global);
  const InterruptFlag interrupt;
  if (!options.where.empty() || variant.parameters.empty()) code = run_tune(options, database_, interrupt).code;
  look_up(rows, read.family, now.source, now.problem, device_, toolchain_, database_);
  const SweepRow* best = best_of(rows);
  fmt::print("{}", sweep_text(rows, best, color_on(global_, stdout)));
  if (best == nullptr) return std::nullopt;
  outcome_ = fmt::format("best {}: {} us", best->values, format_us(best->measurement->median_us));
  return best->configuration;
}

/// A size takes other values for the problem, not for the kernel: each is a benchmark of its own.
ExitCode LabConsole::sweep_sizes(const std::string& name, const std::string& range) {
  const KernelFolder read = folder();
  const Subject now = subject(read);
  std::vector<std::string> command{"bench", state_.target, "--variant", state_.variant};
  for (const ProblemArgument& argument : state_.arguments)
    if (argument.name != name) command.insert(command.end(), {"--" + argument.name, argument.value});
  command.insert(command.end(), {"--" + name, range});
  if (!state_.dtype.empty()) command.insert(command.end(), {"--dtype", state_.dtype});
  if (!state_.parameters.empty()) command.insert(command.end(), {"--config", state_.configuration()});
  return run_command(command);
}

ExitCode LabConsole::sweep(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("sweep: of what? as in sweep STAGES 2..6; show lists the names");
  const std::string name = words.front().substr(0, words.front().find('='));
  for (const Dimension& dimension : folder().family.dimensions) {
    if (dimension.name != name) continue;
    const std::string range = words.size() == 2       ? words.back()
                              : name != words.front() ? words.front().substr(name.size() + 1)
                                                      : "";
    if (range.empty() || words.size() > 2)
      throw UsageError(fmt::format("sweep {}: which sizes? as in 1K..8K:x2", name));
    return sweep_sizes(name, range);
  }
  ExitCode code = ExitCode::passed;
  try_choices(words, code);
  return code;
}

ExitCode LabConsole::try_values(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("try: which values? as in try BM=64..256 TM=4,8; show lists them");
  ExitCode code = ExitCode::passed;
  const std::optional<Configuration> best = try_choices(words, code);
  if (best) adopt(find_variant(folder(), state_.variant), *best);
  return code;
}

void LabConsole::adopt(const Variant& variant, const Configuration& configuration) {
  LabState next = state_;
  next.variant = variant.name;
  next.parameters.clear();
  for (std::size_t i = 0; i < variant.parameters.size(); ++i)
    next.parameters.emplace_back(variant.parameters[i].name,
                                 value_text(variant.parameters[i], configuration.values[i]));
  change(std::move(next));
  fmt::print("now: {}", state_line());
}

ExitCode LabConsole::tune(const std::vector<std::string>& words) {
  std::vector<std::string> command{"tune", state_.target};
  bool all = false;
  for (const std::string& word : words) {
    if (word == "all")
      all = true;
    else if (const std::string seconds = seconds_of(word); !seconds.empty())
      command.insert(command.end(), {"--time", seconds});
    else if (word.find_first_not_of("0123456789.") == std::string::npos)
      throw UsageError(fmt::format("tune {0}: seconds are typed {0}s, trials --trials {0}", word));
    else
      command.push_back(word);  // an option of tune
  }
  const KernelFolder read = folder();
  if (!all) command.insert(command.end(), {"--variant", state_.variant});
  const std::vector<std::string> problem = problem_words();
  command.insert(command.end(), problem.begin(), problem.end());
  const ExitCode code = run_command(command);
  const Problem title = problem_for_device(read, make_request(read.family, state_.arguments, state_.dtype), device_);
  const auto decision = database_.winner(title.key(), device_.device_class());
  const auto trial = decision ? database_.trial(decision->trial) : std::nullopt;
  if (!trial || code != ExitCode::passed) return code;
  outcome_ = fmt::format("winner {} {}", trial->variant, trial->configuration);
  const Variant& variant = find_variant(read, trial->variant);
  adopt(variant, parse_configuration(variant, trial->configuration));
  return code;
}

/// Becomes the winner by what makes every winner: finals beside the one that is stored.
ExitCode LabConsole::save(const std::vector<std::string>& words) {
  if (words.empty() || words.front() != "winner" || words.size() > 2)
    throw UsageError("save: winner [DIR], as in save winner out");
  const KernelFolder read = folder();
  Subject chosen = subject(read);
  if (const auto best = best_.find(chosen.problem.key()); best != best_.end()) {
    const auto trial = database_.trial(best->second.trial);
    if (trial && trial->family == read.family.name) {
      chosen.source.variant = &find_variant(read, trial->variant);
      chosen.configuration = parse_configuration(*chosen.source.variant, trial->configuration);
    }
  }
  std::vector<std::string> command{"tune", state_.target, "--variant", chosen.source.variant->name, "--all"};
  std::vector<SweepRow> only(1);
  only.front().configuration = chosen.configuration;
  for (const std::string& condition : conditions_of(*chosen.source.variant, only))
    command.insert(command.end(), {"--where", condition});
  const std::vector<std::string> problem = problem_words();
  command.insert(command.end(), problem.begin(), problem.end());
  const ExitCode code = run_command(command);
  const auto decision = database_.winner(chosen.problem.key(), device_.device_class());
  if (code != ExitCode::passed || !decision) return code;
  outcome_ = fmt::format("winner: trial {}", decision->trial);
  return words.size() < 2 ? code : run_command({"show", fmt::format("{}", decision->trial), "--save", words.back()});
}

}  // namespace kerlab::cli
