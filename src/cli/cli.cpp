#include "cli/cli.h"

#include <fmt/format.h>

#include "base/standard_streams.h"
#include "cli/commands.h"
#include "session/run/child_main.h"

namespace kerlab::cli {

namespace {

/// For the record, which may be shared: without the folders of headers of this machine.
std::string joined(int argc, char** argv) {
  constexpr std::string_view kInclude = "--include";
  std::string text = "kerlab";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--include="))
      text += " --include=...";
    else
      text += fmt::format(" {}", i > 1 && argv[i - 1] == kInclude ? "..." : word);
  }
  return text;
}

std::string lost_output(const std::string& why) {
  return fmt::format("standard output cannot be written: {}; what was stored is kept", why);
}

int failed(const GlobalOptions& global, const std::string& why, ExitCode code) {
  complain(fmt::format("{} {}\n", styled("kerlab:", Style::bad, color_on(global, stderr)), why));
  return static_cast<int>(code);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  GlobalOptions global;
  try {
    if (const auto code = run_as_child(argc, argv)) return *code;
    global.typed = joined(argc, argv);
    const ExitCode code = run_words({argv + 1, argv + argc}, global);
    const std::string lost = flush_standard_output();
    if (lost.empty()) return static_cast<int>(code);
    return failed(global, lost_output(lost), code == ExitCode::passed ? ExitCode::failed : code);
  } catch (const Error& error) {
    return failed(global, error.what(), error.code());
  } catch (const std::exception& error) {
    const std::string lost = flush_standard_output();  // then that is the cause
    return failed(global, lost.empty() ? error.what() : lost_output(lost), ExitCode::failed);
  }
}

}  // namespace kerlab::cli
