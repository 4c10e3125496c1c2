#include "cli/frame/command.h"

#include <fmt/format.h>

#include "base/file.h"
#include "db/database.h"
#include "session/run/device_ids.h"

namespace kerlab::cli {

std::string version() {
  return KERLAB_VERSION;
}

KernelPlaces kernel_folders(const GlobalOptions& global) {
  KernelPlaces places{{global.kernels.begin(), global.kernels.end()}, {global.includes.begin(), global.includes.end()}};
  if (!global.settings) return places;
  for (const Setting& folder : global.settings->kernels) places.families.emplace_back(folder.value);
  for (const Setting& folder : global.settings->includes) places.headers.emplace_back(folder.value);
  return places;
}

std::vector<std::filesystem::path> suite_folders(const GlobalOptions& global) {
  std::vector<std::filesystem::path> folders;
  if (global.settings)
    for (const Setting& folder : global.settings->suites) folders.emplace_back(folder.value);
  return folders;
}

RigOptions rig_options(const GlobalOptions& global, const std::string& target) {
  RigOptions options;
  options.target = target;
  options.kernels = kernel_folders(global);
  options.device = global.device;
  options.worker_command = split_words(global.worker_command);
  options.jobs = global.jobs;
  options.use_cache = !global.no_cache;
  options.kept = global.kept;
  for (const std::string& file : global.libraries)
    options.libraries.push_back(std::filesystem::absolute(file).string());
  if (global.libraries.empty() && global.settings)
    for (const Setting& file : global.settings->libraries)
      options.libraries.push_back(std::filesystem::absolute(file.value).string());
  options.compile_deadline = std::chrono::milliseconds(static_cast<std::int64_t>(global.compile_timeout_s * 1e3));
  return options;
}

std::filesystem::path database_path(const GlobalOptions& global) {
  if (!global.database.empty()) return global.database;
  if (global.settings && !global.settings->database.value.empty()) return global.settings->database.value;
  return Database::default_path();
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string repeated_database(const GlobalOptions& global) {
  return global.database.empty() ? "" : " --db " + quoted(global.database);
}

std::string repeated_options(const GlobalOptions& global) {
  std::string text = repeated_database(global);
  if (global.device != (global.settings ? global.settings->device.value : "auto"))
    text += " --device " + quoted(first_device(global.device));
  for (const std::string& folder : global.kernels) text += " --kernels " + quoted(folder);
  for (const std::string& folder : global.includes) text += " --include " + quoted(folder);
  return text;
}

void write_output(const std::string& file, const std::string& text) {
  if (file == "-")
    fmt::print("{}", text);
  else
    write_atomic(file, std::string_view(text));
}

bool color_on(const GlobalOptions& global, std::FILE* stream) {
  const ColorMode mode = global.color == "always"  ? ColorMode::always
                         : global.color == "never" ? ColorMode::never
                                                   : ColorMode::automatic;
  return use_color(mode, stream);
}

int table_width(int elsewhere) {
  // A pager is told by COLUMNS how wide the terminal is that it shows.
  return is_terminal(stdout) || std::getenv("COLUMNS") != nullptr ? terminal_width(stdout) : elsewhere;
}

ExitCode exit_code_of(TrialStatus status) {
  switch (status) {
    case TrialStatus::passed:
      return ExitCode::passed;
    case TrialStatus::wrong:
    case TrialStatus::guard_violation:
    case TrialStatus::input_modified:
      return ExitCode::wrong;
    default:
      return ExitCode::failed;
  }
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) throw UsageError(fmt::format("a quote is not closed in: {}", text));
  if (in_word) words.push_back(word);
  return words;
}

}  // namespace kerlab::cli
