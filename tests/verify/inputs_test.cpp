#include "verify/input/inputs.h"

#include "base/error.h"
#include "catch.h"
#include "common/recipe.h"

using namespace kerlab;

namespace {
const Tensor kMatrix{"B", DType::bf16, Role::input, {8, 24}};
}

TEST_CASE("recipe becomes the arguments of lab_fill", "[verify]") {
  Recipe recipe;
  recipe.name = "small_integer";
  recipe.seed = 9;
  const lab::FillArguments a = fill_arguments(recipe, kMatrix, true, 4096);
  CHECK(a.out == 4096);
  CHECK(a.count == 192);
  CHECK(a.dtype == lab::kBf16);
  CHECK(a.recipe == lab::kSmallInteger);
  CHECK(a.seed == 9);
  CHECK(a.tensor == lab::tensor_number("B", 1));
  CHECK(a.columns == 24);
  CHECK(a.parameter0 == 4);
  recipe.parameters = {7};
  CHECK(fill_arguments(recipe, kMatrix, true, 0).parameter0 == 7);
  CHECK(recipe_text(recipe) == "small_integer v1 seed 9 (7)");
}

TEST_CASE("one_hot selects elements of the other inputs", "[verify]") {
  Recipe recipe;
  recipe.name = "one_hot";
  CHECK(fill_arguments(recipe, kMatrix, true, 0).recipe == lab::kOneHot);
  CHECK(fill_arguments(recipe, kMatrix, false, 0).recipe == lab::kSmallInteger);
  CHECK(fill_arguments(recipe, kMatrix, false, 0).parameter0 == 8);
}

TEST_CASE("a tensor of offsets holds a partition under every recipe", "[verify]") {
  const Tensor offsets{"offsets", DType::int32, Role::input, {9}, 4096};
  for (const char* name : {"normal", "uniform", "small_integer", "one_hot", "constant"}) {
    CAPTURE(name);
    Recipe recipe;
    recipe.name = name;
    const lab::FillArguments a = fill_arguments(recipe, offsets, true, 0);
    CHECK(a.recipe == lab::kPartition);
    CHECK(a.count == 9);
    CHECK(a.parameter0 == 4096);
    CHECK(a.pattern == (recipe.name == "normal" || recipe.name == "uniform" ? lab::kRouted : lab::kGaps));
    recipe.parts = "power";
    CHECK(fill_arguments(recipe, offsets, true, 0).pattern == lab::kPower);
    recipe.parts = "pwer";
    CHECK_THROWS_WITH(fill_arguments(recipe, offsets, true, 0),
                      Catch::Contains("routed, gaps, even, power, not 'pwer'"));
  }
}

TEST_CASE("integers of a range are drawn as goes with the base, or as the recipe says", "[verify]") {
  Tensor labels{"labels", DType::int32, Role::input, {9}};
  labels.range = {2, 7, {-1}};
  const auto fill = [&](const char* base, const char* integers) {
    Recipe recipe;
    recipe.name = base;
    recipe.integers = integers;
    recipe.plants = {{"value", "labels", false, 1, 0, 4, 1}};
    return fill_arguments(recipe, labels, true, 0);
  };
  const std::vector<std::pair<const char*, lab::IntegerPattern>> patterns = {
      {"normal", lab::kDrawn}, {"uniform", lab::kDrawn},  {"small_integer", lab::kSkewed},
      {"one_hot", lab::kEnds}, {"constant", lab::kEqual}, {"index_coded", lab::kRamp}};
  for (const auto& [base, pattern] : patterns) {
    CAPTURE(base);
    const lab::FillArguments a = fill(base, "");
    CHECK(a.recipe == lab::kIntegers);
    CHECK(a.pattern == pattern);
    CHECK(a.least == 2);
    CHECK(a.range == 5);
    CHECK(a.plants == 0);
    CHECK(a.ignores == (pattern == lab::kDrawn ? 0 : 1));
    CHECK(a.ignored[0] == (pattern == lab::kDrawn ? 0 : -1));
  }
  labels.shape = {1};  // in a row of 65,544 classes, say: were it the first, or ignored, nothing would show
  CHECK((fill("normal", "ends").pattern == lab::kEqual && fill("normal", "ends").ignores == 0));
  labels.shape = {9};
  CHECK(fill("normal", "sorted").pattern == lab::kSorted);
  CHECK(fill("normal", "sorted").ignores == 1);
  CHECK(fill("one_hot", "uniform").pattern == lab::kDrawn);
  CHECK_THROWS_WITH(
      fill("normal", "sored"),
      Catch::Contains("uniform, skewed, ramp, sorted, ends, equal, banded, reversed, sawtooth, not 'sored'"));
}

TEST_CASE("unknown recipes, versions and magnitudes are refused", "[verify]") {
  Recipe recipe;
  recipe.name = "nomral";
  CHECK_THROWS_WITH(fill_arguments(recipe, kMatrix, true, 0), Catch::Contains("did you mean 'normal'"));
  recipe = {};
  recipe.version = 2;
  CHECK_THROWS_WITH(fill_arguments(recipe, kMatrix, true, 0), Catch::Contains("knows version 1, not 2"));
  recipe = {};
  recipe.name = "small_integer";
  recipe.parameters = {0};
  CHECK_THROWS_AS(fill_arguments(recipe, kMatrix, true, 0), Error);
}

TEST_CASE("what is planted goes into its own tensor", "[verify]") {
  Recipe recipe;
  recipe.name = "mine";
  recipe.base = "uniform";
  recipe.plants = {{"ramp", "B", true, 4, 1, 4, 12.5}, {"value", "C", false, 1, 0, 4, 1}};
  const lab::FillArguments a = fill_arguments(recipe, kMatrix, true, 0);
  CHECK(a.recipe == lab::kUniform);
  CHECK(a.rows == 8);
  REQUIRE(a.plants == 1);
  CHECK(a.plant[0].what == lab::kPlantRamp);
  CHECK(a.plant[0].along_columns == 1);
  CHECK(a.plant[0].every == 4);
  CHECK(a.plant[0].phase == 1);
  CHECK(a.plant[0].value == 12.5);
  recipe.plants[0].what = "rump";
  CHECK_THROWS_WITH(fill_arguments(recipe, kMatrix, true, 0), Catch::Contains("'rump'"));
  recipe.plants.assign(lab::kMostPlants + 1, {"subnormal", "B"});
  CHECK_THROWS_WITH(fill_arguments(recipe, kMatrix, true, 0), Catch::Contains("more than 12"));
}

TEST_CASE("a tensor that must not be read holds NaN under every recipe", "[verify]") {
  Tensor unread = kMatrix;
  unread.unread = true;
  for (const char* name : {"normal", "small_integer", "index_coded"}) {
    Recipe recipe;
    recipe.name = name;
    recipe.plants = {{"value", "B", false, 1, 0, 4, 1}};
    const lab::FillArguments a = fill_arguments(recipe, unread, false, 0);
    CHECK(a.plants == 0);
    const lab::Format f = lab::format_of(lab::kBf16);
    const lab::u64 bits = lab::element_bits(f, a, lab::stream_key(a.seed, a.tensor), lab::encode(f, a.parameter0), 3);
    CHECK(lab::is_nan(lab::decode(f, bits)));
  }
  unread.dtype = DType::int8;
  CHECK(lab::encode(lab::format_of(lab::kInt8), fill_arguments({}, unread, false, 0).parameter0) == 127);
}
