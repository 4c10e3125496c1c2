#pragma once
// `kerlab regress`: what was typed, and its actions.

#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "report/text/regress_text.h"
#include "session/regress/regress_folder.h"

namespace kerlab::cli {

struct RegressCommand {
  std::string action;              ///< empty: run
  std::vector<std::string> words;  ///< a family or keys
  std::string name = "main", parent;
  std::vector<std::string> only, margins;
  std::string margins_file, fail_on = "2,3", against, artifacts;
  bool rerun = false, changed_only = false, strict_toolchain = false, without_history = false, all = false,
       github = false, prune = false, unchecked_values = false;
  std::string junit, markdown;
  std::string suite, dtype, configuration, why;
  std::vector<std::string> variants;
  std::int64_t limit = 40;
  double time_s = 0;  ///< that timing may take; 0: as long as it takes
};

BaselineFolder regress_folder(const RegressCommand& command);
/// What another command must repeat to be about the same baselines on the same device, each with a space before it.
std::string regress_repeat(const RegressCommand& command, const GlobalOptions& global);

ExitCode run_record(const RegressCommand& command, const GlobalOptions& global);
ExitCode run_accept(const RegressCommand& command, const GlobalOptions& global);

/// The screen or the JSON document, and the files that were asked for. Gives `code`.
ExitCode print_regress(const RegressCommand& command, const GlobalOptions& global, const RegressReport& report,
                       ExitCode code);
ExitCode print_baselines(const BaselineFolder& folder, const GlobalOptions& global);

}  // namespace kerlab::cli
