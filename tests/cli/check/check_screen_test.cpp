#include "cli/frame/check_screen.h"

#include "catch.h"

using namespace kerlab;

namespace {

CheckRow row_with(std::int64_t runs, bool adversarial) {
  CheckRow row;
  row.trial.variant = "simple";
  row.trial.status = TrialStatus::passed;
  row.adversarial = adversarial;
  row.report.runs = runs;
  return row;
}

}  // namespace

TEST_CASE("check: equal runs are those of the problem that was asked for", "[cli]") {
  const std::string screen = cli::check_screen({row_with(10, false), row_with(1, true)}, {}, "", false);
  const auto line = screen.find("simple");
  REQUIRE(line != std::string::npos);
  CHECK_THAT(screen.substr(line, screen.find('\n', line) - line), Catch::Contains("10"));
}

TEST_CASE("check: what does not compile is told once, whatever the problems", "[cli]") {
  std::vector<CheckRow> rows;
  for (int i = 0; i < 8; ++i) {
    rows.push_back(row_with(0, i > 0));
    rows.back().trial.status = TrialStatus::compile_error;
    rows.back().trial.message = "k.cu(8): error: expected an identifier";
  }
  const std::string screen = cli::check_screen(rows, {}, "", false);
  CHECK(screen.find("expected an identifier") == screen.rfind("expected an identifier"));
  CHECK_THAT(screen, Catch::Contains("and 7 more that failed, as it does not compile on other problems either"));
  rows.back().trial.message = "k.cu(9): error: something else";
  CHECK_THAT(cli::check_screen(rows, {}, "", false),
             Catch::Contains("something else") && Catch::Contains("and 6 more"));
}

TEST_CASE("check: what was left out is told with its reason", "[cli]") {
  std::vector<CheckRow> rows = {row_with(10, false)};
  CHECK_THAT(cli::check_screen(rows, {4, true}, "", false),
             Catch::Contains("interrupted: 1 of 5 checks were made, 1 of these passed: no verdict"));
  rows.back().trial.status = TrialStatus::wrong;
  CHECK_THAT(cli::check_screen(rows, {4, false}, "", false),
             Catch::Contains("stopped at the first failure (--fail-fast): 1 of 5 checks were made, 0 of these passed"));
}
