// Kernels that work in place, on the emulated device: the reference sees the tensor as it was before the run.

#include <map>

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

// 1: only zeros; 2: does nothing; 3: twice.
ElementFamily in_place_family() {
  return {.name = "relu_in_place",
          .inputs = {},
          .output = {.name = "x", .role = "inout"},
          .tolerance = "{ rule = \"rowwise\" }",
          .reference = "value[j] = x[i] > 0 ? 3 * (ACC)x[i] : 0;\n  scale[j] = fabs((double)value[j]);",
          .kernel =
              "if (BUG == 2) return;\n"
              "  float v = x[i] > 0 ? 3 * x[i] : 0;\n"
              "  if (BUG == 1) v = 0;\n"
              "  if (BUG == 3) v *= 3;\n"
              "  x[i] = v;",
          .bugs = 3};
}

std::map<std::string, TrialStatus> check_in_place(SessionFixture& fixture, const std::string& n, bool asked_alone) {
  const TemporaryFolder folder;
  write_family(folder.path(), "relu", in_place_family());
  CheckOptions options = emulated_check(fixture, "relu", folder.path().string());
  options.arguments = {{"N", n}};
  options.every_configuration = true;
  options.only_asked = asked_alone;
  return statuses_of(checked_rows(fixture, options));
}

}  // namespace

TEST_CASE("in place: right kernels pass and wrong ones do not, executed whole and sampled", "[session][emulated]") {
  SessionFixture fixture;
  for (const char* n : {"1001", "100000000"}) {
    INFO(n);
    auto statuses = check_in_place(fixture, n, true);
    REQUIRE(statuses.size() == 4);
    CHECK(statuses["BUG=0"] == TrialStatus::passed);
    for (const char* bug : {"BUG=1", "BUG=2", "BUG=3"}) CHECK(statuses[bug] == TrialStatus::wrong);
  }
}

TEST_CASE("in place: a thorough check, on every problem", "[session][emulated]") {
  SessionFixture fixture;
  auto statuses = check_in_place(fixture, "1001", false);
  CHECK(statuses["BUG=0"] == TrialStatus::passed);
  CHECK(statuses["BUG=1"] == TrialStatus::wrong);
}

TEST_CASE("in place: what is counted begins with the first values, whatever ran before", "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder folder;
  // Both are right, and work for long in every warp of fresh data. In data that one has run over, all of them negative,
  // BUG=0 does not.
  ElementFamily by_sign = in_place_family();
  by_sign.reference = "value[j] = -fabs((ACC)x[i]);\n  scale[j] = fabs((double)value[j]);";
  by_sign.kernel =
      "const float v = x[i];\n"
      "  float sum = 0;\n"
      "  if ((v < 0) == (BUG == 1))\n"
      "    for (int k = 0; k < 5000; ++k) sum = sum * 0.5f + v;\n"
      "  x[i] = sum == 12345.0f ? sum : -fabsf(v);";
  by_sign.bugs = 1;
  write_family(folder.path(), "by_sign", by_sign);
  TuneOptions options = fixture.options();
  options.rig.device = "emu:h200";
  options.rig.target = folder.path().string();
  for (const char* n : {"1001", "100000000"}) {
    INFO(n);
    options.arguments = {{"N", n}};
    const TuneResult result = fixture.tune(options);
    for (const FailureGroup& group : result.failures) UNSCOPED_INFO(group.cause);
    CHECK(result.counts.passed == 2);
    REQUIRE(result.rows.size() == 2);
    CHECK(result.rows[0].measurement.median_us == Approx(result.rows[1].measurement.median_us).epsilon(0.02));
  }
}
