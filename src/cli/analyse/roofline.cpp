#include <CLI/CLI.hpp>

#include "cli/analyse/roofline_drawing.h"
#include "cli/analyse/roofline_screen.h"
#include "cli/frame/command.h"
#include "cli/frame/waiting.h"
#include "db/database.h"
#include "report/text/roof_json.h"
#include "session/analyse/roofline.h"

namespace kerlab::cli {

namespace {

// --- JSON: "practical" and its `source`, because what a script says is not measured

JsonValue json_of(const RooflinePoint& point) {
  return JsonValue::Object{{"winner", point.winner},
                           {"shipped", point.shipped.empty() ? JsonValue() : JsonValue(point.shipped)},
                           {"trial", to_value(point.trial)},
                           {"measurement", to_value(point.measurement)},
                           {"flops_per_s", point.flops_per_s},
                           {"bytes_per_s", point.bytes_per_s},
                           {"of_theoretical", point.of_theoretical},
                           {"of_practical", point.of_measured > 0 ? JsonValue(point.of_measured) : JsonValue()}};
}

JsonValue json_of(const ProblemRoofline& problem) {
  JsonValue::Array points;
  for (const RooflinePoint& point : problem.points) points.push_back(json_of(point));
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
      {"bottleneck", to_value(problem.bottleneck)}};
}

std::string roofline_json(const RooflineReport& report) {
  JsonValue::Array problems;
  for (const ProblemRoofline& problem : report.problems) problems.push_back(json_of(problem));
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
  const RooflineReport report = Waiting("roofline").run(make_rooflines(std::move(options), database));
  if (!svg.empty()) write_svg(report, !target.empty(), svg);
  if (svg == "-") return ExitCode::passed;
  if (global.json) {
    fmt::print("{}", roofline_json(report));
    return ExitCode::passed;
  }
  const RooflineScreen screen{terminal_width(stdout), unicode_on(), color};
  fmt::print("{}",
             target.empty() ? winners_text(report, screen) : problem_text(report.problems.front(), report, screen));
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

}  // namespace kerlab::cli
