#include "cli/commands.h"

#include <algorithm>
#include <CLI/CLI.hpp>

#include "base/error_about.h"
#include "base/pager.h"
#include "cli/frame/help_text.h"
#include "cli/frame/mistake.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/problem_options.h"
#include "session/run/device_ids.h"

namespace kerlab::cli {

namespace {

void add_global_options(CLI::App& root, GlobalOptions& global) {
  root.add_option("--device", global.device,
                  "auto, gpu, cuda:N, emu:NAME (as in emu:h200) or script:FILE; tune takes several: cuda:0,1, cuda:all "
                  "(default: KERLAB_DEVICE, kerlab.toml, auto)")
      ->type_name("DEVICE|auto|gpu");
  root.add_option("--db", global.database, "tuning database (default: KERLAB_DB, kerlab.toml; `kerlab db path` tells)")
      ->type_name("FILE");
  root.add_option("--kernels", global.kernels,
                  "folder of families, looked in before those of KERLAB_KERNELS and kerlab.toml; may be repeated")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  root.add_option("--include", global.includes,
                  "folder of headers that sources may include, as $CUTLASS/include; may be repeated (before those of "
                  "KERLAB_INCLUDE and of the user's configuration)")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  root.add_option("--library", global.libraries,
                  "plug-in whose library is timed beside the kernels, as CUB's; may be repeated (default: "
                  "KERLAB_LIBRARIES; docs/libraries.md)")
      ->type_name("FILE.so")
      ->expected(1)
      ->take_all();
  root.add_option("--color", global.color, "auto, always, never")->check(CLI::IsMember({"auto", "always", "never"}));
  root.add_option("--jobs", global.jobs, "compiler processes (default: one per core, at most 32)")
      ->check(takes_whole(1, 1024));
  root.add_option("--compile-timeout", global.compile_timeout_s, "that one compilation may take: 90, 90s, 2m")
      ->transform(takes_time(0.001, 1e6))
      ->type_name("TIME");
  root.add_option("--worker-command", global.worker_command, "starts the worker, e.g. \"srun --gpus=1 kerlab worker\"");
  root.add_flag("--json", global.json, "print one JSON document and nothing else");
  root.add_flag("--dry-run", global.dry_run, "say what would be done, launch nothing");
  root.add_flag("--no-cache", global.no_cache, "compile everything anew");
}

/// Option names of a parser, of those below it and of the root, and whether a value follows each.
std::map<std::string, bool> known_options(const CLI::App& root, const CLI::App& parser) {
  std::map<std::string, bool> known;
  std::vector<const CLI::App*> apps = {&root, &parser};
  if (&root != &parser)
    for (const CLI::App* below : parser.get_subcommands({})) apps.push_back(below);
  for (const CLI::App* app : apps) {
    for (const CLI::Option* option : app->get_options()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      for (const std::string& name : option->get_lnames()) known["--" + name] = takes_value;
      for (const std::string& name : option->get_snames()) known["-" + name] = takes_value;
    }
  }
  return known;
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
      throw UsageError(unknown_command(describe(root), words[i]));
    }
  }
  return nullptr;
}

/// Only the sweep of `tune` has work for several; of several that are a default the others take the first.
void require_one_device(const Command& command, GlobalOptions& global) {
  if (command.takes_several_devices || !names_several_devices(global.device)) return;
  if (!global.device_typed) {
    global.device = first_device(global.device);
    return;
  }
  throw UsageError(fmt::format("--device {}: only tune takes several devices, kerlab {} takes one, as in cuda:0",
                               global.device, command.parser->get_name()));
}

/// What could only say what it would do by doing it refuses, rather than do it unasked.
void require_dry(const Command& command, const GlobalOptions& global) {
  constexpr std::string_view kNever[] = {"check", "bench", "inspect", "explain", "diff", "noise", "export"};
  const std::string name = command.parser->get_name();
  if (global.dry_run && std::ranges::find(kNever, name) != std::end(kNever))
    throw UsageError(
        fmt::format("{}: --dry-run is not for it, it is one run or writes one file; "
                    "kerlab tune --dry-run says what a search would do",
                    name));
}

/// "--trials=" would take the next word for its value.
void require_values(const KnownOptions& known, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    const std::string name = word.substr(0, word.find('='));
    if (const auto at = known.find(name); at != known.end() && at->second && word == name + "=")
      throw UsageError(name + ": a value is missing");
  }
}

/// The command that the words name, its options filled in. Throws UsageError; CLI::Success for --help and --version.
const Command& parse(CLI::App& root, const std::vector<Command>& commands, std::vector<std::string> words,
                     GlobalOptions& global) {
  const Command* command = named_command(root, commands, words);
  require_values(known_options(root, command != nullptr ? *command->parser : root), words);
  try {
    if (command != nullptr && command->takes_problem) {
      const auto known = known_options(root, *command->parser);
      global.problem = take_problem_options(known, words);
    }
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    root.parse(std::move(words));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    const CLI::App* const named = command != nullptr ? command->parser : nullptr;
    throw UsageError(mistake(error, root, named, known_options(root, named != nullptr ? *named : root)));
  }
  if (root.get_option("--device")->count() > 0) global.device_typed = true;
  for (const std::string& folder : global.kernels) require_kernel_folder(folder, "--kernels");
  for (const std::string& folder : global.includes) require_include_folder(folder, "--include");
  for (const std::string& file : global.libraries) require_library_file(file, "--library");
  require_one_device(*command, global);
  require_dry(*command, global);
  return *command;
}

/// Commands about the command line itself work wherever they are typed.
bool takes_settings(const Command& command) {
  const std::string name = command.parser->get_name();
  return name != "help" && name != "man" && name != "completion" && name != "complete";
}

/// The environment and kerlab.toml, read once: a command within the lab or the demo sees what these saw.
void settle(const Command& command, GlobalOptions& global) {
  if (global.settings || !takes_settings(command)) return;
  auto settings = std::make_shared<const Settings>(read_settings());
  if (!global.device_typed) global.device = settings->device.value;
  global.settings = std::move(settings);
  require_one_device(command, global);
}

/// What is wrong with a device or a database that was not typed is told with the place that names it. Called where
/// `error` is caught.
[[noreturn]] void rethrow_with_place(const Error& error, const GlobalOptions& global) {
  std::string place;
  if (global.settings) {
    const Setting& device = global.settings->device;
    const Setting& database = global.settings->database;
    if (!global.device_typed && device.value != "auto" && dynamic_cast<const AboutDevice*>(&error) != nullptr)
      place = fmt::format("; the device is of {}", device.from);
    else if (global.database.empty() && !database.value.empty() &&
             dynamic_cast<const AboutDatabase*>(&error) != nullptr)
      place = fmt::format("; the database is of {}", database.from);
  }
  if (place.empty()) throw;
  throw Error(error.what() + place, error.code());
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

/// Runs it, through a pager where it prints long texts; in the lab always, where an answer must fit a screen.
ExitCode run_paged(const Command& command, GlobalOptions& global) {
  const bool long_text = global.all_paged || (command.long_text && command.long_text());
  if (global.json || !long_text || !is_terminal(stdout)) return command.run();
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
  root->option_defaults()->always_capture_default();
  root->set_help_flag("-h,--help", "print this and end");
  root->formatter_fn([](const CLI::App* app, const std::string& name, CLI::AppFormatMode) {
    const CommandModel table = command_table();
    const CommandModel* command = table.find_path(name);
    return help_text(command != nullptr ? *command : describe(*app), name, terminal_width(stdout),
                     use_color(ColorMode::automatic, stdout));
  });
  root->footer("example: kerlab help tune");
  add_global_options(*root, global);
  return root;
}

std::vector<Command> add_commands(CLI::App& root, const GlobalOptions& global) {
  using Add = Command (*)(CLI::App&, const GlobalOptions&);
  // clang-format off: a line each
  constexpr Add kCommands[] = {
      add_tune,  add_bench,  add_noise, add_check,  add_regress,    add_inspect,  add_explain, add_diff,
      add_ptx,   add_sass,   add_show,  add_report, add_roofline,   add_device,   add_model,   add_replay,
      add_db,    add_export, add_list,  add_lab,    add_watch,      add_history,  add_restore, add_new,
      add_adopt, add_demo,   add_help,  add_man,    add_completion, add_complete,
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
  if (words.empty()) {
    fmt::print("{}", overview_text(command_table(), terminal_width(stdout), color_on(global, stdout)));
    return ExitCode::passed;
  }
  const std::unique_ptr<CLI::App> root = make_root(global);
  const std::vector<Command> commands = add_commands(*root, global);
  try {
    const Command* command = &parse(*root, commands, std::move(words), global);  // one of commands
    settle(*command, global);
    try {
      return run_paged(*command, global);
    } catch (const Error& error) {
      rethrow_with_place(error, global);
    }
  } catch (const CLI::Success& asked) {  // --help, --version
    const bool help = dynamic_cast<const CLI::CallForHelp*>(&asked) != nullptr;
    const std::string text = help ? root->help() : std::string(asked.what()) + "\n";
    const Pager pager;
    fmt::print("{}", text);
    return ExitCode::passed;
  }
}

void require_valid_words(std::vector<std::string> words) {
  GlobalOptions global;
  const std::unique_ptr<CLI::App> root = make_root(global);
  const std::vector<Command> commands = add_commands(*root, global);
  parse(*root, commands, std::move(words), global);
}

}  // namespace kerlab::cli
