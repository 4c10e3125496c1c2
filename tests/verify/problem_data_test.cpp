#include "verify/problem_data.h"

#include <set>

#include "catch.h"
#include "device/scripted.h"
#include "worker/example_problem.h"

using namespace kerlab;

namespace {

struct Fixture {
  explicit Fixture(ProblemPlan plan)
      : lab(*device, std::vector<std::byte>{std::byte{1}}), data(lab, std::move(plan), std::vector<std::byte>{}) {}
  test::Scripted device{"[default]\nus = 100.0\n"};
  Lab lab;
  ProblemData data;
};

ProblemPlan many_recipes() {
  ProblemPlan plan = test::example_problem();
  for (const std::uint64_t seed : {3, 4, 5, 6, 7, 8, 9, 10}) {
    Recipe recipe;
    recipe.name = "mine";
    recipe.base = "normal";
    recipe.seed = seed;
    plan.recipes.push_back(recipe);
  }
  return plan;
}

}  // namespace

TEST_CASE("data that are not timed lie at the least alignment or at that of an allocation, and each recipe meets both",
          "[verify]") {
  std::set<std::uint64_t> of_last;  // of which there are most: all that have no set of their own
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    ProblemPlan plan = many_recipes();
    plan.key = key;
    Fixture fixture(plan);
    const auto alignment = [&](int set) {
      std::uint64_t bits = 0;
      for (std::size_t t = 0; t < 3; ++t) bits |= fixture.data.buffer(set, t).pointer();
      return bits & (~bits + 1);
    };
    for (int set = 0; set < fixture.data.rotation_sets(); ++set) CHECK(alignment(set) >= 256);
    std::set<bool> least;
    for (std::uint32_t recipe = 1; recipe < 10; ++recipe) {
      CAPTURE(key, recipe);
      const std::uint64_t own = alignment(fixture.data.set_with(recipe));
      CHECK((own == 16 || own >= 256));
      least.insert(own == 16);
      if (recipe == 9) of_last.insert(std::min<std::uint64_t>(own, 256));
    }
    CHECK(least.size() == 2);
    CHECK(alignment(fixture.data.set_with(9, 128)) >= 256);  // a kernel that asks for more
  }
  CHECK(of_last == std::set<std::uint64_t>{16, 256});
}

TEST_CASE("many recipes share a few sets; the timed one keeps its own", "[verify]") {
  Fixture fixture(many_recipes());
  fixture.data.prepare_timing();
  std::set<int> sets;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t recipe = 1; recipe < 10; ++recipe) sets.insert(fixture.data.set_with(recipe));
  CHECK(sets.size() == 3);
  CHECK(*sets.begin() == fixture.data.rotation_sets());
  CHECK(fixture.data.set_with(0) == 0);
}

TEST_CASE("changed inputs are drawn as often as they are asked for, each time a recipe of its own", "[verify]") {
  Fixture fixture(test::example_problem());
  using Fresh = ProblemData::Fresh;
  const std::uint32_t first = fixture.data.fresh_recipe(Fresh::changed),
                      fresh = fixture.data.fresh_recipe(Fresh::check);
  CHECK(fixture.data.fresh_recipe(Fresh::changed) == first);
  fixture.data.draw_other_changes();
  const std::uint32_t second = fixture.data.fresh_recipe(Fresh::changed);
  CHECK(second != first);
  CHECK(fixture.data.fresh_recipe(Fresh::changed) == second);
  CHECK(fixture.data.fresh_recipe(Fresh::check) == fresh);
  CHECK(fixture.data.plan().recipes.at(second).name == fixture.data.plan().recipes.at(first).name);
}

TEST_CASE("a buffer that begins beyond its allocation's alignment has whole guards", "[verify]") {
  test::Scripted device("[default]\nus = 100.0\n");
  const GuardedBuffer straight(*device, 100), shifted(*device, 100, 16);
  CHECK(straight.pointer() % 256 == 0);
  CHECK(shifted.pointer() % 256 == 16);
  CHECK(shifted.words() == 25);
  shifted.restore_guards(*device);  // throws when it does not lie in its allocation
}
