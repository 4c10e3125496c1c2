#pragma once
// `bench --library-only`: the vendor's library alone, on one problem, a sweep or a suite.

#include "cli/frame/command.h"

namespace kerlab::cli {

struct YardstickCommand {
  std::string suite;  ///< empty: `family`
  std::string family, dtypes;
  int rounds = 30;
  bool hot = false;
  std::string csv, markdown;  ///< files; "-": standard output
};

ExitCode run_yardstick(const YardstickCommand& command, const GlobalOptions& global);

}  // namespace kerlab::cli
