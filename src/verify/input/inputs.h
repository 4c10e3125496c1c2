#pragma once
// Recipes of a problem, turned into what lab_fill wants.

#include <functional>
#include <string>

#include "common/lab_abi.h"
#include "device/device.h"
#include "plan/problem_plan.h"

namespace kerlab::verify {

/// "normal v1 seed 1", "small_integer v1 seed 1 (4)": part of a measurement's identity.
std::string recipe_text(const Recipe& recipe);

/// Fills `tensor` at `out`. Parameters that a recipe lacks take their defaults: small_integer 4, one_hot 8, constant 1.
/// one_hot makes the first input one-hot and the others small integers, so that an output of a dot product is one
/// element of the other operand and tells which. A tensor of offsets holds a partition whatever the recipe: under
/// normal and uniform one of weights like those of a random routing, else one with empty parts and parts of one thing.
/// Integers of a range are drawn as the recipe says, or as goes with its base (kernels/FORMAT.md, "Recipes").
/// A tensor that must not be read holds NaN. Throws Error for a recipe, version or plant that is not known.
lab::FillArguments fill_arguments(const Recipe& recipe, const Tensor& tensor, bool first_input, DevicePtr out);

/// Rows of integers that a tensor of offsets parts: `at` is where it lies, filled before. Nothing for other tensors.
/// Throws Error when the problem has no such tensor.
void add_rows(lab::FillArguments& a, const ProblemPlan& plan, const Tensor& tensor,
              const std::function<DevicePtr(const Tensor& offsets)>& at);

}  // namespace kerlab::verify
