#include "cli/lab/lab.h"
#include "cli/lab/watch.h"

namespace kerlab::cli {

namespace {

/// `command` of the kernel as it is chosen: FAMILY/VARIANT NAME=VALUE ... --M 4096, then `more`.
std::vector<std::string> about_kernel(const char* command, const LabState& state,
                                      const std::vector<std::string>& problem, const std::vector<std::string>& more) {
  std::vector<std::string> words{command, state.kernel()};
  for (const auto& [name, value] : state.parameters) words.push_back(fmt::format("{}={}", name, value));
  words.insert(words.end(), problem.begin(), problem.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A line's number, or options as they are.
std::vector<std::string> line_option(const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with("-")) return words;
  std::vector<std::string> options{"--line", words.front()};
  options.insert(options.end(), words.begin() + 1, words.end());
  return options;
}

}  // namespace

ExitCode LabConsole::view(const char* command, const std::vector<std::string>& more) {
  static_cast<void>(folder());  // throws where no kernel is chosen
  return run_command(about_kernel(command, state_, problem_words(), more));
}

ExitCode LabConsole::watch(const std::vector<std::string>& words) {
  if (!words.empty()) change(with_settings(state_, folder(), words));
  static_cast<void>(folder());  // throws where no kernel is chosen
  WatchOptions options;
  options.request = {state_.subject(), state_.arguments, state_.dtype};
  options.kernels = kernel_folders(global_);
  options.again = repeated_database(global_);
  options.tried = [this](const Attempt& attempt) { remember(attempt); };
  options.color = color_on(global_, stdout);
  options.once = !is_terminal(stdin);  // a script goes on with its next line
  const InterruptFlag interrupt;
  return run_watch(options, attempts_, interrupt);
}

ExitCode LabConsole::inspect(const std::vector<std::string>& words) {
  return view("inspect", words);
}

ExitCode LabConsole::explain(const std::vector<std::string>& words) {
  return view("explain", words);
}

ExitCode LabConsole::ptx(const std::vector<std::string>& words) {
  return view("ptx", line_option(words));
}

ExitCode LabConsole::sass(const std::vector<std::string>& words) {
  return view("sass", line_option(words));
}

ExitCode LabConsole::roofline(const std::vector<std::string>& words) {
  static_cast<void>(folder());
  std::vector<std::string> command{"roofline", state_.target};
  const std::vector<std::string> problem = problem_words();
  command.insert(command.end(), problem.begin(), problem.end());
  command.insert(command.end(), words.begin(), words.end());
  return run_command(command);
}

ExitCode LabConsole::history(const std::vector<std::string>& words) {
  std::vector<std::string> command{"history"};
  if (!state_.target.empty()) command.push_back(state_.kernel());
  command.insert(command.end(), words.begin(), words.end());
  return run_command(command);
}

/// Its trial; 0: none.
std::int64_t LabConsole::best_run() const {
  const KernelFolder read = folder();
  const auto at = best_.find(subject(read).problem.key());
  return at == best_.end() ? 0 : at->second.trial;
}

ExitCode LabConsole::diff(const std::vector<std::string>& words) {
  if (words.empty() || (words.size() == 1 && (words.front() == "last" || words.front() == "best"))) {
    const bool best = !words.empty() && words.front() == "best";
    const std::size_t count = trials_.size();
    if (count < (best ? 1 : 2)) throw UsageError("diff last: it takes two runs, of which the newest is compared");
    const std::int64_t other = best ? best_run() : trials_[count - 2];
    if (other == 0) throw UsageError("diff best: no run of this problem has passed yet");
    if (other == trials_.back()) {
      fmt::print("the same trial, {}: nothing differs\n", other);
      return ExitCode::passed;
    }
    return run_command({"diff", fmt::format("{}", other), fmt::format("{}", trials_.back())});
  }
  std::vector<std::string> command{"diff"};
  command.insert(command.end(), words.begin(), words.end());
  return run_command(command);
}

}  // namespace kerlab::cli
