#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/file.h"
#include "base/format.h"
#include "cli/database/export_screen.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/suite.h"
#include "cli/frame/waiting.h"
#include "report/dispatch/dispatch_header.h"
#include "report/dispatch/export_identity.h"
#include "report/dispatch/export_json.h"
#include "session/export/export.h"
#include "session/export/export_check.h"
#include "session/find/shipped.h"

namespace kerlab::cli {

namespace {

struct ExportCommand {
  std::string family, dtypes, suite, within, output, cubins, format = "header", check;
  std::size_t portfolio = 0;
  int rounds = 10;
  bool stored_only = false, shipped = false, embed = false, unchecked_values = false;
};

/// "2%", "2 %", "2": 0.02.
double parse_percent(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string rest(stop, text.data() + text.size());
  if (error != std::errc{} || value < 0 || (rest != "" && rest != "%" && rest != " %"))
    throw UsageError(fmt::format("--within {}: a percentage is wanted, as in --within 2%", text));
  return value / 100;
}

/// The keys of the suite's problems that are of this family.
std::vector<std::string> keys_of_suite(const std::string& file, const KernelFolder& folder,
                                       const GlobalOptions& global) {
  std::vector<std::string> keys;
  const Catalogue catalogue = open_catalogue(kernel_folders(global));
  for (const SuiteProblem& problem : read_suite(file, kernel_folders(global), suite_folders(global)).problems)
    if (catalogue.find(problem.family).family.name == folder.family.name)
      keys.push_back(make_problem(folder.family, make_request(folder.family, problem.arguments, problem.dtype)).key());
  if (keys.empty()) throw UsageError(fmt::format("--suite {}: it has no problem of {}", file, folder.family.name));
  return keys;
}

PortfolioOptions portfolio_options(const ExportCommand& command, const GlobalOptions& global) {
  PortfolioOptions options;
  options.rig = rig_options(global, command.family);
  options.filter.arguments = global.problem;
  options.filter.dtypes = command.dtypes;
  if (!command.suite.empty())
    options.filter.problems =
        keys_of_suite(command.suite, open_catalogue(kernel_folders(global)).find(command.family), global);
  options.largest = command.portfolio;
  options.within = command.within.empty() ? 0 : parse_percent(command.within);
  options.stored_only = command.stored_only;
  options.unchecked_values = command.unchecked_values;
  if (command.shipped) options.shipped = shipped_folder();
  options.rounds = command.rounds;
  options.command = global.typed;
  options.version = version();
  return options;
}

/// Writes the file, and beside it the cubins that it does not hold. Returns what was written.
std::vector<std::string> write_export(const ExportedLibrary& library, const ExportCommand& command) {
  std::vector<std::string> written;
  std::string folder = command.cubins;
  if (folder.empty() && command.format == "json" && command.output != "-") folder = command.output + ".cubins";
  if (!folder.empty()) {
    std::filesystem::create_directories(folder);
    for (const ExportedImage& image : library.images) {
      const std::filesystem::path file = std::filesystem::path(folder) / cubin_name(image);
      write_atomic(file, std::span<const std::byte>(image.bytes));
      written.push_back(file.string());
    }
  }
  const std::string text = command.format == "json" ? to_json(export_value(library, folder)) + "\n"
                                                    : dispatch_header(library, {folder.empty(), folder});
  write_output(command.output, text);
  written.insert(written.begin(), command.output);
  return written;
}

ExitCode run_check(const ExportCommand& command, const GlobalOptions& global) {
  const auto identity = read_identity(read_text(command.check));
  if (!identity) throw UsageError(fmt::format("--check {}: kerlab export did not write this file", command.check));
  const std::optional<Database> database = database_if_there(global);
  const ExportCheck check =
      check_export(*identity, rig_options(global, identity->target), database ? &*database : nullptr);
  print_check(command.check, *identity, check, global);
  return check.stale.empty() ? ExitCode::passed : ExitCode::no_baseline;
}

void check_options(const ExportCommand& command) {
  if (command.family.empty()) throw UsageError("export: name a family, or --check FILE");
  if (command.embed && !command.cubins.empty()) throw UsageError("--embed and --cubins: one of them");
  if (command.embed && command.format == "json")
    throw UsageError("--embed: a JSON document holds no cubins; they are written to --cubins DIR");
  if (command.output.empty() && !command.cubins.empty()) throw UsageError("--cubins DIR goes with -o FILE");
}

ExitCode run(const ExportCommand& command, const GlobalOptions& global) {
  if (!command.check.empty()) return run_check(command, global);
  check_options(command);
  const PortfolioOptions options = portfolio_options(command, global);
  Database database = command.shipped ? Database::open(database_path(global)) : open_existing_database(global);
  PortfolioSession session(options, database);
  std::optional<Waiting> waiting(std::in_place, "export");
  do {
    waiting->say(session.doing());
  } while (session.step());
  const PortfolioResult& result = session.result();
  if (!result.chosen) {
    waiting.reset();
    print_portfolio(session, options, {}, global);
    return ExitCode::inconclusive;
  }
  std::vector<std::string> written;
  if (!command.output.empty()) {
    waiting->say("compiling");
    written = write_export(export_portfolio(session, options), command);
  }
  waiting.reset();
  print_portfolio(session, options, written, global);
  return met(result, options) ? ExitCode::passed : ExitCode::inconclusive;
}

}  // namespace

Command add_export(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<ExportCommand>();
  CLI::App* parser = root.add_subcommand(
      "export", "the fewest kernels that serve every tuned shape, as a C++ header that launches them");
  parser->group("Keep");
  parser->footer(
      "examples: kerlab export gemm --dtype bf16 --portfolio 3 --within 2% -o gemm.h\n"
      "          kerlab export --check gemm.h   # exit code 5: stale");
  parser->add_option("family", command->family, "a family's name or folder");
  parser->add_option("--portfolio", command->portfolio, "at most so many kernels (default: as many as it takes)")
      ->type_name("N")
      ->check(takes_whole(1, 1000000));
  parser->add_option("--within", command->within, "every shape this near its own best: 2% (default: its own best)")
      ->type_name("PERCENT");
  parser->add_option("--dtype", command->dtypes, "only these: fp16,bf16; --M 1K..4K:x2 --layout nt filter likewise");
  parser->add_option("--suite", command->suite, "only the problems of this suite")->type_name("FILE");
  parser->add_flag("--stored-only", command->stored_only, "measure nothing that the database lacks");
  parser->add_flag("--unchecked-values", command->unchecked_values,
                   "values of the parameters of what is exported may be ones that nobody has checked");
  parser->add_flag("--shipped", command->shipped, "shapes whose winner is only shipped take part");
  parser->add_option("--rounds", command->rounds, "samples of what is measured")->check(takes_whole(1, 1000));
  parser->add_option("-o,--output", command->output, "write this file; - for standard output")->type_name("FILE");
  parser->add_flag("--embed", command->embed, "cubins in the header (the default)");
  parser->add_option("--cubins", command->cubins, "cubins in this folder, by their hash")->type_name("DIR");
  parser->add_option("--format", command->format, "header or json")->check(CLI::IsMember({"header", "json"}));
  parser->add_option("--check", command->check, "say whether this exported file is stale (then exit code 5)")
      ->type_name("FILE");
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
