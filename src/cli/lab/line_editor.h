#pragma once
// A line from the user: edited, with history and completion, where she sits at a terminal; read plainly from a script.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::cli {

class LineEditor {
 public:
  /// Words that could stand where the cursor is, given the line up to it. Each replaces the line's last word.
  using Complete = std::function<std::vector<std::string>(const std::string& line)>;

  /// `history`: file that outlives the program; empty: none. A history that cannot be read or written is no error.
  LineEditor(const std::filesystem::path& history, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Whether standard input and output are terminals: otherwise nothing is edited or remembered.
  [[nodiscard]] bool interactive() const;
  /// The next line without its end; none at the end of the input. Ctrl-C: an empty line.
  std::optional<std::string> read(const std::string& prompt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a list of words that begin alike have in common.
std::string common_beginning(const std::vector<std::string>& words);

}  // namespace kerlab::cli
