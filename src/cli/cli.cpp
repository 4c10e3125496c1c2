#include "cli/cli.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "session/child_main.h"

namespace kerlab {

namespace {

std::string joined(int argc, char** argv) {
  std::string text = "kerlab";
  for (int i = 1; i < argc; ++i) text += fmt::format(" {}", argv[i]);
  return text;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  GlobalOptions global;
  try {
    if (const auto code = run_as_child(argc, argv)) return *code;
    global.typed = joined(argc, argv);
    return static_cast<int>(run_words({argv + 1, argv + argc}, global));
  } catch (const Error& error) {
    fmt::print(stderr, "{} {}\n", styled("kerlab:", Style::bad, color_on(global, stderr)), error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{} {}\n", styled("kerlab:", Style::bad, color_on(global, stderr)), error.what());
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace kerlab
