#pragma once
// What the terminal can do, colour, and one progress line.

#include <cstdio>
#include <string>
#include <string_view>

namespace kerlab {

enum class ColorMode { automatic, always, never };

/// Decides once: `--color`, NO_COLOR, TERM=dumb, isatty.
bool use_color(ColorMode mode, std::FILE* stream);
bool is_terminal(std::FILE* stream);
bool is_dumb_terminal();                ///< TERM says that it can do nothing
int terminal_width(std::FILE* stream);  ///< columns; when not a terminal COLUMNS, else 100
/// Whether block characters may be drawn: LC_ALL, LC_CTYPE or LANG (the first that is set) names UTF-8.
bool unicode_on();

enum class Style { plain, bold, dim, good, warning, bad };
std::string styled(std::string_view text, Style style, bool color);

/// Overwrites one line on a terminal; prints plain lines, at most one in `plain_interval_s` seconds, elsewhere. Writes
/// to standard error only.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* stream = stderr, double plain_interval_s = 5.0);
  ~ProgressLine();
  void update(std::string_view line);
  /// Prints a line that stays (a fault, a warning) above the progress line.
  void note(std::string_view line);
  void clear();

 private:
  /// Progress that cannot be written (a full disk, a terminal that went away) is no reason to stop.
  void put(std::string_view text) noexcept;

  std::FILE* stream_;
  double plain_interval_s_;
  bool terminal_;
  double last_plain_s_ = -1e300;
  bool drawn_ = false;
};

}  // namespace kerlab
