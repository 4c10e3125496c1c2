#include <CLI/CLI.hpp>

#include "base/format.h"
#include "cli/command.h"
#include "cli/roofline_drawing.h"
#include "cli/why_screen.h"
#include "db/database.h"
#include "report/roof_json.h"
#include "report/roofline_plot.h"
#include "report/table.h"
#include "report/tune_table.h"
#include "session/roofline.h"

namespace kerlab {

namespace {

std::string percent(double fraction) {
  return fraction > 0 ? fmt::format("{:.1f}", 100 * fraction) : "-";
}

const Ceilings& best_known(const ProblemRoofline& problem) {
  return problem.measured ? *problem.measured : problem.theoretical;
}

std::string bound(const ProblemRoofline& problem, const Roofline& roof) {
  return roof.memory_bound ? "memory" : problem.theoretical.unit;
}

std::string label(const Trial& trial) {
  return trial.configuration.empty() ? trial.variant : trial.variant + " " + trial.configuration;
}

std::string label(const RooflinePoint& point) {
  return label(point.trial) + (point.shipped.empty() ? "" : fmt::format(" (shipped: {})", point.shipped));
}

/// In tables and plots.
char mark_of(const RooflinePoint& point) {
  return point.winner ? '*' : point.shipped.empty() ? 'o' : 'S';
}

// --- JSON: "practical" and its `source`, because what a script says is not measured

JsonValue to_value(const RooflinePoint& point) {
  return JsonValue::Object{{"winner", point.winner},
                           {"shipped", point.shipped.empty() ? JsonValue() : JsonValue(point.shipped)},
                           {"trial", to_value(point.trial)},
                           {"measurement", to_value(point.measurement)},
                           {"flops_per_s", point.flops_per_s},
                           {"bytes_per_s", point.bytes_per_s},
                           {"of_theoretical", point.of_theoretical},
                           {"of_practical", point.of_measured > 0 ? JsonValue(point.of_measured) : JsonValue()}};
}

JsonValue to_value(const ProblemRoofline& problem) {
  JsonValue::Array points;
  for (const RooflinePoint& point : problem.points) points.push_back(to_value(point));
  return JsonValue::Object{
      {"problem", problem.key},
      {"flops", problem.flops},
      {"bytes", problem.bytes},
      {"intensity", problem.roof.intensity},
      {"theoretical", roof_value(problem.theoretical, problem.roof)},
      {"practical", problem.measured ? roof_value(*problem.measured, *problem.measured_roof) : JsonValue()},
      {"practical_bandwidth", problem.bandwidth},
      {"points", std::move(points)},
      {"library", to_values(problem.library)},
      {"sentence", problem.sentence},
      {"regime", regime_value(problem.regime)}};
}

std::string roofline_json(const RooflineReport& report) {
  JsonValue::Array problems;
  for (const ProblemRoofline& problem : report.problems) problems.push_back(to_value(problem));
  JsonValue::Object ceilings;
  for (const Ceiling& row : report.measured.rows) ceilings.emplace_back(row.name, row.value);
  return to_json(json_document("roofline", {{"device", report.device.name},
                                            {"device_class", report.device.device_class()},
                                            {"clock", report.measured.clock},
                                            {"ceilings", std::move(ceilings)},
                                            {"ceilings_created", report.measured.created},
                                            {"ceilings_measured_now", report.measured_now},
                                            {"problems", std::move(problems)},
                                            {"warnings", report.warnings}})) +
         "\n";
}

// --- one problem

std::vector<std::string> ceiling_row(const ProblemRoofline& problem, const Ceilings& ceilings, const Roofline& roof) {
  return {ceilings.source,
          format_si(ceilings.bytes_per_s, "B/s"),
          format_si(ceilings.flops_per_s, "FLOP/s"),
          fmt::format("{:.1f}", roof.ridge),
          bound(problem, roof),
          format_us(roof.minimum_us)};
}

std::string ceilings_text(const ProblemRoofline& problem, bool color) {
  Table table{{{"ceilings"},
               {fmt::format("memory ({})", problem.bandwidth), Align::right},
               {problem.theoretical.unit, Align::right},
               {"ridge", Align::right},
               {"bound"},
               {"at best us", Align::right}},
              {ceiling_row(problem, problem.theoretical, problem.roof)}};
  if (problem.measured) table.rows.push_back(ceiling_row(problem, *problem.measured, *problem.measured_roof));
  return text_table(table, color, 2);
}

/// A library's time under the same roof.
std::vector<std::string> library_row(const ProblemRoofline& problem, const LibraryTime& time) {
  const double measured = problem.measured_roof ? problem.measured_roof->minimum_us / time.median_us : 0;
  return {"L",
          median_with_interval(time.median_us, time.low_us, time.high_us),
          format_si(problem.flops / time.median_us * 1e6),
          format_si(problem.bytes / time.median_us * 1e6),
          percent(problem.roof.minimum_us / time.median_us),
          percent(measured),
          "-",
          time.label};
}

std::string points_text(const ProblemRoofline& problem, bool color) {
  if (problem.points.empty()) return "";
  const std::string clock = problem.points.front().measurement.clock;
  const std::string share =
      problem.measured ? "% " + problem.measured->source.substr(0, problem.measured->source.find(' ')) : "% measured";
  Table table{{{""},
               {"us [95 %], " + clock},
               {"FLOP/s", Align::right},
               {"B/s", Align::right},
               {"% theoretical", Align::right},
               {share, Align::right},
               {"trial", Align::right},
               {"configuration"}},
              {}};
  for (const RooflinePoint& point : problem.points) {
    const Measurement& measurement = point.measurement;
    table.rows.push_back({std::string(1, mark_of(point)),
                          median_with_interval(measurement.median_us, measurement.low_us, measurement.high_us),
                          format_si(point.flops_per_s), format_si(point.bytes_per_s), percent(point.of_theoretical),
                          percent(point.of_measured), point.trial.id > 0 ? fmt::format("{}", point.trial.id) : "-",
                          label(point)});
  }
  for (const LibraryTime& time : problem.library) table.rows.push_back(library_row(problem, time));
  return text_table(table, color, 2);
}

PlotSize plot_size() {
  PlotSize size;
  size.width = std::min(terminal_width(stdout), 80);
  return size;
}

std::string plot_of(const ProblemRoofline& problem) {
  std::vector<PlotPoint> points;
  for (const LibraryTime& time : problem.library)
    points.push_back({'L', problem.roof.intensity, problem.flops / time.median_us * 1e6, time.label});
  // The winner last: drawn over the others where they meet.
  for (auto point = problem.points.rbegin(); point != problem.points.rend(); ++point) {
    if (point->flops_per_s <= 0) continue;
    points.push_back({mark_of(*point), problem.roof.intensity, point->flops_per_s,
                      point->trial.variant + (point->shipped.empty() ? "" : " (shipped)")});
  }
  return roofline_plot(best_known(problem), points, plot_size());
}

std::string problem_text(const ProblemRoofline& problem, const RooflineReport& report, bool color) {
  std::string text =
      fmt::format("{}   {} {}\n{}, at least {} of memory traffic: {:.3g} FLOP/byte\n\n",
                  styled(problem.title, Style::bold, color), report.device.id, report.device.name,
                  format_si(problem.flops, "FLOP"), format_si(problem.bytes, "B"), problem.roof.intensity);
  text += ceilings_text(problem, color) + "\n";
  if (!problem.points.empty()) text += points_text(problem, color) + "\n";
  text += plot_of(problem) + "\n" + problem.sentence + "\n";
  if (problem.regime) text += regime_text(*problem.regime) + "\n";
  return text;
}

// --- all winners

char mark_of(std::size_t index) {
  constexpr std::string_view kMarks = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return kMarks[index % kMarks.size()];
}

std::string winners_table(const RooflineReport& report, bool color) {
  Table table{{{""},
               {"problem"},
               {"FLOP/byte", Align::right},
               {"bound"},
               {"regime"},
               {"us", Align::right},
               {"FLOP/s", Align::right},
               {"B/s", Align::right},
               {"% theoretical", Align::right},
               {"% " + report.measured.clock, Align::right},
               {"configuration"}},
              {}};
  for (std::size_t i = 0; i < report.problems.size(); ++i) {
    const ProblemRoofline& problem = report.problems[i];
    const RooflinePoint& winner = problem.points.front();
    table.rows.push_back({std::string(1, mark_of(i)), problem.title, fmt::format("{:.3g}", problem.roof.intensity),
                          bound(problem, problem.measured_roof.value_or(problem.roof)),
                          problem.regime ? std::string(name(problem.regime->regime)) : "-",
                          format_us(winner.measurement.median_us), format_si(winner.flops_per_s),
                          format_si(winner.bytes_per_s), percent(winner.of_theoretical), percent(winner.of_measured),
                          label(winner)});
  }
  return text_table(table, color);
}

/// One plot for every pair of ceilings: problems of one dtype and kind of traffic.
std::string winners_plots(const RooflineReport& report) {
  std::map<std::pair<double, double>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < report.problems.size(); ++i) {
    const Ceilings& ceilings = best_known(report.problems[i]);
    if (report.problems[i].flops > 0) groups[{ceilings.flops_per_s, ceilings.bytes_per_s}].push_back(i);
  }
  std::string text;
  for (const auto& [ceilings, members] : groups) {
    std::vector<PlotPoint> points;
    for (const std::size_t i : members) {
      const ProblemRoofline& problem = report.problems[i];
      points.push_back({mark_of(i), problem.roof.intensity, problem.points.front().flops_per_s, problem.title});
    }
    text += "\n" + roofline_plot(best_known(report.problems[members.front()]), points, plot_size());
  }
  return text;
}

std::string winners_text(const RooflineReport& report, bool color) {
  const std::string where = fmt::format("{} {}", report.device.id, report.device.name);
  if (report.problems.empty()) return fmt::format("no stored winner for {}: kerlab tune FAMILY\n", where);
  std::string text = fmt::format("winners, {}\n", where) + winners_table(report, color) + winners_plots(report);
  if (report.measured.clock != "measured")
    text +=
        fmt::format("\n{} times and ceilings, not those of a GPU, but for what is shipped\n", report.measured.clock);
  return text;
}

void write_svg(const RooflineReport& report, bool one_problem, const std::string& file) {
  if (report.problems.empty())
    throw Error(
        fmt::format("--svg {}: there is no stored winner to draw for {}; kerlab tune FAMILY finds one, kerlab "
                    "roofline FAMILY --svg FILE draws a roof without",
                    file, report.device.name));
  const std::string svg = roofline_svg(roofline_drawing(report, one_problem));
  if (svg.empty()) throw Error(fmt::format("--svg {}: no ceiling of {} is known", file, report.device.name));
  write_output(file, svg);
}

ExitCode run(RooflineOptions options, const std::string& svg, const GlobalOptions& global) {
  const std::string target = options.rig.target;
  options.rig = rig_options(global, target);
  options.arguments = global.problem;
  options.only_stored = global.dry_run;
  const bool color = color_on(global, stdout);
  Database database = Database::open(database_path(global));
  const RooflineReport report = make_rooflines(options, database);
  if (!svg.empty()) write_svg(report, !target.empty(), svg);
  if (svg == "-") return ExitCode::passed;
  if (global.json) {
    fmt::print("{}", roofline_json(report));
    return ExitCode::passed;
  }
  fmt::print("{}", target.empty() ? winners_text(report, color) : problem_text(report.problems.front(), report, color));
  for (const std::string& warning : report.warnings)
    fmt::print("{}{}\n", styled("warning: ", Style::warning, color), warning);
  return ExitCode::passed;
}

}  // namespace

Command add_roofline(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<RooflineOptions>();
  auto svg = std::make_shared<std::string>();
  CLI::App* parser =
      root.add_subcommand("roofline", "what the device allows, and what the stored winner reaches of it");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab roofline gemm --M 4096 --dtype bf16 --svg roof.svg\n"
      "          kerlab roofline softmax --device emu:h200");
  parser->add_option("family", options->rig.target, "a family's name, or a folder (default: all stored winners)");
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  parser->add_flag("--measure", options->measure, "measure the ceilings anew");
  parser->add_option("--svg", *svg, "draw it; - for standard output")->type_name("FILE");
  return {parser, true, [options, svg, &global] { return run(*options, *svg, global); }, false,
          [svg] { return *svg != "-"; }};
}

}  // namespace kerlab
