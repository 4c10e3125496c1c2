#pragma once
// What every subcommand shares. CLI11's types stop in src/cli/*.cpp.

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/terminal.h"
#include "cli/frame/settings.h"
#include "session/run/arguments.h"
#include "session/run/rig.h"

namespace CLI {
class App;
}

namespace kerlab::cli {

/// Options that every subcommand takes.
struct GlobalOptions {
  std::string device = "auto";
  bool device_typed = false;  ///< as --device; else it may be of the settings
  std::string database;       ///< as --db; empty: of the settings
  std::vector<std::string> kernels;
  std::vector<std::string> libraries;  ///< as --library; empty: of KERLAB_LIBRARIES
  std::vector<std::string> includes;   ///< as --include; looked in before those of KERLAB_INCLUDE
  std::string color = "auto";
  std::string worker_command;
  int jobs = 0;
  double compile_timeout_s = 60;
  bool json = false, dry_run = false, no_cache = false;
  bool all_paged = false;  ///< every answer that is longer than the screen goes through the pager: the lab
  std::string typed;       ///< the whole command line, for the record
  std::vector<ProblemArgument> problem;      ///< `--NAME VALUE` that no parser knows
  std::shared_ptr<const Settings> settings;  ///< what holds where no flag was given; null: not read yet
  std::shared_ptr<KeptProcesses> kept;       ///< of the commands before and after this one; null: each starts its own
};

/// One subcommand: its parser, and what runs it once the command line is parsed.
struct Command {
  CLI::App* parser = nullptr;
  bool takes_problem = false;  ///< unknown `--NAME VALUE` are dimensions, flags and scalars
  std::function<ExitCode()> run;
  bool takes_several_devices = false;
  std::function<bool()> long_text = nullptr;  ///< says whether it prints what a pager should show; none: it does not
};

Command add_tune(CLI::App& root, const GlobalOptions& global);
Command add_check(CLI::App& root, const GlobalOptions& global);
Command add_regress(CLI::App& root, const GlobalOptions& global);
Command add_bench(CLI::App& root, const GlobalOptions& global);
Command add_list(CLI::App& root, const GlobalOptions& global);
Command add_roofline(CLI::App& root, const GlobalOptions& global);
Command add_device(CLI::App& root, const GlobalOptions& global);
Command add_adopt(CLI::App& root, const GlobalOptions& global);
Command add_new(CLI::App& root, const GlobalOptions& global);
Command add_inspect(CLI::App& root, const GlobalOptions& global);
Command add_explain(CLI::App& root, const GlobalOptions& global);
Command add_diff(CLI::App& root, const GlobalOptions& global);
Command add_show(CLI::App& root, const GlobalOptions& global);
Command add_db(CLI::App& root, const GlobalOptions& global);
Command add_model(CLI::App& root, const GlobalOptions& global);
Command add_export(CLI::App& root, const GlobalOptions& global);
Command add_replay(CLI::App& root, const GlobalOptions& global);
Command add_report(CLI::App& root, const GlobalOptions& global);
Command add_watch(CLI::App& root, const GlobalOptions& global);
Command add_history(CLI::App& root, const GlobalOptions& global);
Command add_restore(CLI::App& root, const GlobalOptions& global);
Command add_noise(CLI::App& root, const GlobalOptions& global);
Command add_demo(CLI::App& root, const GlobalOptions& global);
Command add_help(CLI::App& root, const GlobalOptions& global);
Command add_man(CLI::App& root, const GlobalOptions& global);
Command add_complete(CLI::App& root, const GlobalOptions& global);
Command add_completion(CLI::App& root, const GlobalOptions& global);
Command add_ptx(CLI::App& root, const GlobalOptions& global);
Command add_sass(CLI::App& root, const GlobalOptions& global);
Command add_lab(CLI::App& root, const GlobalOptions& global);

/// kerlab's version, "0.1.0".
std::string version();

// What commands make of the global options.
KernelPlaces kernel_folders(const GlobalOptions& global);
/// Folders that a suite's name is looked for in before the shipped ones.
std::vector<std::filesystem::path> suite_folders(const GlobalOptions& global);
RigOptions rig_options(const GlobalOptions& global, const std::string& target);
std::filesystem::path database_path(const GlobalOptions& global);
/// A word as a shell wants it.
std::string quoted(const std::string& word);
/// What of the global options a command must repeat to see the same: " --db FILE --device emu:h200 --kernels DIR", as
/// they were given, quoted for a shell; empty when none was.
std::string repeated_options(const GlobalOptions& global);
/// The first of it, for commands that run no kernel.
std::string repeated_database(const GlobalOptions& global);
/// What the commands that a screen names must repeat, each with a space before it.
struct ToRepeat {
  std::string options;  ///< " --db FILE"
  std::string folder;   ///< of a family that has no name in the catalogue; not for `show`, whose ids say it all
};
/// Writes to a file, or to standard output when it is "-".
void write_output(const std::string& file, const std::string& text);
bool color_on(const GlobalOptions& global, std::FILE* stream);
/// Columns that a table may take: the terminal's, also below a pager; `elsewhere` where standard output is a file.
int table_width(int elsewhere);
/// What a command that is about one trial ends with: `wrong` also where it wrote outside its outputs.
ExitCode exit_code_of(TrialStatus status);

/// Splits a command into words at spaces; '...' and "..." keep theirs. No shell. Throws UsageError: an open quote.
std::vector<std::string> split_words(const std::string& text);

}  // namespace kerlab::cli
