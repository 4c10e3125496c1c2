// Wrong products that say what they hold.
#include "verify/culprit.h"

#include <fmt/format.h>

#include <numeric>

#include "catch.h"
#include "common/number.h"
#include "verify/input/input_value.h"
#include "verify/product_terms.h"

using namespace kerlab;

namespace {

constexpr std::int64_t kM = 24, kN = 40, kK = 96;

/// D = A B, fp32 of bf16.
struct Product {
  ProblemPlan plan;
  Recipe recipe;

  explicit Product(const std::string& recipe_name, bool transpose_b = false) {
    recipe = {recipe_name, 1, 1, {4}, true, "", {}};
    const std::vector<std::int64_t> b = transpose_b ? std::vector{kN, kK} : std::vector{kK, kN};
    plan.key = "gemm";
    plan.tensors = {{"A", DType::bf16, Role::input, {kM, kK}},
                    {"B", DType::bf16, Role::input, b},
                    {"D", DType::fp32, Role::output, {kM, kN}}};
    plan.recipes = {recipe};
    GemmCall call;
    call.m = kM, call.n = kN, call.k = kK;
    call.transpose_b = transpose_b;
    call.a = "A", call.b = "B", call.c = "C", call.d = "D";
    plan.library_gemm = {call};
  }
  [[nodiscard]] const GemmCall& call() const { return plan.library_gemm.front(); }
  [[nodiscard]] std::vector<double> terms(std::int64_t element) const {
    return product_terms(plan, recipe, call(), element);
  }
  [[nodiscard]] double sum(std::int64_t element, std::int64_t begin = 0, std::int64_t end = kK) const {
    const std::vector<double> all = terms(element);
    return std::accumulate(all.begin() + begin, all.begin() + end, 0.0);
  }
  /// What is said where the elements hold `got(element)`.
  template <typename Got>
  [[nodiscard]] std::string culprit(const std::vector<std::int64_t>& elements, const Got& got) const {
    std::vector<WrongElement> wrong;
    for (const std::int64_t element : elements)
      wrong.push_back({element, lab::encode(lab::format_of(lab::kFp32), got(element)), sum(element)});
    return find_culprit(plan, recipe, plan.tensors[2], wrong, [&](std::span<const std::int64_t> places) {
      std::vector<double> values;
      for (const std::int64_t place : places) values.push_back(sum(place));
      return values;
    });
  }
};

const std::vector<std::int64_t> kTile = {205, 206, 207, 208, 245, 246, 247, 248, 285, 286, 287, 288, 325, 326, 327};

}  // namespace

TEST_CASE("a dropped or doubled part of a sum is named", "[verify]") {
  for (const bool transpose_b : {false, true}) {
    const Product p("small_integer", transpose_b);
    CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e) - p.sum(e, 64, 96); }),
               Catch::Contains("D[5, 5] and 11 more looked at hold the product without k = 64..95"));
    CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e) + p.sum(e, 16, 32); }),
               Catch::EndsWith("hold the product with k = 16..31 twice"));
    CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e) - p.sum(e, 93, 96); }),
               Catch::EndsWith("hold the product without k = 93..95"));
    CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e) - p.sum(e, 95, 96); }),
               Catch::EndsWith("hold the product without k = 95"));
    CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e) - p.sum(e, 32, 64) + p.sum(e, 0, 32); }),
               Catch::EndsWith("hold the product with k = 0..31 in place of k = 32..63"));
  }
}

TEST_CASE("what belongs somewhere else is named", "[verify]") {
  const Product p("small_integer");
  CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e + 8); }),
             Catch::EndsWith("hold what belongs 8 columns to the right"));
  CHECK_THAT(p.culprit(kTile, [&](auto e) { return p.sum(e - 2 * kN + 1); }),
             Catch::EndsWith("hold what belongs 2 rows above and 1 column to the right"));
  CHECK_THAT(p.culprit(kTile, [&](auto e) { return 2 * p.sum(e); }), Catch::EndsWith("hold twice what they should"));
  CHECK_THAT(p.culprit(kTile, [&](auto) { return 0; }), Catch::EndsWith("hold 0 instead of anything"));
}

TEST_CASE("a one-hot operand names the element that was read instead", "[verify]") {
  for (const bool transpose_b : {false, true}) {
    const Product p("one_hot", transpose_b);
    const InputValues b(p.plan, p.recipe, "B");
    const auto at = [&](std::int64_t k, std::int64_t n) { return b.at(transpose_b ? n * kK + k : k * kN + n); };
    const auto hot = [&](std::int64_t element) {
      const std::vector<std::int64_t> one(1, element);
      const InputValues a(p.plan, p.recipe, "A");
      for (std::int64_t k = 0; k < kK; ++k)
        if (a.at(element / kN * kK + k) != 0) return k;
      return kK;
    };
    // Whole rows, so that there are numbers enough to tell a place by.
    std::vector<std::int64_t> elements;
    for (std::int64_t n = 0; n + 1 < kN; ++n) elements.push_back(5 * kN + n);
    const std::int64_t k = hot(5 * kN);
    REQUIRE(k < kK - 1);
    const std::string text = p.culprit(elements, [&](auto e) { return at(k + 1, e % kN + 1); });
    CHECK_THAT(text,
               Catch::Contains(fmt::format("hold element {} of B, not {}",
                                           transpose_b ? fmt::format("[1, {}]", k + 1) : fmt::format("[{}, 1]", k + 1),
                                           transpose_b ? fmt::format("[0, {}]", k) : fmt::format("[{}, 0]", k))));
  }
}

TEST_CASE("what fits no simple explanation is not explained", "[verify]") {
  const Product p("small_integer");
  CHECK(p.culprit(kTile, [&](auto e) { return p.sum(e) + static_cast<double>(e * e % 7) + 1; }).empty());
  CHECK(p.culprit({}, [&](auto) { return 0; }).empty());
  // One number is soon explained: several values are asked for.
  CHECK(p.culprit({205}, [&](auto e) { return p.sum(e) - p.sum(e, 64, 96); }).empty());
}

TEST_CASE("inputs on the host: the elements that lab_fill writes", "[verify]") {
  const Product p("small_integer");
  const InputValues a(p.plan, p.recipe, "A");
  for (std::int64_t i = 0; i < kM * kK; ++i) {
    REQUIRE(std::abs(a.at(i)) <= 4);
    REQUIRE(a.at(i) == std::floor(a.at(i)));
  }
  CHECK_THROWS(InputValues(p.plan, p.recipe, "E"));
}
