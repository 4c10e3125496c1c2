#include "spec/recipe_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kerlab::spec {
namespace {

constexpr std::int64_t kMostPoints = 8;
constexpr double kMostShift = 1 << 20, kMostExponent = 200;

const std::vector<std::string>& plantable() {
  static const std::vector<std::string> names = {kPlantKinds.begin(), kPlantKinds.end()};
  return names;
}

const std::vector<std::string>& patterns() {
  static const std::vector<std::string> names = {kIntegerPatterns.begin(), kIntegerPatterns.end()};
  return names;
}

const std::vector<std::string>& parts_patterns() {
  static const std::vector<std::string> names = {kPartsPatterns.begin(), kPartsPatterns.end()};
  return names;
}

const std::vector<std::string>& bases() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {kRecipeBases.begin(), kRecipeBases.end()};
    std::erase(all, "partition");
    return all;
  }();
  return names;
}

bool takes_value(const std::string& what) {
  return what != "one_hot" && what != "subnormal" && what != "mirror" && what != "ends";
}

/// Largest magnitude that this kind of plant can do something with; infinity: any number or none.
double most_of(const std::string& what) {
  if (what == "scale" || what == "spread") return kMostExponent;
  return what == "shift" || what == "ramp" ? kMostShift : HUGE_VAL;
}

double read_value(const SpecTable& row, const std::string& what) {
  if (what == "mirror") {
    const double value = row.number("value", -1);
    if (std::fabs(value) != 1) row.fail("value", "-1 (so that the line sums to nearly 0) or 1");
    return value;
  }
  if (!takes_value(what)) {
    if (row.has("value")) row.fail("value", fmt::format("'{}' takes no value", what));
    return 0;
  }
  if (!row.has("value")) row.fail("value", fmt::format("key 'value' is missing: '{}' needs one", what));
  const double value = row.number("value"), most = most_of(what);
  if (most < HUGE_VAL && !(std::fabs(value) <= most)) row.fail("value", fmt::format("not between -{0} and {0}", most));
  if ((what == "scale" || what == "spread") && value != std::floor(value)) row.fail("value", "an exponent is whole");
  return value;
}

std::string read_tensor(const SpecTable& row, const std::vector<TensorDecl>& tensors) {
  if (!row.has("tensor")) return {};
  const std::string name = row.identifier("tensor");
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const TensorDecl& t) { return t.name == name; });
  if (found == tensors.end()) row.fail("tensor", fmt::format("the family has no tensor '{}'", name));
  if (found->role == Role::output) row.fail("tensor", fmt::format("'{}' is an output", name));
  if (!found->partition.empty()) row.fail("tensor", fmt::format("'{}' holds offsets", name));
  if (!found->range.empty())
    row.fail("tensor", fmt::format("'{}' holds integers of a range: integers = \"ends\" of the recipe decides", name));
  return name;
}

PlantDecl read_plant(const TomlValue& value, const Scope& scope, const std::vector<TensorDecl>& tensors) {
  const SpecTable row =
      SpecTable::named(value, "plant", {"what", "tensor", "along", "lines", "count", "value", "when"}, "what");
  PlantDecl declared;
  if (!row.has("what")) row.fail("what", fmt::format("key 'what' is missing: {}", fmt::join(plantable(), ", ")));
  Plant& plant = declared.plant;
  plant.what = plantable()[row.choice("what", plantable(), 0)];
  plant.tensor = read_tensor(row, tensors);
  plant.along_columns = row.choice("along", {"rows", "columns"}, 0) == 1;
  if (const std::vector<std::int64_t> lines = row.integers("lines"); !lines.empty()) {
    if (lines.size() != 2 || lines[1] < 1 || lines[0] < 0 || lines[0] >= lines[1])
      row.fail("lines", "[i, n]: of every n lines the one with number i, from 0");
    plant.phase = lines[0];
    plant.every = lines[1];
  }
  plant.count = row.integer("count", 4);
  if (plant.count < 1 || plant.count > kMostPoints) row.fail("count", fmt::format("1 to {}", kMostPoints));
  if (plant.what != "points" && row.has("count")) row.fail("count", "only points are counted");
  plant.value = read_value(row, plant.what);
  declared.when = row.expression_or_empty("when");
  scope.check(declared.when);
  declared.where = row.where("what");
  return declared;
}

/// A recipe that is called as a base is, is that base.
std::string read_base(const SpecTable& row, const std::string& name) {
  const bool is_base = std::find(bases().begin(), bases().end(), name) != bases().end();
  if (is_base && !row.has("base")) return name;
  if (!row.has("base"))
    row.fail("name", fmt::format("'{}' is none of {}{}; a recipe of another name has a base", name,
                                 fmt::join(bases(), ", "), suggestion(name, bases())));
  const std::string base = bases()[row.choice("base", bases(), 0)];
  if (is_base && base != name) row.fail("base", fmt::format("a recipe called '{}' starts from it", name));
  return base;
}

RecipeDecl read_recipe(const SpecTable& row, const Scope& scope, const std::vector<TensorDecl>& tensors) {
  RecipeDecl recipe;
  if (!row.has("name")) row.fail("name", "key 'name' is missing");
  recipe.name = row.identifier("name");
  recipe.base = read_base(row, recipe.name);
  const std::int64_t seed = row.integer("seed", 1);
  if (seed < 0) row.fail("seed", "negative");
  recipe.seed = static_cast<std::uint64_t>(seed);
  recipe.parameters = row.numbers("parameters");
  if (recipe.parameters.size() > 2) row.fail("parameters", "at most 2");
  recipe.exact = row.expression_or_empty("exact");
  recipe.when = row.expression_or_empty("when");
  scope.check(recipe.exact);
  scope.check(recipe.when);
  recipe.integers = row.has("integers") ? patterns()[row.choice("integers", patterns(), 0)] : "";
  recipe.parts = row.has("parts") ? parts_patterns()[row.choice("parts", parts_patterns(), 0)] : "";
  for (const TomlValue& plant : row.tables("plant")) recipe.plants.push_back(read_plant(plant, scope, tensors));
  recipe.where = row.where("name");
  return recipe;
}

/// Of the recipes up to the first that every problem has: each is the first of some problem, which is timed with it.
void require_timed(const SpecTable& row, const RecipeDecl& recipe) {
  // Zeros and small integers make tensor cores faster than they are, and so do infinities.
  if ((recipe.name != "normal" && recipe.name != "uniform") || !recipe.plants.empty())
    row.fail("name", "the first recipe is the one that is timed: normal or uniform");
  if (!recipe.integers.empty() && recipe.integers != "uniform" && recipe.integers != "banded")
    row.fail("integers", "the first recipe is the one that is timed: uniform or banded");
  if (recipe.parts == "gaps") row.fail("parts", "the first recipe is the one that is timed: routed, even or power");
}

}  // namespace

std::vector<RecipeDecl> read_recipes(const SpecTable& family, const Scope& scope,
                                     const std::vector<TensorDecl>& tensors) {
  std::vector<RecipeDecl> recipes;
  bool always = false;  // one that every problem has was read
  for (const TomlValue& value : family.tables("recipe")) {
    const SpecTable row = SpecTable::named(
        value, "recipe", {"name", "doc", "base", "seed", "parameters", "exact", "when", "plant", "integers", "parts"});
    recipes.push_back(read_recipe(row, scope, tensors));
    const RecipeDecl& recipe = recipes.back();
    if (!always) require_timed(row, recipe);
    always = always || recipe.when.empty();
    const auto is_it = [&](const RecipeDecl& other) { return other.name == recipe.name && other.seed == recipe.seed; };
    if (std::count_if(recipes.begin(), recipes.end(), is_it) > 1)
      row.fail("name", fmt::format("a second recipe '{}' with seed {}", recipe.name, recipe.seed));
  }
  if (!recipes.empty() && !always)
    family.fail("recipe", "each has a 'when': one that may be timed has none, for the problems that they leave");
  return recipes;
}

}  // namespace kerlab::spec
