#pragma once
// The screen that explain fills.

#include "base/terminal.h"
#include "report/text/explain_text.h"

namespace kerlab::report {

/// Sentences and drawings, each with a label on its left, as wide as the terminal and no wider than can be read.
class ExplainPage {
 public:
  explicit ExplainPage(const Drawing& drawing);
  /// A sentence; without a label below the last one's text.
  void say(std::string_view label, const std::string& sentence, Style style = Style::plain);
  void head(const std::string& sentence);
  /// Lines as they are, below a label.
  void draw(std::string_view label, const std::string& lines);
  void gap();
  [[nodiscard]] const Drawing& drawing() const { return drawing_; }
  [[nodiscard]] int width() const;  ///< that a sentence has
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  [[nodiscard]] std::string margin(std::string_view label) const;

  const Drawing& drawing_;
  int width_ = 0;
  std::string text_;
};

}  // namespace kerlab::report
