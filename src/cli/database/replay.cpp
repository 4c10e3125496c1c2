#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <cmath>

#include "base/elapsed.h"
#include "base/file.h"
#include "base/format.h"
#include "cli/frame/command.h"
#include "cli/frame/option_checks.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/analyse/sweeps.h"
#include "session/export/replays.h"

namespace kerlab::cli {

namespace {

struct ReplayCommand {
  std::vector<std::string> sweeps;
  std::string folder;
  std::size_t least = 100;
  ReplayOptions options;
};

/// Files as they are; else those of the folder whose names contain one of the words.
std::vector<Sweep> chosen_sweeps(const ReplayCommand& command) {
  std::vector<Sweep> chosen;
  std::vector<std::string> words;
  for (const std::string& word : command.sweeps) {
    if (std::filesystem::is_regular_file(word))
      chosen.push_back(read_recording(word));
    else
      words.push_back(word);
  }
  if (words.empty() && !chosen.empty()) return chosen;
  std::vector<std::filesystem::path> folders = {sweeps_folder(), spaces_folder()};
  if (!command.folder.empty()) folders = {command.folder};
  std::vector<Sweep> there;
  for (const std::filesystem::path& folder : folders)
    for (Sweep& sweep : read_sweeps(folder)) there.push_back(std::move(sweep));
  for (Sweep& sweep : there) {
    const bool named = std::any_of(words.begin(), words.end(),
                                   [&](const std::string& word) { return sweep.name.find(word) != std::string::npos; });
    if (words.empty() ? sweep.points.size() >= command.least : named) chosen.push_back(std::move(sweep));
  }
  if (chosen.empty())
    throw UsageError(fmt::format("replay {}: no such sweep in {}; --folder DIR names another folder",
                                 fmt::join(command.sweeps, " "), folders.front().string()));
  return chosen;
}

/// [[evaluations, us], ...] of each search.
JsonValue json_of(const std::vector<ReplayedSpace::Improvements>& runs) {
  JsonValue::Array searches;
  for (const ReplayedSpace::Improvements& run : runs) {
    JsonValue::Array steps;
    for (const auto& [evaluations, cost] : run) steps.push_back(JsonValue::Array{evaluations, cost});
    searches.push_back(std::move(steps));
  }
  return searches;
}

JsonValue json_of(const ReplayedSpace& space) {
  JsonValue::Array steps;
  for (const ReplayStep& step : space.steps)
    steps.push_back(JsonValue::Object{{"share", step.share},
                                      {"within", step.within},
                                      {"median", step.median},
                                      {"low", step.low},
                                      {"high", step.high},
                                      {"random", step.random}});
  JsonValue::Object object{{"name", space.name},       {"configurations", space.configurations},
                           {"failed", space.failed},   {"variants", space.variants},
                           {"best_us", space.best_us}, {"median_us", space.median_us},
                           {"steps", std::move(steps)}};
  if (!space.runs.empty()) {
    object.emplace_back("runs", json_of(space.runs));
    object.emplace_back("random_runs", json_of(space.random_runs));
  }
  return object;
}

Table table_of(const std::vector<ReplayedSpace>& spaces) {
  Table table{{{"space"}, {"n", Align::right}, {"failed", Align::right}}, {}};
  for (const ReplayStep& step : spaces.front().steps) {
    const std::string percent = fmt::format("{:.0f} %", 100 * step.share);
    table.columns.push_back({"in " + percent, Align::right});
    table.columns.push_back({percent + " after", Align::right});
    table.columns.push_back({"random", Align::right});
  }
  for (const ReplayedSpace& space : spaces) {
    std::vector<std::string> row = {space.name, fmt::format("{}", space.configurations),
                                    fmt::format("{}", space.failed)};
    for (const ReplayStep& step : space.steps) {
      row.push_back(fmt::format("{}", step.within));
      row.push_back(fmt::format("{} [{},{}]", step.median, step.low, step.high));
      row.push_back(fmt::format("{}", step.random));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Over all spaces: the largest median, the geometric mean, and where random was faster by more than chance.
std::string summary(const std::vector<ReplayedSpace>& spaces) {
  std::string text;
  for (std::size_t s = 0; s < spaces.front().steps.size(); ++s) {
    double logs = 0;
    double random_logs = 0;
    double most = 0;
    for (const ReplayedSpace& space : spaces) {
      logs += std::log(space.steps[s].median) / static_cast<double>(spaces.size());
      random_logs += std::log(space.steps[s].random) / static_cast<double>(spaces.size());
      most = std::max(most, space.steps[s].median);
    }
    text += fmt::format("{:.0f} % of the best: largest median {}, geometric mean {:.1f} (random {:.1f})\n",
                        100 * spaces.front().steps[s].share, most, std::exp(logs), std::exp(random_logs));
  }
  return text;
}

ExitCode run(const ReplayCommand& command, const GlobalOptions& global) {
  if (command.options.runs && !global.json) throw UsageError("--runs: each search is told as JSON only; add --json");
  const auto begun = std::chrono::steady_clock::now();
  const std::vector<Sweep> sweeps = chosen_sweeps(command);
  const std::vector<ReplayedSpace> spaces = replay_sweeps(sweeps, kernel_folders(global), command.options);
  const double seconds = seconds_since(begun);
  if (global.json) {
    JsonValue::Array values;
    for (const ReplayedSpace& space : spaces) values.push_back(json_of(space));
    fmt::print("{}\n", to_json(json_document("replay", {{"strategy", command.options.strategy},
                                                        {"seeds", command.options.seeds},
                                                        {"batch", command.options.batch},
                                                        {"spaces", std::move(values)},
                                                        {"seconds", seconds}})));
    return ExitCode::passed;
  }
  fmt::print("{}, {} seeds, {} at once: evaluations until a share of the best, median [80 % of the seeds]\n{}{}{}\n",
             command.options.strategy, command.options.seeds, command.options.batch,
             text_table(table_of(spaces), color_on(global, stdout), 0, table_width(0)), summary(spaces),
             format_seconds(seconds));
  return ExitCode::passed;
}

}  // namespace

Command add_replay(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<ReplayCommand>();
  CLI::App* parser = root.add_subcommand("replay", "run a search strategy over recorded sweeps, without a GPU");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab replay reg2d --strategy surrogate --seeds 100\n"
      "          kerlab replay convolution/A100.json --batch 1");
  parser->add_option("sweeps", command->sweeps,
                     "files, also of Kernel Tuner (cache) and T4; or words in the names of shipped ones");
  parser->add_option("--strategy", command->options.strategy, "random, local, surrogate (default)")
      ->check(CLI::IsMember({"random", "local", "surrogate"}));
  parser->add_option("--seeds", command->options.seeds, "searches of each sweep")->check(takes_whole(1, 1000000));
  parser->add_option("--batch", command->options.batch, "candidates asked for at once")->check(takes_whole(1, 1000000));
  parser->add_option("--least", command->least, "configurations that a sweep must have, where none is named")
      ->check(takes_whole(0, 1000000));
  parser->add_flag("--spills", command->options.spills, "as tune --spills: what spills is no failure");
  parser->add_flag("--runs", command->options.runs,
                   "with --json: every search, as [evaluations, us] at each better one");
  parser->add_option("--folder", command->folder, "of sweeps (default: the shipped ones)")->type_name("DIR");
  return {parser, false, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
