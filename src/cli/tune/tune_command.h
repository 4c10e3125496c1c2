#pragma once
// The parts of `kerlab tune` that one problem and a suite share.

#include "base/interrupt.h"
#include "cli/frame/beside_screen.h"
#include "cli/frame/command.h"
#include "cli/tune/tune_screen.h"
#include "db/database.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

struct TuneCommand {
  TuneOptions options;
  BesideOptions beside;       ///< become part of `options` before anything runs
  std::string suite;          ///< --suite; empty: one problem
  std::string csv, markdown;  ///< files; "-": standard output
  std::string kernel_tuner;   ///< folder; empty: none
  bool verbose = false;       ///< the screen says what few want to know
};

/// The options of a session on `target`, with what every command takes.
TuneOptions complete(TuneOptions options, const std::string& target, std::vector<ProblemArgument> arguments,
                     const GlobalOptions& global);

struct TuneRun {
  TuneResult result;
  ExitCode code = ExitCode::passed;
};
/// A whole session with its progress line, each line after `prefix`.
TuneRun run_tune(const TuneOptions& options, Database& database, const InterruptFlag& interrupt,
                 const std::string& prefix = "", const std::filesystem::path& kernel_tuner = {});

/// What commands must repeat to see the result: a family in a folder of its own is found by the folder only.
ToRepeat repeated_for(const std::string& target, const GlobalOptions& global);

ExitCode run_tune_suite(const TuneCommand& command, const GlobalOptions& global);

}  // namespace kerlab::cli
