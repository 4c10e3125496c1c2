// What CI systems read: within GitHub's limits, worst first, well-formed whatever the texts hold.

#include <fmt/format.h>

#include <algorithm>

#include "catch.h"
#include "report/markdown/github.h"
#include "report/text/regress_text.h"

using namespace kerlab;

namespace {

RegressRow a_row(RegressVerdict verdict, int number = 0) {
  RegressRow row;
  row.key = fmt::format("emu-h200/gemm/kernel{}", number);
  row.title = "gemm 64x64x64 fp32 nn";
  row.variant = fmt::format("kernel{}", number);
  row.verdict = verdict;
  row.why = "instructions +12 %";
  row.changes = {{"instructions", 1000, 1120, 0.01, FigureChange::Judgement::worse},
                 {"registers", 30, 32, 0, FigureChange::Judgement::untold}};
  row.lines = {{"kernel.cu:7", "x += y;", 10, 20}};
  row.source_diff = "@@ -1 +1 @@\n-a\n+b\n";
  row.file = "kernels/gemm/kernel.cu";
  row.line = 7;
  row.reproduce = "kerlab regress --only kernel";
  return row;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("report: annotations name file and line, at most ten of a kind", "[report][regress]") {
  RegressReport report;
  report.name = "main";
  for (int i = 0; i < 30; ++i) report.rows.push_back(a_row(RegressVerdict::regressed, i));
  report.rows.push_back(a_row(RegressVerdict::inconclusive, 99));
  report.rows.push_back(a_row(RegressVerdict::identical, 100));
  const std::string text = annotations_text(regress_annotations(report));
  CHECK(count(text, "::error ") == 10);
  CHECK(count(text, "::warning ") == 1);
  CHECK_THAT(text, Catch::StartsWith("::error file=kernels/gemm/kernel.cu,line=7,title=regressed%3A gemm 64x64x64 fp32 "
                                     "nn kernel0::instructions +12 %25%0Aagain: kerlab"));
  CHECK_THAT(text, Catch::Contains("(20 more are not shown here"));
  CHECK(count(text, "\n") == 11);
}

TEST_CASE("report: an annotation cannot smuggle another command", "[report][regress]") {
  const std::string text = annotations_text(
      {{Annotation::Level::error, "a,b:c\n::stop", 3, "t\r\n::set-output", "one\n::error::two\x1b[31m"}});
  CHECK(count(text, "\n") == 1);
  CHECK(text == "::error file=a%2Cb%3Ac%0A%3A%3Astop,line=3,title=t%0D%0A%3A%3Aset-output::one%0A::error::two[31m\n");
}

TEST_CASE("report: the step's summary says what is news, worst first", "[report][regress]") {
  RegressReport report;
  report.name = "main";
  report.device = "Emulated H200";
  report.rows = {a_row(RegressVerdict::wrong, 1), a_row(RegressVerdict::regressed, 2),
                 a_row(RegressVerdict::identical, 3)};
  report.rows[2].why.clear();
  const std::string text = regress_markdown(report);
  CHECK_THAT(text, Catch::StartsWith("## kerlab regress: 3 kernels: 1 wrong, 1 regressed, 1 identical\n"));
  CHECK(text.find("kernel1") < text.find("kernel2"));
  CHECK(text.find("kernel3") == std::string::npos);
  CHECK_THAT(text, Catch::Contains("| instructions | 1,000 | 1,120 | +12 % | 1 % |"));
  CHECK_THAT(text, Catch::Contains("```diff\n@@ -1 +1 @@"));
  CHECK_THAT(text, Catch::Contains("kernel.cu:7  10 -> 20  x += y;"));
  RegressReport fine;
  fine.rows = {a_row(RegressVerdict::identical)};
  CHECK(count(regress_markdown(fine), "|") == 0);
}

TEST_CASE("report: what a timed run would have seen stands beside each verdict", "[report][regress]") {
  RegressReport report;
  report.rows = {a_row(RegressVerdict::regressed, 1), a_row(RegressVerdict::passed, 2),
                 a_row(RegressVerdict::wrong, 3)};
  report.rows[0].time = TimeRatio{1.04, 1.03, 1.05, 0.013, 0.0142, 100, 104, {}, 10};
  report.rows[1].time = TimeRatio{1.0, 0.99, 1.01, 0.017, 0.0194, 5, 5, {}, 24};
  const std::string screen = regress_text(report, "", true, 0, false);
  CHECK_THAT(screen, Catch::Contains("would have seen") && Catch::Contains("1.4 %") && Catch::Contains("1.9 %"));
  CHECK_THAT(screen, Catch::Contains("10 processes, would have seen 1.4 %"));
  CHECK_THAT(screen, Catch::Contains("a slow-down of 1.9 % would have been seen 99 times of 100, of "));
  const std::string markdown = regress_markdown(report);
  CHECK_THAT(markdown, Catch::Contains("| would have seen |") && Catch::Contains("a slow-down of 1.9 %"));
  const std::string junit = junit_text("r", regress_cases(report));
  CHECK_THAT(junit, Catch::Contains("<system-out>time 5.000 -&gt; 5.000 us") &&
                        Catch::Contains("24 processes, would have seen 1.9 %"));
  CHECK_THAT(to_json(JsonValue(regress_value(report))), Catch::Contains("\"sees_from\": 0.0142"));
  report.rows[0].time.reset();
  report.rows[1].time.reset();
  CHECK(regress_text(report, "", true, 0, false).find("seen") == std::string::npos);
}

TEST_CASE("report: the step's summary stays within its limit", "[report][regress]") {
  RegressReport report;
  for (int i = 0; i < 3000; ++i) {
    report.rows.push_back(a_row(RegressVerdict::regressed, i));
    report.rows.back().source_diff = std::string(20000, 'x');
  }
  const std::string text = regress_markdown(report);
  CHECK(text.size() <= std::size_t{1} << 20);
  CHECK(text.size() > std::size_t{500} << 10);
  CHECK_THAT(text, Catch::EndsWith("`--json` has it all)\n"));
  CHECK(regress_markdown(report, 5000).size() <= 5000);
}

TEST_CASE("report: JUnit tells failures, errors and skips apart", "[report][regress]") {
  RegressReport report;
  report.name = "main";
  report.rows = {a_row(RegressVerdict::wrong, 1),        a_row(RegressVerdict::failed, 2),
                 a_row(RegressVerdict::inconclusive, 3), a_row(RegressVerdict::not_comparable, 4),
                 a_row(RegressVerdict::improved, 5),     a_row(RegressVerdict::identical, 6)};
  const std::string text = junit_text("kerlab regress main", regress_cases(report));
  CHECK_THAT(text, Catch::Contains("tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"2\""));
  CHECK_THAT(text, Catch::Contains("<failure message=\"instructions +12 %\" type=\"wrong\">"));
  CHECK_THAT(text, Catch::Contains("<error message=\"instructions +12 %\" type=\"error\">"));
  CHECK(count(text, "<testcase ") == 6);
  CHECK(count(text, "</testcase>") == 4);
}

TEST_CASE("report: JUnit is XML whatever the texts hold", "[report][regress]") {
  const std::string text =
      junit_text("a\"<&>", {{"s\"", "n<&\x01\xff", 0.5, "]]> \x1b <b>\nsecond line", "wrong", ""}});
  CHECK(text.find("<b>") == std::string::npos);
  CHECK(text.find("]]>") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x01') == std::string::npos);
  CHECK_THAT(text, Catch::Contains("time=\"0.500\""));
}

TEST_CASE("report: the screen tells why a kernel fails, and fits", "[report][regress]") {
  RegressReport report;
  report.name = "main";
  for (int i = 0; i < 5; ++i) report.rows.push_back(a_row(RegressVerdict::regressed, i));
  report.rows.push_back(a_row(RegressVerdict::identical, 9));
  const std::string text = regress_text(report, " --db x.db", false, 100, false);
  CHECK_THAT(text, Catch::Contains("instructions") && Catch::Contains("1,120") && Catch::Contains("+12 %"));
  CHECK_THAT(text, Catch::Contains("planned? kerlab regress accept emu-h200/gemm/kernel0 --why \"...\" --db x.db"));
  CHECK_THAT(text, Catch::Contains("again: kerlab regress --only kernel"));
  CHECK_THAT(text, Catch::Contains("2 more fail"));
  CHECK_THAT(text, Catch::Contains("6 kernels: 5 regressed, 1 identical"));
  CHECK(text.find("kernel9") == std::string::npos);
  CHECK(regress_text(report, "", true, 100, false).find("kernel9") != std::string::npos);
  for (int i = 0; i < 40; ++i) report.rows[0].why += i > 0 ? " half" : "half";
  CHECK(regress_text(report, "", false, 100, false).find(report.rows[0].why) == std::string::npos);
  CHECK_THAT(regress_text(report, "", false, 0, false),
             Catch::Contains("  " + report.rows[0].why + "\n"));  // no terminal
}
