#include "report/markdown/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/form/xml_text.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kLongestMessage = 300;

/// xml_text makes spaces of line ends; a report needs them.
std::string xml_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += xml_text(text.substr(0, end));
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

/// The first line, for a list; the whole text goes inside the element.
std::string first_line(const std::string& text) {
  return xml_text(std::string_view(text).substr(0, std::min(text.find('\n'), kLongestMessage)));
}

std::string xml_of(const JUnitCase& test) {
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                       xml_text(test.suite), xml_text(test.name), test.seconds);
  if (!test.failure.empty()) {
    const std::string_view element = test.kind == "error" ? "error" : "failure";
    return fmt::format("{0}>\n      <{1} message=\"{2}\" type=\"{3}\">{4}</{1}>\n    </testcase>\n", head, element,
                       first_line(test.failure), xml_text(test.kind), xml_lines(test.failure));
  }
  if (!test.skipped.empty())
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", head, first_line(test.skipped));
  if (test.output.empty()) return head + "/>\n";
  return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", head, xml_lines(test.output));
}

}  // namespace

std::string junit_text(const std::string& name, std::vector<JUnitCase> cases) {
  std::stable_partition(cases.begin(), cases.end(), [](const JUnitCase& test) { return !test.failure.empty(); });
  std::size_t failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  std::string body;
  for (const JUnitCase& test : cases) {
    const bool failed = !test.failure.empty();
    failures += failed && test.kind != "error" ? 1 : 0;
    errors += failed && test.kind == "error" ? 1 : 0;
    skipped += !failed && !test.skipped.empty() ? 1 : 0;
    seconds += test.seconds;
    body += xml_of(test);
  }
  const std::string sums =
      fmt::format("name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                  xml_text(name), cases.size(), failures, errors, skipped, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite {0}>\n{1}  </testsuite>\n"
      "</testsuites>\n",
      sums, body);
}

}  // namespace kerlab::report
