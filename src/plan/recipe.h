#pragma once
// What inputs hold: a base distribution, and features planted over it. Values are a pure integer function of (seed,
// recipe, tensor, index): kernels/common/recipe.h.

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::plan {

/// Distributions that a recipe may start from, in the order of lab::RecipeId (partition is no recipe's).
inline constexpr std::array<std::string_view, 7> kRecipeBases = {"normal",   "uniform",   "small_integer", "one_hot",
                                                                 "constant", "partition", "index_coded"};

/// What may be planted, in the order of lab::PlantId.
inline constexpr std::array<std::string_view, 13> kPlantKinds = {"value",  "one",       "one_hot", "points", "ramp",
                                                                 "mirror", "mask",      "tail",    "scale",  "spread",
                                                                 "shift",  "subnormal", "ends"};

/// How a recipe may draw integers of a range, in the order of lab::IntegerPattern.
inline constexpr std::array<std::string_view, 9> kIntegerPatterns = {"uniform", "skewed", "ramp",     "sorted",  "ends",
                                                                     "equal",   "banded", "reversed", "sawtooth"};

/// How uneven a recipe may make the parts of a partition, in the order of lab::PartsPattern.
inline constexpr std::array<std::string_view, 4> kPartsPatterns = {"routed", "gaps", "even", "power"};

/// A feature planted into one input, over the base and over what was planted before it.
struct Plant {
  std::string what;  ///< of kPlantKinds
  std::string tensor;
  bool along_columns = false;  ///< its lines are columns of the last two dimensions, else rows
  std::int64_t every = 1;      ///< of every so many lines
  std::int64_t phase = 0;      ///< the one with this number
  std::int64_t count = 4;      ///< of points
  double value = 0;
  bool operator==(const Plant& other) const {  // NaN is itself
    return what == other.what && tensor == other.tensor && along_columns == other.along_columns &&
           every == other.every && phase == other.phase && count == other.count &&
           std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other.value);
  }
};

struct Recipe {
  std::string name = "normal";  ///< as reports call it
  int version = 1;
  std::uint64_t seed = 1;
  std::vector<double> parameters;  ///< the base's own (small_integer: largest magnitude)
  bool exact = false;              ///< the result must be bit-exact
  std::string base;                ///< of kRecipeBases; empty: what `name` says
  std::vector<Plant> plants;
  std::string integers = {};  ///< of kIntegerPatterns; empty: what goes with the base
  std::string parts = {};     ///< of kPartsPatterns; empty: what goes with the base
  int magnitude = 0;          ///< its numbers are 2^magnitude times normal's; a scale made for such grows as much
  bool operator==(const Recipe&) const = default;

  /// Part of every check; others are for thorough ones, and their data are made when they are asked for.
  [[nodiscard]] bool plain() const {
    return plants.empty() && (name == "normal" || name == "uniform" || name == "small_integer");
  }
};

}  // namespace kerlab::plan
