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
           if (rule != "dot" && rule != "sum") return rule == "exact";
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

}  // namespace

std::vector<Recipe> recipes_of(const Family& family, const Problem& problem, const std::vector<Tensor>& tensors) {
  if (family.recipes.empty())
    return {{"normal", 1, 1, {}, false, "normal", {}},
            {"uniform", 1, 1, {}, false, "uniform", {}},
            {"small_integer",
             1,
             1,
             {static_cast<double>(kSmallInteger)},
             small_integers_are_exact(family, problem),
             "small_integer",
             {}}};
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
