// What a checker wrote becomes a verdict, or is its own mistake.
#include "verify/checker.h"

#include <cmath>
#include <limits>

#include "catch.h"

using namespace kerlab;

namespace {

const Tensor kOrder{"order", DType::int32, Role::output, {6, 4}};

/// Rows of four, judged by one error each.
ReferencePlan rows_checker() {
  ReferencePlan plan;
  plan.output = "order";
  plan.launch.kernel = "judge";
  plan.outputs_per_index = 4;
  plan.checker = true;
  plan.codes = {"right", "not sorted", "an index twice"};
  return plan;
}

RecipeReport report_of(const std::vector<Judgement>& judgements, const std::vector<std::int64_t>& indices = {}) {
  return report_of_judgements(rows_checker(), kOrder, Recipe{}, judgements, indices);
}

}  // namespace

TEST_CASE("errors of at most 1 pass", "[verify]") {
  const RecipeReport report = report_of({{0, 0}, {1, 0}, {0.5f, 0}});
  CHECK(report.passed);
  CHECK(report.compared == 3);
  CHECK(report.error_ratio == 1);
  CHECK(report.worst_index == 4);
  CHECK(report.detail.empty());
}

TEST_CASE("the worst place is told with the text of its code, and how often each occurs", "[verify]") {
  const RecipeReport report = report_of({{0, 0}, {2, 1}, {6, 2}, {0, 0}, {2, 2}});
  CHECK_FALSE(report.passed);
  CHECK(report.cause == Cause::checker);
  CHECK(report.mismatches == 3);
  CHECK(report.error_ratio == 6);
  CHECK(report.detail == "[2, 0] .. [2, 3]: an index twice (error 6, more than 1 is wrong)");
  CHECK(report.pattern == "3 of 5 places are wrong; an index twice: 2, not sorted: 1");
  REQUIRE(report.first.size() == 3);
  CHECK(report.first[0].place == "[1, 0] .. [1, 3]: not sorted");
}

TEST_CASE("of some places each is told where it lies", "[verify]") {
  const RecipeReport report = report_of({{0, 0}, {std::numeric_limits<float>::quiet_NaN(), 1}}, {3, 5});
  CHECK_FALSE(report.passed);
  CHECK(report.nans == 1);
  CHECK(report.worst_index == 20);
  CHECK(std::isinf(report.error_ratio));
  CHECK_THAT(report.detail, Catch::StartsWith("[5, 0] .. [5, 3]: not sorted"));
}

TEST_CASE("a checker's own mistakes blame no candidate", "[verify]") {
  const auto fault = [](const std::vector<Judgement>& judgements) {
    try {
      report_of(judgements);
    } catch (const DeviceFault& caught) {
      return std::string(caught.what());
    }
    return std::string("none");
  };
  CHECK(fault({{0, 0}, {std::numeric_limits<float>::quiet_NaN(), -1}}) ==
        "the reference: checker 'judge' of 'order': it wrote no error for index 1; error[j] and code[j] are needed for "
        "every j < count");
  CHECK(fault({{2, 3}}) ==
        "the reference: checker 'judge' of 'order': code 3 of index 0 has no text; codes = [...] has 3");
  CHECK(fault({{0, 77}}) == "none");
}
