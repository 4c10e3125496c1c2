#include "cli/commands.h"

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/pager.h"
#include "cli/problem_options.h"
#include "session/device_ids.h"

namespace kerlab {

namespace {

void add_global_options(CLI::App& root, GlobalOptions& global) {
  root.add_option("--device", global.device,
                  "auto, gpu, cuda:N, emu:NAME (as in emu:h200) or script:FILE; tune takes several: cuda:0,1, cuda:all")
      ->type_name("DEVICE|auto|gpu");
  root.add_option("--db", global.database, "tuning database (default: `kerlab db path`)")->type_name("FILE");
  root.add_option("--kernels", global.kernels, "folder of families, looked in first; may be repeated")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  root.add_option("--color", global.color, "auto, always, never")->check(CLI::IsMember({"auto", "always", "never"}));
  root.add_option("--jobs", global.jobs, "compiler processes (default: one per core, at most 16)")
      ->check(CLI::PositiveNumber);
  root.add_option("--compile-timeout", global.compile_timeout_s, "seconds that one compilation may take (60)")
      ->check(CLI::PositiveNumber);
  root.add_option("--worker-command", global.worker_command, "starts the worker, e.g. \"srun --gpus=1 kerlab worker\"");
  root.add_flag("--json", global.json, "print one JSON document and nothing else");
  root.add_flag("--dry-run", global.dry_run, "say what would be done, launch nothing");
  root.add_flag("--no-cache", global.no_cache, "compile everything anew");
}

/// Option names of a parser and of the root, and whether a value follows each.
std::map<std::string, bool> known_options(const CLI::App& root, const CLI::App& parser) {
  std::map<std::string, bool> known;
  for (const CLI::App* app : {&root, &parser}) {
    for (const CLI::Option* option : app->get_options()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      for (const std::string& name : option->get_lnames()) known["--" + name] = takes_value;
      for (const std::string& name : option->get_snames()) known["-" + name] = takes_value;
    }
  }
  return known;
}

[[noreturn]] void throw_no_command(const std::string& word, const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.parser->get_name());
  const std::string near = nearest(word, names);
  throw UsageError(fmt::format(
      "{}: no such command; {}", word,
      near.empty() ? fmt::format("there is {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near)));
}

/// The subcommand that the words name: the first word that is no option and no option's value. Throws UsageError.
const Command* named_command(const CLI::App& root, const std::vector<Command>& commands,
                             const std::vector<std::string>& words) {
  const auto known = known_options(root, root);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto at = known.find(words[i]); at != known.end() && at->second) {
      ++i;
    } else if (words[i].rfind('-', 0) != 0) {
      for (const Command& command : commands) {
        if (command.parser->get_name() == words[i]) return &command;
      }
      throw_no_command(words[i], commands);
    }
  }
  return nullptr;
}

/// Only the sweep of `tune` has work for several.
void require_one_device(const Command& command, const GlobalOptions& global) {
  if (command.takes_several_devices || !names_several_devices(global.device)) return;
  throw UsageError(fmt::format("--device {}: only tune takes several devices, kerlab {} takes one, as in cuda:0",
                               global.device, command.parser->get_name()));
}

/// Colours as they are now, whatever standard output becomes meanwhile.
class DecidedColor {
 public:
  explicit DecidedColor(GlobalOptions& global) : global_(global), asked_(global.color) {
    global_.color = color_on(global, stdout) ? "always" : "never";
  }
  DecidedColor(const DecidedColor&) = delete;
  DecidedColor& operator=(const DecidedColor&) = delete;
  ~DecidedColor() { global_.color.swap(asked_); }

 private:
  GlobalOptions& global_;
  std::string asked_;
};

/// Runs it, through a pager where it prints long texts.
ExitCode run_paged(const Command& command, GlobalOptions& global) {
  if (global.json || !command.long_text || !command.long_text() || !is_terminal(stdout)) return command.run();
  const DecidedColor color(global);
  const Pager pager;
  return command.run();
}

}  // namespace

std::unique_ptr<CLI::App> make_root(GlobalOptions& global) {
  auto root = std::make_unique<CLI::App>("CUDA kernel lab and autotuner", "kerlab");
  root->set_version_flag("--version", "kerlab " + version());
  root->require_subcommand(1);
  root->fallthrough();
  add_global_options(*root, global);
  return root;
}

std::vector<Command> add_commands(CLI::App& root, const GlobalOptions& global) {
  using Add = Command (*)(CLI::App&, const GlobalOptions&);
  // clang-format off: a line each
  constexpr Add kCommands[] = {
      add_tune,
      add_check,
      add_bench,
      add_list,
      add_roofline,
      add_device,
      add_show,
      add_inspect,
      add_explain,
      add_diff,
      add_ptx,
      add_sass,
      add_new,
      add_db,
      add_model,
      add_replay,
      add_export,
      add_regress,
      add_report,
      add_noise,
      add_complete,
      add_completion,
      add_lab,
  };
  // clang-format on
  std::vector<Command> commands;
  for (const Add add : kCommands) commands.push_back(add(root, global));
  return commands;
}

CommandModel command_table() {
  GlobalOptions global;
  const std::unique_ptr<CLI::App> root = make_root(global);
  const std::vector<Command> commands = add_commands(*root, global);
  CommandModel table = describe(*root);
  for (std::size_t i = 0; i < commands.size(); ++i) table.commands[i].takes_problem = commands[i].takes_problem;
  return table;
}

ExitCode run_words(std::vector<std::string> words, GlobalOptions& global) {
  const std::unique_ptr<CLI::App> parser = make_root(global);
  CLI::App& root = *parser;
  const std::vector<Command> commands = add_commands(root, global);
  const Command* command = named_command(root, commands, words);
  try {
    if (command != nullptr && command->takes_problem) {
      global.problem = take_problem_options(known_options(root, *command->parser), words);
    }
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    root.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      const Pager pager;
      root.exit(error);  // --help, --version
      return ExitCode::passed;
    }
    throw UsageError(fmt::format("{} (see kerlab {}--help)", error.what(),
                                 command != nullptr ? command->parser->get_name() + " " : ""));
  }
  require_one_device(*command, global);
  return run_paged(*command, global);
}

}  // namespace kerlab
