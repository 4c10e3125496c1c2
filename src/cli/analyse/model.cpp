#include <algorithm>
#include <CLI/CLI.hpp>
#include <map>
#include <optional>

#include "base/file.h"
#include "cli/analyse/model_steps.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/waiting.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/analyse/sweeps.h"
#include "session/run/device_ids.h"

namespace kerlab::cli {

namespace {

struct ModelOptions {
  std::vector<std::string> names;
  std::string folder, record, counts;
  std::size_t most = 48, least = 20, steps = 0;
};

/// --record: what the database holds becomes text to ship. Existing files keep their role.
ExitCode record(const ModelOptions& options, const GlobalOptions& global) {
  const Database database = open_existing_database(global);
  for (Sweep& sweep : recorded_sweeps(database, options.least)) {
    const std::filesystem::path file = std::filesystem::path(options.record) / (sweep.name + ".txt");
    if (std::filesystem::exists(file)) sweep.fitted = parse_sweep(read_text(file), file.string()).fitted;
    if (!global.dry_run) {
      std::filesystem::create_directories(options.record);
      write_atomic(file, sweep_text(sweep));
    }
    const auto failed = std::count_if(sweep.points.begin(), sweep.points.end(),
                                      [](const SweepPoint& point) { return !point.failed.empty(); });
    fmt::print("{:>5} configurations, {:>4} failed  {}\n", sweep.points.size(), failed, file.string());
  }
  return ExitCode::passed;
}

bool chosen(const Sweep& sweep, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return sweep.name.find(name) != std::string::npos;
         });
}

/// Held-out sweeps of a family and dtype, taken together.
struct Together {
  std::vector<double> ones, ratios, spearman;
  void add(const ModelledSweep& sweep, const SweepScore& result) {
    for (std::size_t i = 0; i < sweep.measured.size(); ++i) ratios.push_back(sweep.modelled[i] / sweep.measured[i]);
    ones.assign(ratios.size(), 1);
    spearman.push_back(result.spearman);
  }
};

/// As report/text/modelled_remark.cpp has them.
void print_together(std::map<std::string, Together> held_out) {
  fmt::print("held out, by family and dtype:\n");
  for (auto& [name, together] : held_out) {
    std::sort(together.spearman.begin(), together.spearman.end());
    const SweepScore all = score(together.ones, together.ratios);
    fmt::print("  {:<14} {:>2} sweeps, {:>4} configurations: {:+.0f} to {:+.0f} %, Spearman {:.2f}\n", name,
               together.spearman.size(), all.configurations, 100 * all.low, 100 * all.high,
               together.spearman[together.spearman.size() / 2]);
  }
}

std::string note(const CountedSweep& counted) {
  std::string text = counted.other_source ? "the kernel has changed since" : "";
  const auto lost = std::count_if(counted.points.begin(), counted.points.end(),
                                  [](const CountedPoint& point) { return point.launches.empty(); });
  if (lost > 0) text += fmt::format("{}{} not counted", text.empty() ? "" : ", ", lost);
  return text;
}

std::vector<Sweep> chosen_sweeps(const ModelOptions& options) {
  const std::filesystem::path folder = options.folder.empty() ? sweeps_folder() : std::filesystem::path(options.folder);
  auto sweeps = read_sweeps(folder);
  std::erase_if(sweeps, [&](const Sweep& sweep) { return !chosen(sweep, options.names); });
  if (sweeps.empty())
    throw UsageError(fmt::format("model {}: no such sweep in {}; --folder DIR names another folder",
                                 fmt::join(options.names, " "), folder.string()));
  return sweeps;
}

ExitCode run(const ModelOptions& options, const GlobalOptions& global) {
  if (!options.record.empty()) return record(options, global);
  if (options.steps > 0) return compare_steps(chosen_sweeps(options), options.steps, global);
  Table table{{{"sweep"},
               {"role"},
               {"n", Align::right},
               {"Spearman", Align::right},
               {"best is", Align::right},
               {"best of 8", Align::right},
               {"80 % within", Align::right},
               {"median", Align::right},
               {"90 %", Align::right},
               {""}},
              {}};
  JsonValue::Array rows;
  std::map<std::string, Together> held_out;
  std::optional<Waiting> waiting(std::in_place, "model");
  for (const Sweep& sweep : chosen_sweeps(options)) {
    RigOptions rig = rig_options(global, sweep.family);
    rig.device = inspecting_device(rig.device);
    const CountedSweep counted = waiting->run(count_sweep(rig, sweep, options.most));
    if (!options.counts.empty()) {
      std::filesystem::create_directories(options.counts);
      write_atomic(std::filesystem::path(options.counts) / (sweep.name + ".txt"), counted_text(sweep, counted));
    }
    const ModelledSweep modelled = model_sweep(counted);
    const SweepScore result = score(modelled.measured, modelled.modelled);
    if (!sweep.fitted) held_out[sweep.family + " " + dtype_of(sweep)].add(modelled, result);
    const char* const role = sweep.fitted ? "fitted" : "held out";
    table.rows.push_back({sweep.name, role, fmt::format("{}", result.configurations),
                          fmt::format("{:.2f}", result.spearman), fmt::format("{}.", result.best_rank),
                          fmt::format("{:.2f}", result.best_of_8),
                          fmt::format("{:+.0f} to {:+.0f} %", 100 * result.low, 100 * result.high),
                          fmt::format("{:.0f} %", 100 * result.median_error),
                          fmt::format("{:.0f} %", 100 * result.error_90), note(counted)});
    rows.push_back(JsonValue::Object{{"sweep", sweep.name},
                                     {"role", role},
                                     {"configurations", static_cast<std::int64_t>(result.configurations)},
                                     {"spearman", result.spearman},
                                     {"best_rank", static_cast<std::int64_t>(result.best_rank)},
                                     {"best_of_8", result.best_of_8},
                                     {"low", result.low},
                                     {"high", result.high},
                                     {"median_error", result.median_error},
                                     {"error_90", result.error_90},
                                     {"note", note(counted)}});
  }
  waiting.reset();
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("model", {{"model", kModelProtocol}, {"sweeps", std::move(rows)}})));
  } else {
    fmt::print("{} against recorded sweeps: modelled over measured less 1\n{}", kModelProtocol,
               text_table(table, color_on(global, stdout), 0, table_width(0)));
    print_together(held_out);
  }
  return ExitCode::passed;
}

}  // namespace

Command add_model(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* parser = root.add_subcommand("model", "compare modelled times with the recorded sweeps of a GPU");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab model softmax reg2d\n"
      "          kerlab model --most 8");
  parser->add_option("sweeps", options->names, "only those whose names contain one of these: reg2d, softmax-row, ...");
  parser->add_option("--folder", options->folder, "of sweeps (default: the shipped ones)")->type_name("DIR");
  parser->add_option("--most", options->most, "configurations of each sweep, 0: all (default 48)")
      ->check(takes_whole(0, 1000000));
  parser
      ->add_option("--steps", options->steps,
                   "compare ratios of neighbours instead: so many configurations of each sweep with theirs")
      ->check(takes_whole(0, 1000000));
  parser->add_option("--counts", options->counts, "write what was counted here")->type_name("DIR");
  parser->add_option("--record", options->record, "write the sweeps of the database here instead")->type_name("DIR");
  parser->add_option("--least", options->least, "with --record: configurations that make a sweep (default 20)")
      ->check(takes_whole(1, 1000000));
  return {parser, false, [options, &global] { return run(*options, global); }};
}

}  // namespace kerlab::cli
