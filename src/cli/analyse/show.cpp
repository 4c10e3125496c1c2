#include <charconv>
#include <CLI/CLI.hpp>

#include "cli/frame/check_screen.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/failure_screen.h"
#include "report/form/json.h"
#include "report/text/operations_text.h"
#include "report/text/show_text.h"
#include "session/analyse/listing.h"
#include "session/analyse/show.h"
#include "session/find/save.h"
#include "session/run/count_operations.h"
#include "session/run/device_class.h"

namespace kerlab::cli {

namespace {

struct ShowOptions {
  std::string what, family, dtype, folder;
  bool count = false;
};

/// A trial, and other winners that what was typed could mean too.
struct Choice {
  Trial trial;
  std::vector<Decision> others;
};

Choice choose_winner(const Database& database, const ShowOptions& options, const GlobalOptions& global) {
  if (options.family.empty()) {
    throw UsageError("show winner: of which family? kerlab show winner FAMILY (kerlab db winners lists them)");
  }
  const bool is_path = options.family.find('/') != std::string::npos;  // records know the family by its name
  const std::string family = is_path ? list_family(kernel_folders(global), options.family).name : options.family;
  std::vector<Decision> winners = find_winners(database, family, options.dtype, global.problem);
  const std::int64_t id = winners.front().trial;
  winners.erase(winners.begin());
  return {find_trial(database, id), std::move(winners)};
}

Choice choose(const Database& database, const ShowOptions& options, const GlobalOptions& global) {
  if (options.what == "winner") return choose_winner(database, options, global);
  const std::string& text = options.what;
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw UsageError(
        fmt::format("show {0}: neither the id of a trial nor `winner`; kerlab show winner {0} shows a "
                    "family's winner, kerlab db trials lists ids",
                    text));
  }
  if (!options.family.empty() || !options.dtype.empty() || !global.problem.empty()) {
    throw UsageError(fmt::format("show {}: an id says it all; a family, --dtype and dimensions go with `winner`", id));
  }
  return {find_trial(database, id), {}};
}

/// An emulated trial is counted at once: that needs nothing but this machine. Others when asked.
void add_counts(TrialStory& story, const ShowOptions& options, const GlobalOptions& global) {
  const bool emulated =
      stored_capabilities(story.trial.device_kind).counts_exactly && story.trial.status == TrialStatus::passed;
  if (options.count || (emulated && story.operations.has_predictions())) {
    story.operations = count_operations(story.trial, rig_options(global, story.trial.family));
  } else if (story.operations.has_predictions()) {
    story.operations.note = fmt::format("to count them on {}: kerlab show {} --count{}", emulated_twin(story.trial),
                                        story.trial.id, repeated_options(global));
  }
}

JsonValue json_of(const std::optional<Occupancy>& occupancy) {
  if (!occupancy) return nullptr;
  return JsonValue::Object{
      {"blocks_per_sm", occupancy->blocks}, {"fraction", occupancy->fraction}, {"limiter", occupancy->limiter}};
}

JsonValue json_of(const std::optional<Roofline>& roof) {
  if (!roof) return nullptr;
  return JsonValue::Object{{"flops_per_s", roof->roof_flops},
                           {"minimum_us", roof->minimum_us},
                           {"flops_per_byte", roof->intensity},
                           {"memory_bound", roof->memory_bound}};
}

JsonValue json_of(const std::optional<SavedTrial>& saved) {
  if (!saved) return nullptr;
  std::vector<std::string> files;
  for (const auto& file : saved->files) files.push_back(file.string());
  return JsonValue::Object{{"files", files}, {"notes", saved->notes}};
}

/// "  error/bound before: 0.21 (trial 12, NVRTC 13.0, 2026-11-20), ...": the last few.
std::string accuracy_text(const std::vector<AccuracyRecord>& history) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = history.size() - std::min(history.size(), kShown); i < history.size(); ++i)
    text += fmt::format("{}{:.3g} (trial {}, {}, {})", text.empty() ? "" : ", ", history[i].error_ratio,
                        history[i].trial, history[i].toolchain, history[i].created.substr(0, 10));
  return text.empty() ? "" : fmt::format("  error/bound of its other trials: {}\n", text);
}

void print_json(const TrialStory& story, const Choice& choice, JsonValue failure,
                const std::vector<AccuracyRecord>& accuracy, const std::optional<SavedTrial>& saved) {
  fmt::print("{}\n", to_json(json_document("show", {{"trial", to_value(story.trial)},
                                                    {"measurements", to_values(story.measurements)},
                                                    {"winner", story.winner},
                                                    {"flops", story.flops},
                                                    {"occupancy", json_of(story.occupancy)},
                                                    {"roof", json_of(story.roof)},
                                                    {"operations", to_value(story.operations)},
                                                    {"reproduce", story.reproduce},
                                                    {"failure", std::move(failure)},
                                                    {"accuracy", accuracy_values(accuracy)},
                                                    {"other_winners", to_values(choice.others)},
                                                    {"saved", json_of(saved)}})));
}

void print_text(const TrialStory& story, const Choice& choice, const std::optional<SavedTrial>& saved, bool color) {
  fmt::print("{}", show_text(story, color, table_width(0)));
  for (const Decision& other : choice.others) {
    fmt::print("also a winner: {}, {}  (kerlab show {})\n", other.problem, other.device_class, other.trial);
  }
  if (!saved) return;
  fmt::print("\n{}\n", styled("saved", Style::bold, color));
  for (const auto& file : saved->files) fmt::print("  {}\n", file.string());
  for (const std::string& note : saved->notes) fmt::print("  {} {}\n", styled("note:", Style::warning, color), note);
}

ExitCode run(const ShowOptions& options, const GlobalOptions& global) {
  const Database database = open_existing_database(global);
  const Choice choice = choose(database, options, global);
  TrialStory story{trial_facts(database, choice.trial, kernel_folders(global))};
  if (!global.dry_run) add_counts(story, options, global);
  const ToRepeat again = repeated_for(database, choice.trial, global);
  story.again = repeated_options(global);
  story.reproduce = reproduction_of(choice.trial, again);
  const std::optional<FailureGroup> failed = alike(database, choice.trial);
  if (failed) story.alike = alike_text(*failed);
  const std::vector<AccuracyRecord> accuracy = accuracy_history(choice.trial, database.trials_of(choice.trial.family));
  story.accuracy = accuracy_text(accuracy);
  std::optional<SavedTrial> saved;
  if (!options.folder.empty() && !global.dry_run) {
    saved = save_trial(database, choice.trial, {options.folder, kernel_folders(global), !global.no_cache, {}});
  }
  if (global.json) {
    print_json(story, choice, failed ? failure_values({*failed}, again).front() : JsonValue(), accuracy, saved);
  } else {
    print_text(story, choice, saved, color_on(global, stdout));
  }
  return ExitCode::passed;
}

}  // namespace

Command add_show(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* parser = root.add_subcommand("show", "all about a trial; --save writes its source, PTX, cubin and SASS");
  parser->group("Understand");
  parser->footer("examples: kerlab show 12 --save out\n          kerlab show winner gemm --M 4K --dtype bf16");
  parser->add_option("trial", options->what, "a trial's id (kerlab db trials), or `winner`")
      ->type_name("ID|winner")
      ->required();
  parser->add_option("family", options->family, "after `winner`; --M 4K and the like tell its problems apart");
  parser->add_option("--dtype", options->dtype, "of the winner's problem");
  parser->add_option("--save", options->folder, "write source, PTX, cubin, compiler's log and SASS")->type_name("DIR");
  parser->add_flag("--count", options->count,
                   "count its operations on an emulated device, beside what the variant predicts");
  return {parser, true, [options, &global] { return run(*options, global); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
