// Which recipes a problem is checked with.

#include "catch.h"
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
