#include <algorithm>

#include "cli/commands.h"
#include "cli/help/completion.h"
#include "cli/lab/lab.h"

namespace kerlab::cli {

namespace {

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::count(words, word) > 0;
}

/// Words of the line, the last being typed: empty behind a space.
std::vector<std::string> typed_words(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c != ' ' && c != '\t')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

void append(Completions& all, Completions more) {
  for (Completion& completion : more) all.push_back(std::move(completion));
}

Completions only(std::initializer_list<const char*> words) {
  Completions all;
  for (const char* word : words) all.push_back({word, ""});
  return all;
}

Completions lab_names() {
  Completions all;
  for (const LabCommand& command : lab_commands()) all.push_back({command.name, command.doc});
  return all;
}

/// So that 64 sorts before 128.
std::pair<std::string, std::int64_t> natural(const std::string& word) {
  const std::size_t end = word.find_last_not_of("0123456789") + 1;
  return {word.substr(0, end), std::atoll(word.c_str() + end)};
}

}  // namespace

/// NAME, NAME=, or a value behind either: parameters, and where sizes may be set those as well.
Completions LabConsole::complete_setting(const std::vector<std::string>& words, const std::string& word) const {
  const KernelRoots kernels = kernel_folders(global_);
  const std::string kernel = state_.kernel();
  const bool sizes = is_one_of(words.front(), {"set", "use", "run", "watch"});
  Completions all;
  if (word.find('=') == std::string::npos && is_one_of(words.front(), {"set", "sweep"}) && words.size() % 2 == 0) {
    const std::string& name = words.back();  // a value behind its name
    all = name == "dtype" ? complete_dtype(kernels, kernel, word) : complete_value(kernels, kernel, name, word);
    if (all.empty()) all = complete_flag(kernels, kernel, name, word);
    return all;
  }
  all = complete_parameter(kernels, kernel, word, words);
  if (sizes || words.front() == "sweep") append(all, complete_problem(kernels, kernel, word));
  if (sizes) append(all, only({"dtype"}));
  if (is_one_of(words.front(), {"set", "sweep"}) && word.find('=') == std::string::npos)
    for (Completion& one : all)
      if (one.text.ends_with('=')) one.text.pop_back();
  return all;
}

Completions LabConsole::candidates(const std::vector<std::string>& words, const std::string& word) const {
  if (words.empty() || (words.size() == 1 && is_one_of(words.front(), {"help", "?"}))) {
    Completions all = lab_names();
    append(all, cli::complete(command_table(), {}, word, {kernel_folders(global_), suite_folders(global_)}));
    if (words.empty() && !state_.target.empty()) append(all, complete_setting({"run"}, word));
    return all;
  }
  const std::string& command = words.front();
  if (command == "use" && words.size() == 1) return complete_kernel(kernel_folders(global_), word);
  if (command == "save") return words.size() == 1 ? only({"winner"}) : complete_path(word, true);
  if (command == "log") return complete_path(word, false);
  if (command == "diff" && words.size() == 1) return only({"last", "best"});
  if (command == "tune" && words.size() == 1 && !word.starts_with("-")) return only({"all", "30s"});
  // These are about the chosen kernel: what is left to type are options.
  if (is_one_of(command, {"check", "inspect", "explain", "ptx", "sass", "roofline", "history"}) &&
      !word.starts_with("-"))
    return {};
  if (is_one_of(command, {"use", "set", "run", "sweep", "try", "watch"}))
    return state_.target.empty() ? Completions{} : complete_setting(words, word);
  return cli::complete(command_table(), words, word, {kernel_folders(global_), suite_folders(global_)});
}

std::vector<std::string> LabConsole::complete(const std::string& line) const {
  std::vector<std::string> words = typed_words(line);
  const std::string word = words.back();
  words.pop_back();
  std::vector<std::string> found;
  for (const Completion& one : candidates(words, word))
    if (one.text.starts_with(word)) found.push_back(one.text);
  std::ranges::sort(found, {}, natural);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace kerlab::cli
