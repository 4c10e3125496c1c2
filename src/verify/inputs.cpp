#include "verify/inputs.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/format.h"
#include "common/recipe.h"

namespace kerlab {
namespace {

struct KnownRecipe {
  const char* name;
  lab::RecipeId id;
  double parameter;  ///< default of the first
};
constexpr KnownRecipe kKnown[] = {{"normal", lab::kNormal, 0},
                                  {"uniform", lab::kUniform, 0},
                                  {"small_integer", lab::kSmallInteger, 4},
                                  {"one_hot", lab::kOneHot, 8},
                                  {"constant", lab::kConstant, 1}};
constexpr double kLargestInteger = 1 << 29;

const KnownRecipe& known(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const KnownRecipe& row : kKnown) {
    if (recipe.name == row.name) {
      if (recipe.version == 1) return row;
      throw Error(fmt::format("recipe '{}': this kerlab knows version 1, not {}", recipe.name, recipe.version));
    }
    names.emplace_back(row.name);
  }
  const std::string near = nearest(recipe.name, names);
  throw Error(fmt::format("recipe '{}' is not known{}; there are {}", recipe.name,
                          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(names, ", ")));
}

double integer_parameter(const Recipe& recipe, double magnitude) {
  if (magnitude >= 1 && magnitude <= kLargestInteger) return magnitude;
  throw Error(fmt::format("recipe '{}': parameter {} is not between 1 and {}: change it in family.toml", recipe.name,
                          magnitude, kLargestInteger));
}

}  // namespace

std::string recipe_text(const Recipe& recipe) {
  std::string text = fmt::format("{} v{} seed {}", recipe.name, recipe.version, recipe.seed);
  if (!recipe.parameters.empty()) text += fmt::format(" ({})", fmt::join(recipe.parameters, ", "));
  return text;
}

lab::FillArguments fill_arguments(const Recipe& recipe, const Tensor& tensor, bool first_input, DevicePtr out) {
  const KnownRecipe& row = known(recipe);
  lab::FillArguments a{};
  a.out = out;
  a.count = tensor.elements();
  a.dtype = static_cast<lab::u32>(tensor.dtype);
  a.recipe = row.id;
  a.seed = recipe.seed;
  a.tensor = lab::tensor_number(tensor.name.data(), tensor.name.size());
  a.columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  a.parameter0 = recipe.parameters.empty() ? row.parameter : recipe.parameters[0];
  if (tensor.partition >= 0) {
    a.recipe = lab::kPartition;
    a.parameter0 = static_cast<double>(tensor.partition);
    a.parameter1 = row.id == lab::kNormal || row.id == lab::kUniform ? 0 : 1;
    return a;
  }
  if (row.id == lab::kOneHot && !first_input) a.recipe = lab::kSmallInteger;
  if (row.id == lab::kSmallInteger || row.id == lab::kOneHot) a.parameter0 = integer_parameter(recipe, a.parameter0);
  return a;
}

}  // namespace kerlab
