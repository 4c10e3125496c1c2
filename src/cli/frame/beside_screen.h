#pragma once
// What commands beside the kernels said, on screens and in JSON; and the options that name them.

#include "report/form/json.h"
#include "report/form/table.h"
#include "session/beside/beside.h"

namespace CLI {
class App;
}

namespace kerlab::cli {

/// As typed.
struct BesideOptions {
  std::vector<std::string> commands;  ///< split into words without a shell
  double seconds = 120;               ///< that an answer may take
};

void add_beside_options(CLI::App& parser, BesideOptions& options);
/// Nothing is started yet. Throws UsageError: an open quote, no word.
BesideCommands beside_commands(const BesideOptions& options);

/// A row each; the problem first where there are several.
Table beside_table(const std::vector<BesideAnswer>& answers);
/// The table below a line that says by whom it was timed; empty where nobody has a row.
std::string beside_text(const std::vector<BesideAnswer>& answers, bool color, int width);
std::string beside_markdown(const std::vector<BesideAnswer>& answers);
/// Who has no row and why, with the last of what it wrote to standard error; empty: all have.
std::string beside_errors(const std::vector<BesideAnswer>& answers);
JsonValue beside_value(const std::vector<BesideAnswer>& answers);

}  // namespace kerlab::cli
