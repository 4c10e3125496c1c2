#pragma once
// --help, made of the command table.

#include <string>

#include "cli/frame/command_model.h"

namespace kerlab::cli {

/// What `kerlab` alone prints: commands by what they are for, and where to begin.
std::string overview_text(const CommandModel& root, int width, bool color);

/// Everything about one command. `name`: with those above it, "kerlab db trials". At most `width` columns where words
/// allow it.
std::string help_text(const CommandModel& command, const std::string& name, int width, bool color);

/// "kerlab tune [OPTION]... [FAMILY] [--DIMENSION VALUE]..."
std::string usage_line(const CommandModel& command, const std::string& name);

/// "-o, --output FILE", "family"
std::string option_title(const OptionModel& option);

/// Doc and default of an option: "seconds that one compilation may take (default 60)".
std::string option_doc(const OptionModel& option);

/// Options in their groups, in the order of the table.
struct OptionGroup {
  std::string title;  ///< "Search"
  std::vector<const OptionModel*> options;
};
std::vector<OptionGroup> grouped_options(const CommandModel& command);

}  // namespace kerlab::cli
