#include "verify/survey.h"

#include "catch.h"

using namespace kerlab;

namespace {

const Tensor kOutput{"D", DType::bf16, Role::output, {64, 64}};

/// What a survey tells of an output whose wrong elements hold `bits`.
RecipeReport told(std::uint64_t bits, std::uint32_t poison, bool exact = false) {
  ProblemPlan plan;
  plan.tensors = {kOutput};
  Recipe recipe;
  recipe.exact = exact;
  Survey survey(plan, recipe, kOutput, poison);
  for (std::int64_t i = 0; i < kOutput.elements(); ++i) {
    const bool wrong = i % 64 == 63;
    const lab::Verdict verdict = wrong ? lab::wrong(false, 0.5) : lab::right(0.5);
    survey.see(i, wrong ? bits : 0x4000, 2, verdict);
  }
  RecipeReport report;
  report.mismatches = 64;
  report.cause = Cause::bound;
  survey.tell(report, [](std::span<const std::int64_t> places) { return std::vector<double>(places.size(), 2.0); });
  return report;
}

}  // namespace

TEST_CASE("a survey lists the first wrong elements and draws where they are", "[verify]") {
  const RecipeReport report = told(0x4040, 0xFFFFFFFF);  // 3
  REQUIRE(report.first.size() == 8);
  CHECK(report.first[1] == Mismatch{127, "[1, 63]", 3, 2, 0.5});
  CHECK(report.pattern == "last column only");
  REQUIRE(report.picture.size() == 16);
  CHECK(report.picture[0] == "...............................+");
  CHECK(report.scale == "a character is 4 x 2 elements");
  CHECK(report.cause == Cause::bound);
  CHECK(report.culprit.empty());
}

TEST_CASE("a survey knows the poison that nobody wrote over", "[verify]") {
  for (const std::uint32_t poison : {0xFFFFFFFFU, 0x7B7B7B7BU}) {
    const RecipeReport report = told(poison & 0xFFFF, poison);
    CHECK(report.cause == Cause::unwritten);
    CHECK(report.culprit == "nobody wrote them: they hold what was there before the run");
  }
}

TEST_CASE("a survey explains exact recipes only", "[verify]") {
  CHECK(told(0x4080, 0xFFFFFFFF, true).culprit == "D[0, 63] and 11 more looked at hold twice what they should");
  CHECK(told(0x4080, 0xFFFFFFFF).culprit.empty());
}
