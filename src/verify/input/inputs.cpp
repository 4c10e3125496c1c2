#include "verify/input/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/format.h"
#include "common/recipe.h"

namespace kerlab::verify {
namespace {

constexpr double kLargestInteger = 1 << 29;
static_assert(kRecipeBases.size() == lab::kIndexCoded + 1 && kPlantKinds.size() == lab::kPlantEnds + 1 &&
              kIntegerPatterns.size() == lab::kSawtooth + 1 && kPartsPatterns.size() == lab::kPower + 1 &&
              static_cast<lab::u32>(IntegerOrder::rising) == lab::kRising);

lab::RecipeId base_of(const Recipe& recipe) {
  const std::string& base = recipe.base.empty() ? recipe.name : recipe.base;
  const auto found = std::find(kRecipeBases.begin(), kRecipeBases.end(), base);
  if (found == kRecipeBases.end() || base == "partition") {
    const std::string near = nearest(base, {kRecipeBases.begin(), kRecipeBases.end()});
    throw Error(fmt::format("recipe '{}' is not known{}; there are {}", base,
                            near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                            fmt::join(kRecipeBases, ", ")));
  }
  if (recipe.version != 1)
    throw Error(fmt::format("recipe '{}': this kerlab knows version 1, not {}", base, recipe.version));
  return static_cast<lab::RecipeId>(found - kRecipeBases.begin());
}

double default_parameter(lab::RecipeId base) {
  if (base == lab::kSmallInteger) return 4;
  if (base == lab::kOneHot) return 8;
  return base == lab::kConstant ? 1 : 0;
}

double integer_parameter(const Recipe& recipe, double magnitude) {
  if (magnitude >= 1 && magnitude <= kLargestInteger) return magnitude;
  throw Error(fmt::format("recipe '{}': parameter {} is not between 1 and {}: change it in family.toml", recipe.name,
                          magnitude, kLargestInteger));
}

lab::Plant planted(const Recipe& recipe, const Plant& plant) {
  const auto found = std::find(kPlantKinds.begin(), kPlantKinds.end(), plant.what);
  if (found == kPlantKinds.end())
    throw Error(fmt::format("recipe '{}': nothing is called '{}' that could be planted; there are {}", recipe.name,
                            plant.what, fmt::join(kPlantKinds, ", ")));
  if (plant.every < 1 || plant.phase < 0 || plant.phase >= plant.every)
    throw Error(
        fmt::format("recipe '{}': of every {} lines there is no number {}", recipe.name, plant.every, plant.phase));
  return {static_cast<lab::u32>(found - kPlantKinds.begin()),
          plant.along_columns ? 1u : 0u,
          plant.every,
          plant.phase,
          plant.count,
          plant.value};
}

void add_plants(lab::FillArguments& a, const Recipe& recipe, const Tensor& tensor) {
  for (const Plant& plant : recipe.plants) {
    if (plant.tensor != tensor.name) continue;
    if (a.plants == lab::kMostPlants)
      throw Error(
          fmt::format("recipe '{}' plants more than {} things into '{}'", recipe.name, lab::kMostPlants, tensor.name));
    a.plant[a.plants++] = planted(recipe, plant);
  }
}

/// How a recipe draws integers of a range: as it says itself, else as goes with its base.
lab::IntegerPattern pattern_of(const Recipe& recipe, lab::RecipeId base) {
  if (recipe.integers.empty()) {
    if (base == lab::kNormal || base == lab::kUniform) return lab::kDrawn;
    if (base == lab::kSmallInteger) return lab::kSkewed;
    if (base == lab::kConstant) return lab::kEqual;
    return base == lab::kOneHot ? lab::kEnds : lab::kRamp;
  }
  const auto found = std::find(kIntegerPatterns.begin(), kIntegerPatterns.end(), recipe.integers);
  if (found == kIntegerPatterns.end())
    throw Error(fmt::format("recipe '{}': integers are drawn {}, not '{}'", recipe.name,
                            fmt::join(kIntegerPatterns, ", "), recipe.integers));
  return static_cast<lab::IntegerPattern>(found - kIntegerPatterns.begin());
}

/// How a recipe parts things: as it says itself, else as goes with its base.
lab::PartsPattern parts_of(const Recipe& recipe, lab::RecipeId base) {
  if (recipe.parts.empty()) return base == lab::kNormal || base == lab::kUniform ? lab::kRouted : lab::kGaps;
  const auto found = std::ranges::find(kPartsPatterns, recipe.parts);
  if (found == kPartsPatterns.end())
    throw Error(
        fmt::format("recipe '{}': parts are {}, not '{}'", recipe.name, fmt::join(kPartsPatterns, ", "), recipe.parts));
  return static_cast<lab::PartsPattern>(found - kPartsPatterns.begin());
}

/// What is timed ignores none, so that its cost is known. One alone is the largest of both ends, and not ignored:
/// beyond 2^16 there may be room for no more, and a small one is met wherever there is little of anything.
void fill_integers(lab::FillArguments& a, const IntegerRange& range, lab::IntegerPattern pattern) {
  const bool largest = pattern == lab::kEnds && a.count == 1;
  a.recipe = lab::kIntegers;
  a.parameter0 = 0;
  a.pattern = largest ? lab::kEqual : pattern;
  a.least = range.least;
  a.range = range.end - range.least;
  a.order = static_cast<lab::u32>(range.order);
  static_assert(lab::kMostIgnored == IntegerRange::kMostIgnored);
  a.ignores = 0;
  if (pattern == lab::kDrawn || largest) return;
  for (const std::int64_t ignored : range.ignored)
    if (a.ignores < lab::kMostIgnored) a.ignored[a.ignores++] = ignored;
}

/// Of a tensor that must not be read: NaN, or what comes nearest to it.
void fill_unread(lab::FillArguments& a, const Tensor& tensor) {
  a.recipe = lab::kConstant;
  a.parameter0 =
      info(tensor.dtype).is_float ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string recipe_text(const Recipe& recipe) {
  std::string text = fmt::format("{} v{} seed {}", recipe.name, recipe.version, recipe.seed);
  if (!recipe.parameters.empty()) text += fmt::format(" ({})", fmt::join(recipe.parameters, ", "));
  return text;
}

lab::FillArguments fill_arguments(const Recipe& recipe, const Tensor& tensor, bool first_input, DevicePtr out) {
  const lab::RecipeId base = base_of(recipe);
  lab::FillArguments a{};
  a.out = out;
  a.count = tensor.elements();
  a.dtype = static_cast<lab::u32>(tensor.dtype);
  a.recipe = base;
  a.seed = recipe.seed;
  a.tensor = lab::tensor_number(tensor.name.data(), tensor.name.size());
  a.columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  a.rows = tensor.shape.size() < 2 ? 1 : tensor.shape[tensor.shape.size() - 2];
  a.parameter0 = recipe.parameters.empty() ? default_parameter(base) : recipe.parameters[0];
  if (tensor.partition) {
    a.recipe = lab::kPartition;
    a.parameter0 = static_cast<double>(*tensor.partition);
    a.pattern = parts_of(recipe, base);
    return a;
  }
  if (!tensor.range.empty()) {
    fill_integers(a, tensor.range, pattern_of(recipe, base));
    return a;
  }
  if (base == lab::kOneHot && !first_input) a.recipe = lab::kSmallInteger;
  if (base == lab::kSmallInteger || base == lab::kOneHot) a.parameter0 = integer_parameter(recipe, a.parameter0);
  if (tensor.unread)
    fill_unread(a, tensor);
  else
    add_plants(a, recipe, tensor);
  return a;
}

void add_rows(lab::FillArguments& a, const ProblemPlan& plan, const Tensor& tensor,
              const std::function<DevicePtr(const Tensor& offsets)>& at) {
  if (tensor.range.rows.empty()) return;
  const auto offsets = std::ranges::find(plan.tensors, tensor.range.rows, &Tensor::name);
  if (offsets == plan.tensors.end())
    throw Error(
        fmt::format("problem '{}' has no tensor '{}' that parts '{}'", plan.key, tensor.range.rows, tensor.name));
  a.parts = offsets->elements() - 1;
  a.offset_bytes = static_cast<lab::u32>(info(offsets->dtype).bytes);
  a.offsets = at(*offsets);
}

}  // namespace kerlab::verify
