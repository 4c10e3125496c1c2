#include "report/text/explain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/form/label_layout.h"

namespace kerlab::report {

namespace {

constexpr int kTitleWidth = 12;
constexpr int kLeastWidth = 40, kMostWidth = 120;

}  // namespace

ExplainPage::ExplainPage(const Drawing& drawing)
    : drawing_(drawing), width_(std::clamp(drawing.width, kLeastWidth, kMostWidth)) {}

void ExplainPage::say(std::string_view label, const std::string& sentence, Style style) {
  if (sentence.empty()) return;
  bool first = true;
  for (const std::string& line : wrapped(sentence, width())) {
    text_ += margin(first ? label : "") + styled(line, style, drawing_.color) + "\n";
    first = false;
  }
}

void ExplainPage::head(const std::string& sentence) {
  for (const std::string& line : wrapped(sentence, width_)) text_ += styled(line, Style::bold, drawing_.color) + "\n";
}

void ExplainPage::draw(std::string_view label, const std::string& lines) {
  std::istringstream stream(lines);
  bool first = true;
  for (std::string line; std::getline(stream, line);) {
    text_ += margin(first ? label : "") + line + "\n";
    first = false;
  }
}

void ExplainPage::gap() {
  if (!text_.ends_with("\n\n")) text_ += "\n";
}

int ExplainPage::width() const {
  return width_ - kTitleWidth;
}

std::string ExplainPage::margin(std::string_view label) const {
  return styled(fmt::format("{:<{}}", label, kTitleWidth), Style::bold, drawing_.color && !label.empty());
}

}  // namespace kerlab::report
