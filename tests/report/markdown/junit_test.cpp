#include "report/markdown/junit.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("JUnit: failures come first, sums are right, text keeps its lines", "[report]") {
  const JUnitCase passed{"kerlab.check.gemm", "normal", 1.5, "", "", ""};
  const JUnitCase skipped{"kerlab.check.gemm", "huge", 0, "", "", "needs 80 GB"};
  const JUnitCase failed{"kerlab.check.gemm", "one_hot", 0.25, "a < b & \"c\"\none\n\x01two <", "exact", ""};
  CHECK(junit_text("kerlab check", {passed, skipped, failed}) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kerlab check" tests="3" failures="1" errors="0" skipped="1" time="1.750">
  <testsuite name="kerlab check" tests="3" failures="1" errors="0" skipped="1" time="1.750">
    <testcase classname="kerlab.check.gemm" name="one_hot" time="0.250">
      <failure message="a &lt; b &amp; &quot;c&quot;" type="exact">a &lt; b &amp; &quot;c&quot;
one
 two &lt;</failure>
    </testcase>
    <testcase classname="kerlab.check.gemm" name="normal" time="1.500"/>
    <testcase classname="kerlab.check.gemm" name="huge" time="0.000">
      <skipped message="needs 80 GB"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("JUnit: what the tool failed at is an error; a pass may say what it measured", "[report]") {
  const std::string xml =
      junit_text("x", {{"s", "n", 0, "SIGSEGV", "error", ""}, {"s", "m", 0, "", "", "", "err/bound 0.2"}});
  CHECK_THAT(xml, Catch::Contains("<error message=\"SIGSEGV\" type=\"error\">SIGSEGV</error>"));
  CHECK_THAT(xml, Catch::Contains("<system-out>err/bound 0.2</system-out>"));
  CHECK_THAT(xml, Catch::Contains("failures=\"0\" errors=\"1\""));
}
