#pragma once
// The command line. Parser types stop in this module.

#include "base/modules.h"

namespace kerlab::cli {

/// Parses, runs the subcommand, prints errors in one place, returns the exit code of base/error.h.
int run_command_line(int argc, char** argv);

}  // namespace kerlab::cli
