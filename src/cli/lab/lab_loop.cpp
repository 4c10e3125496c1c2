#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/lab/lab.h"
#include "cli/lab/line_editor.h"

namespace kerlab::cli {

namespace {

struct LabOptions {
  std::vector<std::string> words;  ///< the kernel, then NAME=VALUE
  std::string dtype;
};

void print_error(const std::string& where, const std::exception& error, const GlobalOptions& global) {
  std::fflush(stdout);
  fmt::print(stderr, "{} {}{}\n", styled("kerlab:", Style::bad, color_on(global, stderr)), where, error.what());
  std::fflush(stderr);
}

/// One line; whatever goes wrong ends this line only.
ExitCode answer_safely(LabConsole& lab, const std::string& line, const std::string& where,
                       const GlobalOptions& global) {
  const InterruptedWaitsEnd while_answering;
  ExitCode code = ExitCode::failed;
  try {
    code = lab.answer(line);
  } catch (const Error& error) {
    code = error.code();
    print_error(where, error, global);
  } catch (const std::exception& error) {
    print_error(where, error, global);
  }
  std::fflush(stdout);
  return code;
}

ExitCode talk(LabConsole& lab, LineEditor& editor, const GlobalOptions& global) {
  const InterruptedWaitsEnd between_lines;  // a Ctrl-C there ends nothing
  fmt::print("{}", lab.greeting());
  while (!lab.ended()) {
    const std::optional<std::string> line = editor.read(lab.prompt());
    if (!line) {
      fmt::print("\n");
      break;
    }
    answer_safely(lab, *line, "", global);
  }
  return ExitCode::passed;
}

/// Every line as if typed, after its echo. What is typed wrongly ends it; a kernel that fails does not, but tells in
/// the exit code: wrong results first.
ExitCode play(LabConsole& lab, LineEditor& editor, const GlobalOptions& global) {
  ExitCode worst = ExitCode::passed;
  for (int number = 1; !lab.ended(); ++number) {
    const std::optional<std::string> line = editor.read("");
    if (!line) break;
    if (line->find_first_not_of(" \t") == std::string::npos) continue;
    fmt::print("{}{}\n", lab.prompt(), *line);
    const ExitCode code = answer_safely(lab, *line, fmt::format("line {}: ", number), global);
    if (code == ExitCode::usage || code == ExitCode::interrupted) return code;
    if (worst == ExitCode::passed || code == ExitCode::wrong) worst = code;
  }
  return worst;
}

/// Lines typed at earlier prompts; empty where there is no place for them.
std::filesystem::path history_file() {
  try {
    const std::filesystem::path folder = data_folder();
    std::filesystem::create_directories(folder);
    return folder / "lab_history";
  } catch (const std::exception&) {
    return {};
  }
}

ExitCode run(const LabOptions& options, const GlobalOptions& global) {
  if (global.json) throw UsageError("lab: talks to people, not in JSON; the commands that it runs take --json");
  Database database = Database::open(database_path(global));
  LabConsole lab(global, database);
  LineEditor editor(history_file(), [&lab](const std::string& line) { return lab.complete(line); });
  if (!options.words.empty())
    lab.begin_with(options.words.front(), global.problem, options.dtype,
                   {options.words.begin() + 1, options.words.end()});
  return editor.interactive() ? talk(lab, editor, global) : play(lab, editor, global);
}

}  // namespace

Command add_lab(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<LabOptions>();
  CLI::App* parser = root.add_subcommand(
      "lab", "a prompt to work on a kernel: run, check, sweep, compare; ? there lists its commands");
  parser->group("Your own kernels");
  parser->footer(
      "examples: kerlab lab gemm/reg2d --M 1024 --dtype fp32 BM=64\n          kerlab lab < session.lab   # lines as "
      "typed; `log FILE` writes them");
  parser->add_option("kernel", options->words,
                     "FAMILY[/VARIANT] or a folder to begin with, and NAME=VALUE of its configuration");
  parser->add_option("--dtype", options->dtype, "default: the family's first that the device supports");
  return {parser, true, [options, &global] { return run(*options, global); }};
}

}  // namespace kerlab::cli
