// Which recipes a problem is checked with.

#include "catch.h"
#include "session/run/elsewhere.h"
#include "session/run/single.h"

using namespace kerlab;

TEST_CASE("recipes: those that are added to a family without any are left out of large problems", "[check]") {
  ProblemPlan plan;
  plan.tensors.resize(2);
  plan.tensors[0].shape = {1000};
  plan.tensors[1].role = Role::output;
  plan.tensors[1].shape = {1 << 30};
  plan.recipes.resize(3);
  plan.recipes[1].magnitude = 7;
  CHECK(session::all_recipes(plan) == std::vector<std::uint32_t>{0, 1, 2});
  plan.tensors[0].shape = {1 << 13, 1 << 12};
  CHECK(session::all_recipes(plan) == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("recipes: a problem meets those that its thoroughness says", "[check]") {
  using session::Thoroughness;
  ProblemPlan plan;
  for (const char* name : {"normal", "uniform", "small_integer", "equal", "halves", "not_numbers"}) {
    plan.recipes.emplace_back();
    plan.recipes.back().name = name;
  }
  plan.recipes[2].exact = plan.recipes[4].exact = true;
  plan.recipes[5].plants.emplace_back();
  using Chosen = std::vector<std::uint32_t>;
  CHECK(session::recipes_of(plan, Thoroughness::one_recipe) == Chosen{0});
  CHECK(session::recipes_of(plan, Thoroughness::drawn) == Chosen{0, 2});
  CHECK(session::recipes_of(plan, Thoroughness::quick) == Chosen{0, 2, 3});
  CHECK(session::recipes_of(plan, Thoroughness::telling) == Chosen{0, 1, 2, 4});
  CHECK(session::recipes_of(plan, Thoroughness::usual) == Chosen{0, 1, 2, 3, 4, 5});
  CHECK(session::recipes_of(plan, Thoroughness::thorough) == Chosen{0, 1, 2, 3, 4, 5});
}
