#pragma once
// `kerlab bench A B`.

#include "cli/frame/command.h"
#include "session/bench/bench.h"

namespace kerlab::cli {

/// What was asked of bench, as far as it goes with several kernels.
struct CompareCommand {
  std::vector<std::string> kernels;
  const BenchOptions& options;
  std::string csv, markdown;
};

ExitCode run_compare(const CompareCommand& command, const GlobalOptions& global);

}  // namespace kerlab::cli
