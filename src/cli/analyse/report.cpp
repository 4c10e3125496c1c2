#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.h"
#include "base/format.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "report/form/json.h"
#include "report/html/page.h"
#include "report/markdown/report_markdown.h"
#include "session/analyse/report_compare.h"
#include "session/analyse/report_data.h"
#include "session/analyse/report_lines.h"
#include "session/run/rig.h"

namespace kerlab::cli {

namespace {

struct ReportCommand {
  std::string family, dtypes, device_class;
  std::string html, markdown, svg;  ///< FILE, FILE, DIR; empty: not asked for
  std::string compare;              ///< another database, or one or two sessions: "3", "3,5"
  int lines = 0;                    ///< trials of each problem whose source lines are counted
};

/// A file that was written, or "-".
struct Written {
  std::string file;
  std::size_t bytes = 0;
};

void check_options(const ReportCommand& command, const GlobalOptions& global) {
  if (command.html.empty() && command.markdown.empty() && command.svg.empty())
    throw UsageError("report: name what to write: -o FILE.html, --markdown FILE or --svg DIR (- is standard output)");
  if (command.svg == "-") throw UsageError("--svg -: there are several drawings; name a folder");
  const bool html = command.html == "-", markdown = command.markdown == "-";
  if (html && markdown) throw UsageError("-o - and --markdown -: one of them can have standard output");
  if (global.json && (html || markdown))
    throw UsageError("--json: standard output holds one JSON document; write the report to a file");
  if (command.family.empty() && !global.problem.empty())
    throw UsageError(fmt::format("--{}: of which family? kerlab report FAMILY --{} {} -o FILE", global.problem[0].name,
                                 global.problem[0].name, global.problem[0].value));
}

/// What was typed means something to the family.
void check_arguments(const ReportOptions& options, const KernelFolder& folder) {
  (void)make_requests(folder.family, options.arguments, options.dtypes);
}

ReportOptions report_options(const ReportCommand& command, const GlobalOptions& global) {
  ReportOptions options;
  options.family = command.family;
  options.arguments = global.problem;
  options.dtypes = command.dtypes;
  options.class_part = command.device_class;
  options.kernels = kernel_folders(global);
  options.repeated = repeated_options(global);
  if (!command.family.empty() && (!global.problem.empty() || command.family.find('/') != std::string::npos)) {
    const KernelFolder folder = open_catalogue(options.kernels).find(command.family);
    options.family = folder.family.name;
    check_arguments(options, folder);
    // A folder that was typed is where its family is looked for again.
    if (std::filesystem::is_directory(command.family))
      options.kernels.families.push_back(std::filesystem::canonical(command.family).parent_path());
  }
  if (global.device != "auto") {  // auto: whatever is stored
    const Rig rig(rig_options(global, ""), KernelFolder{});
    options.device_class = rig.device().device_class();
    options.device_kind = name(rig.device().kind);
  }
  return options;
}

void add_written(std::vector<Written>& written, const std::string& file, const std::string& text, bool dry_run) {
  if (!dry_run) write_output(file, text);
  if (file != "-") written.push_back({file, text.size()});
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("--svg {}: the folder cannot be made: {}", folder, error.message()));
}

std::vector<Written> write_all(const ReportCommand& command, const LabReport& report, bool dry_run) {
  std::vector<Written> written;
  if (!command.html.empty()) add_written(written, command.html, report_page(report), dry_run);
  if (!command.markdown.empty()) add_written(written, command.markdown, report_markdown(report), dry_run);
  if (command.svg.empty()) return written;
  if (!dry_run) make_folder(command.svg);
  for (const ReportFigure& figure : report_figures(report))
    add_written(written, (std::filesystem::path(command.svg) / (figure.id + ".svg")).string(), standalone_svg(figure),
                dry_run);
  return written;
}

void print_json(const LabReport& report, const std::vector<Written>& written, bool dry_run) {
  JsonValue::Array files, problems;
  std::int64_t trials = 0;
  for (const Written& one : written)
    files.push_back(JsonValue::Object{{"file", one.file}, {"bytes", static_cast<std::int64_t>(one.bytes)}});
  for (const ReportProblem& problem : report.problems) {
    trials += static_cast<std::int64_t>(problem.trials.size());
    problems.push_back(
        JsonValue::Object{{"problem", problem.key},
                          {"device_class", problem.device_class},
                          {"clock", problem.clock},
                          {"trials", static_cast<std::int64_t>(problem.trials.size())},
                          {"winner", problem.decision ? JsonValue(problem.decision->trial) : JsonValue()}});
  }
  fmt::print("{}\n", to_json(json_document("report", {{"title", report.title},
                                                      {"dry_run", dry_run},
                                                      {"trials", trials},
                                                      {"problems", std::move(problems)},
                                                      {"written", std::move(files)},
                                                      {"warnings", report.warnings}})));
}

void print_text(const LabReport& report, const std::vector<Written>& written, const GlobalOptions& global) {
  for (const Written& one : written)
    fmt::print("{} {} ({})\n", global.dry_run ? "would write" : "wrote", one.file,
               format_bytes(static_cast<std::int64_t>(one.bytes)));
  const bool color = color_on(global, stderr);
  for (const std::string& warning : report.warnings)
    fmt::print(stderr, "{}{}\n", styled("warning: ", Style::warning, color), warning);
}

/// "3" or "3,5" where there is no such file.
std::optional<std::pair<std::int64_t, std::int64_t>> sessions_in(const std::string& text) {
  if (text.find_first_not_of("0123456789,") != std::string::npos || std::filesystem::exists(text)) return std::nullopt;
  const std::size_t comma = text.find(',');
  try {
    return std::pair(std::stoll(text), comma == std::string::npos ? 0LL : std::stoll(text.substr(comma + 1)));
  } catch (const std::exception&) {
    throw UsageError(fmt::format("--compare {}: a database, a session's number, or two as in 3,5", text));
  }
}

ReportComparison compare(const ReportCommand& command, const ReportOptions& options, const LabReport& report,
                         const Database& database) {
  if (const auto sessions = sessions_in(command.compare))
    return compare_sessions(report, database, sessions->first, sessions->second);
  if (!std::filesystem::exists(command.compare))
    throw UsageError(
        fmt::format("--compare {}: no such file; it takes a database, or the numbers of one or two sessions as in 3,5",
                    command.compare));
  return compare_databases(options, report, Database::open(command.compare));
}

void count_lines(const ReportCommand& command, const GlobalOptions& global, LabReport& report,
                 const Database& database) {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  auto counting = with_source_lines(std::move(report), rig_options(global, ""), database, command.lines);
  while (counting.step()) {
    fmt::print(stderr, "{}{}{}", terminal ? "\r\x1b[K" : "", counting.doing(), terminal ? "" : "\n");
    std::fflush(stderr);
  }
  report = counting.take();
  if (terminal) fmt::print(stderr, "\r\x1b[K");
}

ExitCode run(const ReportCommand& command, const GlobalOptions& global) {
  check_options(command, global);
  const Database database = open_existing_database(global);
  const ReportOptions options = report_options(command, global);
  LabReport report = collect_report(options, database);
  if (!command.compare.empty()) report.comparison = compare(command, options, report, database);
  if (command.lines > 0 && !global.dry_run) count_lines(command, global, report, database);
  report.version = version();
  report.command = global.typed;
  const std::vector<Written> written = write_all(command, report, global.dry_run);
  if (global.json)
    print_json(report, written, global.dry_run);
  else
    print_text(report, written, global);
  return ExitCode::passed;
}

}  // namespace

Command add_report(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<ReportCommand>();
  CLI::App* parser = root.add_subcommand(
      "report",
      "what is stored, as one HTML page, as Markdown, or as SVG files\n"
      "Summary, roofline, search, parameters, finalists, accuracy, failures, regress runs, environment.");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab report gemm --M 4096 -o report.html\n"
      "          kerlab report --markdown summary.md --svg plots");
  parser->add_option("family", command->family, "only of this family (default: everything stored)");
  parser->add_option("--dtype", command->dtypes, "only these: fp16,bf16; --M 1K..4K:x2 --layout nt filter likewise");
  parser->add_option("--device-class", command->device_class, "only devices with this in their class, as in H200")
      ->type_name("TEXT");
  parser->add_option("-o,--output", command->html, "the page; - for standard output")->type_name("FILE");
  parser->add_option("--markdown", command->markdown, "for a pull request; - for standard output")->type_name("FILE");
  parser->add_option("--svg", command->svg, "every plot as a file in this folder")->type_name("DIR");
  parser
      ->add_option("--compare", command->compare,
                   "the winners of another database, or of sessions (3, or 3,5), beside those now")
      ->type_name("DB|SESSION");
  parser
      ->add_option("--lines", command->lines,
                   "source lines by cost for the best N of each problem: counted now, seconds each")
      ->type_name("N")
      ->check(CLI::Range(0, 100));
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
