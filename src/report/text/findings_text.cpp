#include "report/text/findings_text.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/terminal.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kMostLabels = 3;

std::string line_text(const CodeLine& line, const std::string& source) {
  const std::string place = finding_place(line);
  if (place.empty()) return "";
  return fmt::format("    {}{}\n", place, source.empty() ? "" : ":  " + source);
}

std::string labels_text(const LocatedFinding& located) {
  const std::size_t shown = std::min(located.labels.size(), kMostLabels);
  const std::vector<std::string> first(located.labels.begin(),
                                       located.labels.begin() + static_cast<std::ptrdiff_t>(shown));
  std::string text = fmt::format("    in {} on {}", fmt::join(first, "; "), located.problem);
  if (located.labels.size() > shown) text += fmt::format("; and {} more", located.labels.size() - shown);
  return text + "\n";
}

JsonValue line_value(const CodeLine& line) {
  return line.line == 0 && line.ptx_line == 0 ? JsonValue() : code_line_value(line);
}

}  // namespace

JsonValue code_line_value(const CodeLine& line) {
  return JsonValue::Object{{"file", line.file},
                           {"line", line.line},
                           {"ptx_line", line.ptx_line},
                           {"caller_file", line.caller_file},
                           {"caller_line", line.caller_line}};
}

std::string finding_place(const CodeLine& line) {
  return line.line == 0 && line.ptx_line == 0 ? "" : place_text(line);
}

std::string findings_text(const std::string& variant, const std::vector<LocatedFinding>& findings, bool color) {
  if (findings.empty()) return fmt::format("{}: {}\n", variant, styled("nothing found", Style::good, color));
  std::string text = fmt::format("{}: {} finding{}\n", variant, findings.size(), findings.size() == 1 ? "" : "s");
  for (const LocatedFinding& located : findings) {
    const Finding& finding = located.finding;
    text += fmt::format("  {}{}: {}\n", styled(name(finding.hazard), Style::bad, color),
                        finding.count > 1 ? fmt::format(", {} times", grouped(finding.count)) : "", finding.message);
    text +=
        line_text(finding.line, located.source) + line_text(finding.other, located.other_source) + labels_text(located);
  }
  return text;
}

JsonValue to_values(const std::vector<Finding>& findings) {
  JsonValue::Array values;
  for (const Finding& finding : findings)
    values.push_back(JsonValue::Object{{"hazard", name(finding.hazard)},
                                       {"message", finding.message},
                                       {"place", line_value(finding.line)},
                                       {"other", line_value(finding.other)},
                                       {"count", finding.count}});
  return values;
}

}  // namespace kerlab::report
