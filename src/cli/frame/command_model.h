#pragma once
// The command table as plain data: what help, man pages and completions are made of. CLI11's types stop at describe().

#include <string>
#include <vector>

#include "base/modules.h"

namespace CLI {
class App;
}

namespace kerlab::cli {

/// One option or positional argument.
struct OptionModel {
  std::vector<std::string> names;    ///< "-o", "--output"; of a positional its one name
  std::string value;                 ///< what follows it: "FILE", "fp16|bf16"; empty: nothing does
  std::vector<std::string> choices;  ///< the only values there are; empty: any
  std::string doc, group;
  std::string standard;  ///< its default; empty: none, or one that the doc names
  bool positional = false, required = false, repeated = false;
  [[nodiscard]] bool takes_value() const { return !value.empty(); }
};

/// `kerlab`, one of its commands, or one of theirs.
struct CommandModel {
  std::string name;                   ///< "tune"
  std::string doc;                    ///< one line
  std::string group;                  ///< what it is for, with others: "Measure"
  std::vector<std::string> details;   ///< paragraphs
  std::vector<std::string> examples;  ///< "kerlab tune gemm --M 4096   # why"
  std::vector<OptionModel> options, positionals;
  std::vector<CommandModel> commands;
  bool hidden = false;         ///< not for people
  bool takes_problem = false;  ///< --M 4K, --layout nt: what the family declares

  [[nodiscard]] const CommandModel* find(const std::string& command) const;
  /// "kerlab db trials", of `kerlab`.
  [[nodiscard]] const CommandModel* find_path(const std::string& path) const;
};

/// Description: its first line is the doc, what follows the details, a paragraph a line. Footer: "example:" and a
/// command line, or "examples:" and several, a line each.
CommandModel describe(const CLI::App& app);

}  // namespace kerlab::cli
