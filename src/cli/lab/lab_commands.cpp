#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/format.h"
#include "base/pager.h"
#include "base/terminal.h"
#include "cli/lab/lab.h"
#include "report/form/label_layout.h"
#include "report/form/table.h"
#include "session/run/space.h"

namespace kerlab::cli {

const std::vector<LabCommand>& lab_commands() {
  static const std::vector<LabCommand> table = {
      {"use", "FAMILY[/VARIANT] [NAME=VALUE ...]", "choose a kernel; a folder such as ./my_op too",
       "use gemm/reg2d BM=64 BN=64", &LabConsole::use},
      {"set", "NAME VALUE ...", "sizes, flags, scalars, dtype, parameters; NAME= takes a default back",
       "set M 4096 N 1K dtype bf16", &LabConsole::set},
      {"show", "", "what is chosen, and the values there are; show N: a trial", "", &LabConsole::show},
      {"up", "[N]", "the next rung of the ladder; parameters stay where it has them", "", &LabConsole::up},
      {"down", "[N]", "the rung below", "", &LabConsole::down},
      {"undo", "[N]", "what was chosen before the last change", "", &LabConsole::undo},
      {"run", "[NAME=VALUE ...]", "compile, check, time; beside the last run and the best", "run STAGES=4",
       &LabConsole::run},
      {"check", "[RECIPE ...]", "verify thoroughly: every recipe, shapes that break kernels", "check cancellation",
       &LabConsole::check},
      {"sweep", "NAME [FIRST..LAST] ...", "try values, keep the choice; of a size: bench each", "sweep BM 32..128",
       &LabConsole::sweep},
      {"try", "NAME[=FIRST..LAST] ...", "try values and go on with the best", "try BM=64..256 TM=4,8",
       &LabConsole::try_values},
      {"tune", "[all] [30s]", "search the space (all: of every variant), go on with the winner", "tune 30s",
       &LabConsole::tune},
      {"save", "winner [DIR]", "make the best run the stored winner if it is; DIR: write its files", "save winner",
       &LabConsole::save},
      {"watch", "[NAME=VALUE ...]", "run again at every save, until Ctrl-C; in a script once", "", &LabConsole::watch},
      {"inspect", "[--lines N]", "what the kernel does by source line, and what holds it back", "",
       &LabConsole::inspect},
      {"explain", "", "bottleneck, suggestion, waves, what one more stage would do", "", &LabConsole::explain},
      {"diff", "last|best|A B", "the run before, the best run or two trials, beside the last run", "diff last",
       &LabConsole::diff},
      {"roofline", "[OPTION ...]", "intensity, bottleneck, share of the roofline, with a picture", "",
       &LabConsole::roofline},
      {"ptx", "[[FILE:]LINE]", "its PTX between the source lines it was made of; one line's only", "ptx 131",
       &LabConsole::ptx},
      {"sass", "[[FILE:]LINE]", "the same of the machine code", "sass 131", &LabConsole::sass},
      {"history", "[OPTION ...]", "saves of this kernel; restore N brings one back", "", &LabConsole::history},
      {"log", "[FILE]", "the lines of this session and what came of them, as a script", "log night.lab",
       &LabConsole::log},
      {"help", "[COMMAND]", "this list, or one of it; also ?", "? sweep", &LabConsole::help},
      {"quit", "", "end; also Ctrl-D", "", &LabConsole::quit},
  };
  return table;
}

namespace {

constexpr int kListedWidth = 48;  // of a parameter's values in a table

int steps_of(const char* command, const std::vector<std::string>& words) {
  if (words.empty()) return 1;
  const std::int64_t steps = parse_size(command, words.front());
  if (words.size() > 1 || steps < 1 || steps > 1000)
    throw UsageError(fmt::format("{} {}: one number, from 1 on", command, fmt::join(words, " ")));
  return static_cast<int>(steps);
}

/// "64 128 256", the chosen one in brackets.
std::string listed_text(const Parameter& parameter, std::int64_t chosen) {
  std::string text;
  for (const std::int64_t value : parameter.values) {
    const std::string word = value_text(parameter, value);
    text += (text.empty() ? "" : " ") + (value == chosen ? "[" + word + "]" : word);
  }
  return text;
}

Table parameters_table(const Variant& variant, const Configuration& configuration, const LabState& state) {
  Table table{{{"parameter"}, {"values, [chosen]"}, {""}}, {}};
  int taken = 0;  // by names and values
  for (std::size_t i = 0; i < variant.parameters.size(); ++i)
    taken = std::max(
        taken, static_cast<int>(variant.parameters[i].name.size()) +
                   std::min(kListedWidth,
                            static_cast<int>(listed_text(variant.parameters[i], configuration.values[i]).size())));
  const int room = std::max(terminal_width(stdout) - taken - 8, 12);
  for (std::size_t i = 0; i < variant.parameters.size(); ++i) {
    const Parameter& parameter = variant.parameters[i];
    const bool typed =
        std::ranges::any_of(state.parameters, [&](const auto& one) { return one.first == parameter.name; });
    table.rows.push_back({parameter.name + (typed ? "*" : ""),
                          shortened(listed_text(parameter, configuration.values[i]), kListedWidth),
                          shortened(parameter.doc, room)});
  }
  return table;
}

/// The words of a problem's key as `set` takes them.
std::vector<std::string> words_of_problem(const std::string& key) {
  std::istringstream stream(key);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  words.erase(words.begin());  // the family
  for (std::string& word : words)
    if (word.find('=') == std::string::npos) word = "dtype=" + word;
  return words;
}

/// A line that fits: usage is told by `? COMMAND`.
std::string help_line(const LabCommand& command, int width) {
  return shortened(fmt::format("  {:<10}{}", command.name, command.doc), width) + "\n";
}

std::string help_of_one(const LabCommand& command) {
  std::string text = fmt::format("  {} {}\n  {}\n", command.name, command.usage, command.doc);
  if (*command.example != '\0') text += fmt::format("  example: {}\n", command.example);
  return text;
}

/// Broken between words where the terminal ends.
std::string in_lines(const std::string& text) {
  std::string lines;
  for (const std::string& line : wrapped(text, terminal_width(stdout))) lines += line + "\n";
  return lines;
}

/// A screen at a time where it is longer than one.
void print_long(const std::string& text) {
  const Pager pager;
  fmt::print("{}", text);
}

}  // namespace

void LabConsole::require_no_words(const char* command, const std::vector<std::string>& words) const {
  if (!words.empty())
    throw UsageError(fmt::format("{}: takes nothing, not '{}' (? {})", command, fmt::join(words, " "), command));
}

ExitCode LabConsole::use(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("use: which kernel? as in use gemm/reg2d; list shows what there is");
  SubjectName name = parse_subject(words.front());
  if (name.trial > 0) {
    const auto trial = database_.trial(name.trial);
    if (!trial) throw UsageError(fmt::format("use {}: there is no such trial", name.trial));
    name = {0, trial->family, trial->variant, trial->configuration};
    const KernelFolder folder = open_catalogue(kernel_folders(global_)).find(name.family);
    LabState next = with_kernel(state_, name, folder);
    next.arguments.clear();
    next = with_settings(next, folder, words_of_problem(trial->problem));
    change(with_settings(next, folder, {words.begin() + 1, words.end()}));
  } else {
    const KernelFolder folder = open_catalogue(kernel_folders(global_)).find(name.family);
    const LabState next = with_kernel(state_, name, folder);
    change(with_settings(next, folder, {words.begin() + 1, words.end()}));
  }
  fmt::print("{}", state_line());
  return ExitCode::passed;
}

ExitCode LabConsole::set(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError("set: NAME VALUE, as in set M 4096 dtype bf16 BM 64; show lists the names");
  change(with_settings(state_, folder(), words));
  fmt::print("{}", state_line());
  return ExitCode::passed;
}

/// What was changed of what was typed to make it valid. Throws where no kernel is chosen.
void LabConsole::tell_completion() const {
  const KernelFolder read = folder();
  try {
    const Subject next = subject(read);
    if (!next.completion.empty()) fmt::print("{}", in_lines(next.completion));
  } catch (const UsageError&) {
    // The run itself says what is wrong.
  }
  std::fflush(stdout);
}

/// What the next run is, in a line; or why it cannot be.
std::string LabConsole::state_line() const {
  try {
    const KernelFolder read = folder();
    const Subject next = subject(read);
    std::string text =
        in_lines(fmt::format("{} {}  {}", next.source.variant->name,
                             configuration_text(*next.source.variant, next.configuration), next.problem.title()));
    if (!next.completion.empty()) text += in_lines(next.completion);
    return text;
  } catch (const Error& error) {
    return in_lines(fmt::format("{}: not to be run as it is: {}", state_.kernel(), error.what()));
  }
}

ExitCode LabConsole::show(const std::vector<std::string>& words) {
  if (!words.empty()) {
    std::vector<std::string> command{"show"};
    command.insert(command.end(), words.begin(), words.end());
    return run_command(command);
  }
  const KernelFolder read = folder();
  const Subject next = subject(read);
  const Variant& variant = *next.source.variant;
  const Family& family = read.family;
  std::string text =
      in_lines(fmt::format("{}/{} (rung {}): {}", state_.target, variant.name, variant.rung, variant.doc));
  std::string names;
  for (const Dimension& one : family.dimensions) names += " " + one.name;
  for (const Flag& one : family.flags) names += fmt::format(" {}={}", one.name, fmt::join(one.values, "|"));
  for (const ScalarDecl& one : family.scalars) names += " " + one.name;
  text += in_lines(fmt::format("problem: {}   (to set:{} dtype)", next.problem.title(), names));
  if (!variant.parameters.empty())
    text +=
        text_table(parameters_table(variant, next.configuration, state_), color_on(global_, stdout), 2, table_width(0));
  print_long(text);
  return ExitCode::passed;
}

ExitCode LabConsole::up(const std::vector<std::string>& words) {
  change(with_rung(state_, folder(), device_, steps_of("up", words)));
  fmt::print("{}", state_line());
  return ExitCode::passed;
}

ExitCode LabConsole::down(const std::vector<std::string>& words) {
  change(with_rung(state_, folder(), device_, -steps_of("down", words)));
  fmt::print("{}", state_line());
  return ExitCode::passed;
}

ExitCode LabConsole::undo(const std::vector<std::string>& words) {
  const auto steps = static_cast<std::size_t>(steps_of("undo", words));
  if (steps > earlier_.size())
    throw UsageError(fmt::format(
        "undo: {} to go back to",
        earlier_.empty() ? "nothing" : fmt::format("only {}", format_count(std::ssize(earlier_), "change"))));
  state_ = earlier_[earlier_.size() - steps];
  earlier_.resize(earlier_.size() - steps);
  fmt::print("{}", state_.target.empty() ? "no kernel is chosen\n" : state_line());
  return ExitCode::passed;
}

ExitCode LabConsole::log(const std::vector<std::string>& words) {
  std::string text;
  for (const LogEntry& entry : log_)
    text += entry.outcome.empty() ? entry.line + "\n" : fmt::format("{:<32} # {}\n", entry.line, entry.outcome);
  if (words.size() > 1) throw UsageError("log: one file at most");
  if (words.empty()) {
    print_long(text.empty() ? "nothing was run or chosen yet\n" : text);
  } else {
    write_output(words.front(), fmt::format("# kerlab lab < {}\n{}", words.front(), text));
    fmt::print("{} in {}; again: kerlab lab < {}\n", format_count(std::ssize(log_), "line"), words.front(),
               quoted(words.front()));
  }
  return ExitCode::passed;
}

ExitCode LabConsole::help(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::string text;
    for (const LabCommand& command : lab_commands())
      if (command.run != &LabConsole::help && command.run != &LabConsole::quit)
        text += help_line(command, terminal_width(stdout));
    print_long(text + "? COMMAND tells more; NAME=VALUE sets; kerlab's other commands work, too; quit\n");
    return ExitCode::passed;
  }
  for (const LabCommand& command : lab_commands()) {
    if (words.front() != command.name) continue;
    fmt::print("{}", help_of_one(command));
    return ExitCode::passed;
  }
  require_command(words.front());
  return run_command({words.front(), "--help"});
}

ExitCode LabConsole::quit(const std::vector<std::string>& words) {
  require_no_words("quit", words);
  ended_ = true;
  return ExitCode::passed;
}

}  // namespace kerlab::cli
