#pragma once
// `kerlab lab`: what a prompt or a script says, line by line, answered by the same sessions as the commands.

#include <map>

#include "cli/frame/command.h"
#include "cli/help/completion.h"
#include "db/database.h"
#include "session/find/lab_state.h"
#include "session/history/attempt.h"

namespace kerlab::cli {

class LabConsole;

/// One command of the lab. The table is the help, the completion and the interpreter.
struct LabCommand {
  const char* name;
  const char* usage;    ///< what follows the name: "NAME VALUE ..."
  const char* doc;      ///< one line
  const char* example;  ///< a whole line; "" where the name alone is one
  ExitCode (LabConsole::*run)(const std::vector<std::string>& words);
};

class LabConsole {
 public:
  /// Opens device and compilers, so that the first answer need not wait for them.
  LabConsole(const GlobalOptions& global, Database& database);

  /// Answers one line on standard output. What is typed wrongly throws UsageError; a kernel that fails does not throw.
  ExitCode answer(const std::string& line);

  [[nodiscard]] const DeviceInfo& device() const { return device_; }
  [[nodiscard]] const LabState& state() const { return state_; }
  [[nodiscard]] bool ended() const { return ended_; }  ///< `quit` was typed
  [[nodiscard]] std::string prompt();                  ///< "gemm/reg2d 1024x1024x1024 fp32> "
  [[nodiscard]] std::string greeting() const;
  /// Words that can follow what is typed so far.
  [[nodiscard]] std::vector<std::string> complete(const std::string& line) const;

  /// Changes the kernel before the first line: `kerlab lab gemm/reg2d --M 1024`.
  void begin_with(const std::string& kernel, const std::vector<ProblemArgument>& arguments, const std::string& dtype,
                  const std::vector<std::string>& values);

  // The commands, in the order of the table.
  ExitCode use(const std::vector<std::string>& words);
  ExitCode set(const std::vector<std::string>& words);
  ExitCode show(const std::vector<std::string>& words);
  ExitCode up(const std::vector<std::string>& words);
  ExitCode down(const std::vector<std::string>& words);
  ExitCode undo(const std::vector<std::string>& words);
  ExitCode run(const std::vector<std::string>& words);
  ExitCode check(const std::vector<std::string>& words);
  ExitCode sweep(const std::vector<std::string>& words);
  ExitCode try_values(const std::vector<std::string>& words);
  ExitCode tune(const std::vector<std::string>& words);
  ExitCode save(const std::vector<std::string>& words);
  ExitCode watch(const std::vector<std::string>& words);
  ExitCode inspect(const std::vector<std::string>& words);
  ExitCode explain(const std::vector<std::string>& words);
  ExitCode diff(const std::vector<std::string>& words);
  ExitCode roofline(const std::vector<std::string>& words);
  ExitCode ptx(const std::vector<std::string>& words);
  ExitCode sass(const std::vector<std::string>& words);
  ExitCode history(const std::vector<std::string>& words);
  ExitCode log(const std::vector<std::string>& words);
  ExitCode help(const std::vector<std::string>& words);
  ExitCode quit(const std::vector<std::string>& words);

 private:
  /// A line that changed something or ran something, with what came of it: comments of the replayable log.
  struct LogEntry {
    std::string line, outcome;
  };

  [[nodiscard]] KernelFolder folder() const;  ///< read anew: it may just have been edited. Throws without a kernel
  [[nodiscard]] Subject subject(const KernelFolder& folder) const;
  void change(LabState next);
  /// A run, for diff, save and the log.
  void remember(const Attempt& attempt);
  void tell_title();
  [[nodiscard]] std::int64_t best_run() const;
  ExitCode answer_words(const std::vector<std::string>& words);
  /// Throws UsageError, with what was meant, where neither the lab nor the command line has such a command.
  void require_command(const std::string& word) const;
  void require_no_words(const char* command, const std::vector<std::string>& words) const;
  /// --M 4096 --dtype bf16
  [[nodiscard]] std::vector<std::string> problem_words() const;
  /// A command of the command line, with the lab's device, database and processes.
  ExitCode run_command(std::vector<std::string> words);
  /// Every choice as one tune of the variant; prints a line for each. Returns the best, none where nothing passed.
  std::optional<Configuration> try_choices(const std::vector<std::string>& words, ExitCode& code);
  ExitCode sweep_sizes(const std::string& name, const std::string& range);
  /// Goes on with another configuration, and says so.
  void adopt(const Variant& variant, const Configuration& configuration);
  /// A command that takes FAMILY/VARIANT NAME=VALUE ... and the problem.
  ExitCode view(const char* command, const std::vector<std::string>& more);
  [[nodiscard]] std::string state_line() const;
  void tell_completion() const;
  [[nodiscard]] std::vector<std::string> command_names() const;  ///< of the command line
  /// What could stand behind the words; `word` was typed of it.
  [[nodiscard]] Completions candidates(const std::vector<std::string>& words, const std::string& word) const;
  [[nodiscard]] Completions complete_setting(const std::vector<std::string>& words, const std::string& word) const;

  GlobalOptions global_;
  Database& database_;
  Attempts attempts_;
  DeviceInfo device_;
  std::string toolchain_;
  LabState state_;
  std::string title_;              ///< of the problem, for the prompt
  std::vector<LabState> earlier_;  ///< for undo
  std::vector<LogEntry> log_;
  std::vector<std::int64_t> trials_;  ///< of the runs, the newest last
  struct Best {
    std::int64_t trial = 0;
    double us = 0;
  };
  std::map<std::string, Best> best_;  ///< run of every problem, by its key
  std::string outcome_;               ///< what the line that is being answered came to, for the log
  bool ended_ = false;
};

/// The table.
const std::vector<LabCommand>& lab_commands();

}  // namespace kerlab::cli
