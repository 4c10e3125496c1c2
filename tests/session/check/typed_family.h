#pragma once
// A family of one input and one output of any type, on the emulated device: a right kernel, and twins that are wrong in
// what the type is about.

#include <string>
#include <string_view>

#include "session/session_fixture.h"
#include "trial/trial.h"

namespace kerlab::testing {

/// Y = f(X), element by element.
struct TypedFamily {
  std::string_view input, output;  ///< dtypes
  std::string_view tolerance;      ///< of Y: { rule = ... }
  std::string recipes = {};        ///< more of them: planted(...)
  std::string_view reference;      ///< of element `i`: puts it into value[j] and scale[j]
  std::string_view kernel;         ///< of element or byte `i` < `n`, of what BUG says
  int per_thread = 1;              ///< elements that `i` stands for
  int bugs = 1;
  std::string_view input_type = {}, output_type = {};  ///< in CUDA; default: DTYPE, and the input's
};

/// A recipe of that name: normal inputs with a plant.
std::string planted(std::string_view name, std::string_view what, std::string_view value = {});

/// Statuses of BUG = 0 .. bugs after a check. `detail`: what the first wrong one was told.
std::map<std::string, TrialStatus> check_typed(const TypedFamily& family, std::string* detail = nullptr);

/// The right kernel passes, and no other.
void judge_typed(const TypedFamily& family, std::string* detail = nullptr);

}  // namespace kerlab::testing
