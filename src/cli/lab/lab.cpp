#include "cli/lab/lab.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/format.h"
#include "cli/commands.h"
#include "cli/frame/waiting.h"
#include "session/run/space.h"

namespace kerlab::cli {

namespace {

/// What goes on to the shell's user, not to the lab's: they would wait for lines of their own.
bool is_of_the_shell(const std::string& command) {
  return command == "lab" || command == "demo" || command == "completion" || command == "complete";
}

/// A # begins a comment, unless it stands in quotes.
std::string without_comment(const std::string& line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0)
      quote = line[i] == quote ? 0 : quote;
    else if (line[i] == '\'' || line[i] == '"')
      quote = line[i];
    else if (line[i] == '#')
      return line.substr(0, i);
  }
  return line;
}

const LabCommand* find_command(const std::string& word) {
  const std::string name = word == "?" ? "help" : word == "exit" || word == "q" ? "quit" : word;
  const auto at = std::ranges::find(lab_commands(), name, &LabCommand::name);
  return at == lab_commands().end() ? nullptr : &*at;
}

AttemptOptions attempt_options(const GlobalOptions& global) {
  AttemptOptions options;
  options.rig = rig_options(global, "");
  options.command = global.typed;
  options.version = version();
  return options;
}

/// What the log holds of a line: views of what is there anyway are left out.
bool belongs_in_log(const std::string& word) {
  static constexpr std::string_view kLogged[] = {"use",   "set",   "up",  "down", "undo", "run",
                                                 "check", "sweep", "try", "tune", "save", "watch"};
  return std::ranges::count(kLogged, word) > 0 || word.find('=') != std::string::npos;
}

}  // namespace

LabConsole::LabConsole(const GlobalOptions& global, Database& database)
    : global_([&global] {
        GlobalOptions own = global;
        own.kept = std::make_shared<KeptProcesses>();
        own.problem.clear();
        own.all_paged = true;
        return own;
      }()),
      database_(database),
      attempts_(attempt_options(global_), database) {
  RigOptions options = rig_options(global_, "");
  options.compilers_ahead = true;
  Waiting waiting("lab");
  waiting.say("starting device and compilers");
  const Rig rig(options, KernelFolder{});
  device_ = rig.device();
  toolchain_ = rig.toolchain();
}

std::string LabConsole::prompt() {
  if (state_.target.empty()) return "kerlab> ";
  tell_title();  // anew: the family may have been edited
  const std::string kernel = state_.target.find('/') == std::string::npos
                                 ? state_.kernel()
                                 : std::filesystem::path(state_.target).filename().string() + "/" + state_.variant;
  return fmt::format("{}{}{}> ", kernel, title_.empty() ? "" : " ", title_);
}

std::string LabConsole::greeting() const {
  return fmt::format("{} {}, {}{}; ? lists the commands, quit ends\n", device_.id, device_.name, toolchain_,
                     device_.has_clock ? "" : ": times are modelled, not measured");
}

KernelFolder LabConsole::folder() const {
  if (state_.target.empty())
    throw UsageError("no kernel is chosen: use FAMILY[/VARIANT], as in use gemm/reg2d (list shows what there is)");
  return open_catalogue(kernel_folders(global_)).find(state_.target);
}

Subject LabConsole::subject(const KernelFolder& folder) const {
  return resolve_subject(state_.subject(), state_.arguments, state_.dtype, folder, device_, &database_);
}

void LabConsole::change(LabState next) {
  earlier_.push_back(std::exchange(state_, std::move(next)));
}

/// The prompt's part about the problem; as typed where its family cannot be read just now.
void LabConsole::tell_title() {
  title_.clear();
  if (state_.target.empty()) return;
  try {
    const KernelFolder read = folder();
    const Problem problem =
        problem_for_device(read, make_request(read.family, state_.arguments, state_.dtype), device_);
    title_ = problem.title().substr(std::min(problem.title().size(), problem.family.size() + 1));
  } catch (const Error&) {
    for (const ProblemArgument& argument : state_.arguments)
      title_ += fmt::format("{}{}={}", title_.empty() ? "" : " ", argument.name, argument.value);
  }
}

void LabConsole::begin_with(const std::string& kernel, const std::vector<ProblemArgument>& arguments,
                            const std::string& dtype, const std::vector<std::string>& values) {
  std::vector<std::string> words{kernel};
  for (const ProblemArgument& argument : arguments) words.push_back(argument.name + "=" + argument.value);
  if (!dtype.empty()) words.push_back("dtype=" + dtype);
  words.insert(words.end(), values.begin(), values.end());
  std::string line = "use";
  for (const std::string& word : words) line += " " + quoted(word);
  answer(line);
}

ExitCode LabConsole::answer(const std::string& line) {
  const std::vector<std::string> words = split_words(without_comment(line));
  if (words.empty()) return ExitCode::passed;
  outcome_.clear();
  const ExitCode code = answer_words(words);
  if (belongs_in_log(words.front())) {
    const std::string typed = without_comment(line);
    log_.push_back({typed.substr(0, typed.find_last_not_of(" \t") + 1), outcome_});
  }
  return code;
}

ExitCode LabConsole::answer_words(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  if (const LabCommand* command = find_command(first)) return (this->*command->run)({words.begin() + 1, words.end()});
  if (first.find('=') != std::string::npos) return set(words);
  // As screens name commands to type: kerlab restore 12.
  if (first == "kerlab" && words.size() > 1) return answer_words({words.begin() + 1, words.end()});
  require_command(first);
  if (is_of_the_shell(first)) throw UsageError(fmt::format("{}: not from within the lab; quit first", first));
  return run_command(words);
}

void LabConsole::require_command(const std::string& word) const {
  std::vector<std::string> names = command_names();
  if (std::ranges::count(names, word) > 0) return;
  for (const LabCommand& command : lab_commands()) names.emplace_back(command.name);
  const std::string near = nearest(word, names);
  throw UsageError(fmt::format("{}: no such command; {}", word,
                               near.empty() ? "? lists them" : fmt::format("did you mean {}? (? lists them)", near)));
}

std::vector<std::string> LabConsole::command_names() const {
  GlobalOptions copy = global_;
  const auto root = make_root(copy);
  std::vector<std::string> names;
  for (const Command& command : add_commands(*root, copy)) names.push_back(command.parser->get_name());
  return names;
}

ExitCode LabConsole::run_command(std::vector<std::string> words) {
  GlobalOptions global = global_;
  global.typed = "kerlab";
  for (const std::string& word : words) global.typed += " " + quoted(word);
  return run_words(std::move(words), global);
}

std::vector<std::string> LabConsole::problem_words() const {
  std::vector<std::string> words;
  for (const ProblemArgument& argument : state_.arguments) {
    words.push_back("--" + argument.name);
    words.push_back(argument.value);
  }
  if (!state_.dtype.empty()) words.insert(words.end(), {"--dtype", state_.dtype});
  return words;
}

}  // namespace kerlab::cli
