// The recipes of a problem, from what its family declares.
#include "spec/recipes.h"

#include <algorithm>

namespace kerlab::spec {
namespace {

constexpr std::int64_t kSmallInteger = 4;

/// Sums of products of integers up to 4 are exact in fp32 below 2^24, whatever their order, as long as no scalar makes
/// fractions or larger numbers of them.
bool small_integers_are_exact(const Family& family, const Problem& problem) {
  const bool plain_scalars = std::all_of(family.scalars.begin(), family.scalars.end(), [&](const ScalarDecl& scalar) {
    return problem.environment.at(scalar.name + ".unit") != 0;
  });
  return plain_scalars && std::all_of(family.references.begin(), family.references.end(), [&](const auto& reference) {
           const std::string& rule = reference.tolerance.rule;
           if (rule != "dot" && rule != "sum") return rule == "exact" || rule == "bits";
           constexpr std::int64_t kLargestLength = (1 << 24) / (kSmallInteger * kSmallInteger);
           return reference.tolerance.length.evaluate(problem.environment) + 1 < kLargestLength;
         });
}

bool holds(const Expression& condition, const Problem& problem) {
  return condition.empty() || condition.evaluate(problem.environment) != 0;
}

/// One for each input that it is for; those without elements, of offsets or of integers of a range have none.
void add_plants(const PlantDecl& declared, const std::vector<Tensor>& tensors, std::vector<Plant>& plants) {
  for (const Tensor& tensor : tensors) {
    const bool named = declared.plant.tensor.empty() || declared.plant.tensor == tensor.name;
    if (!named || tensor.role == Role::output || !tensor.numeric() || tensor.elements() == 0) continue;
    plants.push_back(declared.plant);
    plants.back().tensor = tensor.name;
  }
}

Plant plant_of(const Tensor& tensor, const char* what, double value) {
  Plant made;
  made.what = what;
  made.tensor = tensor.name;
  made.value = value;
  return made;
}

/// Where integers of 32 bits go into some of 64: sums of them that 32 bits do not hold.
void add_large_integers(const std::vector<Tensor>& tensors, std::vector<Recipe>& recipes) {
  constexpr double kLarge = 1 << 30, kScale = 24;  // normal's integers are 2^4 times larger than its numbers
  const auto is_long = [](const Tensor& tensor) {
    return tensor.role != Role::input && (tensor.dtype == DType::int64 || tensor.dtype == DType::uint64);
  };
  if (std::ranges::none_of(tensors, is_long)) return;
  Recipe large{"large_integers", 1, 5, {}, false, "normal", {}};
  large.magnitude = 30;
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::output || !tensor.numeric() || tensor.elements() == 0) continue;
    if (tensor.dtype != DType::int32 && tensor.dtype != DType::uint32) continue;
    large.plants.push_back(plant_of(tensor, "scale", kScale));
    large.plants.push_back(plant_of(tensor, "mask", kLarge));
  }
  if (!large.plants.empty()) recipes.push_back(std::move(large));
}

/// What a thorough check of a family that names no recipes tries besides: rows of all sizes, numbers of one sign far
/// from 0 (a row's largest number must be taken off before an exponential; nothing may begin with 0 that can be less),
/// and integers that 16 bits do not hold.
std::vector<Recipe> harder_recipes(const std::vector<Tensor>& tensors) {
  constexpr double kFar = 100, kBeyond16Bits = 40000;
  constexpr int kExponents = 7;
  std::vector<Recipe> recipes = {{"sizes", 1, 2, {}, false, "normal", {}},
                                 {"positive", 1, 3, {}, false, "normal", {}},
                                 {"negative", 1, 4, {}, false, "normal", {}}};
  // An error's scale may have been made for normal's numbers: what is looked for here is no matter of rounding.
  for (Recipe& recipe : recipes) recipe.magnitude = kExponents;
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::output || !tensor.numeric() || tensor.elements() == 0) continue;
    recipes[0].plants.push_back(plant_of(tensor, "spread", kExponents));
    if (!info(tensor.dtype).is_float && info(tensor.dtype).bytes >= 4)
      recipes[0].plants.push_back(plant_of(tensor, "points", kBeyond16Bits));
    recipes[1].plants.push_back(plant_of(tensor, "shift", kFar));
    recipes[2].plants.push_back(plant_of(tensor, "shift", -kFar));
  }
  add_large_integers(tensors, recipes);
  return recipes;
}

/// Those of a family that names none.
std::vector<Recipe> default_recipes(const Family& family, const Problem& problem, const std::vector<Tensor>& tensors) {
  std::vector<Recipe> recipes = {{"normal", 1, 1, {}, false, "normal", {}},
                                 {"uniform", 1, 1, {}, false, "uniform", {}},
                                 {"small_integer",
                                  1,
                                  1,
                                  {static_cast<double>(kSmallInteger)},
                                  small_integers_are_exact(family, problem),
                                  "small_integer",
                                  {}}};
  if (family.accuracy.against_recordings) return recipes;  // of others nobody knows what is right
  for (Recipe& recipe : harder_recipes(tensors)) recipes.push_back(std::move(recipe));
  return recipes;
}

}  // namespace

std::vector<Recipe> recipes_of(const Family& family, const Problem& problem, const std::vector<Tensor>& tensors) {
  if (family.recipes.empty()) return default_recipes(family, problem, tensors);
  std::vector<Recipe> recipes;
  for (const RecipeDecl& declared : family.recipes) {
    if (!holds(declared.when, problem)) continue;
    Recipe recipe{declared.name, 1,  declared.seed,     declared.parameters, false,
                  declared.base, {}, declared.integers, declared.parts};
    recipe.exact = !declared.exact.empty() && holds(declared.exact, problem);
    if (recipe.parameters.empty() && recipe.base == "small_integer")
      recipe.parameters = {static_cast<double>(kSmallInteger)};
    for (const PlantDecl& plant : declared.plants)
      if (holds(plant.when, problem)) add_plants(plant, tensors, recipe.plants);
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

}  // namespace kerlab::spec
