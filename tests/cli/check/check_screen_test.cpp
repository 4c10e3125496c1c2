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
  const std::string screen = cli::check_screen({row_with(10, false), row_with(1, true)}, 0, "", false);
  const auto line = screen.find("simple");
  REQUIRE(line != std::string::npos);
  CHECK_THAT(screen.substr(line, screen.find('\n', line) - line), Catch::Contains("10"));
}
