#pragma once
// Man pages, made of the command table.

#include <string>

#include "cli/frame/command_model.h"

namespace kerlab::cli {

/// The page of `command`, a command of `root` or `root` itself, as roff (man macros). `date`: "2026-11-22".
std::string man_page(const CommandModel& root, const CommandModel& command, const std::string& date);

/// "kerlab-tune"
std::string man_name(const CommandModel& root, const CommandModel& command);

}  // namespace kerlab::cli
