#pragma once
// What help and man pages say of every command alike. Each list is written once, here.

#include <span>
#include <string_view>

#include "base/modules.h"

namespace kerlab::cli {

struct HelpTopic {
  std::string_view name, text;
};

/// "0": "passed"; as ExitCode.
std::span<const HelpTopic> exit_codes();
/// Variables of the environment that kerlab reads.
std::span<const HelpTopic> environment_variables();
/// Files that it reads and writes.
std::span<const HelpTopic> known_files();

}  // namespace kerlab::cli
