#pragma once
// The bound of kernels that declare `accuracy = "normwise"`: by the largest result and error scale of a row or matrix,
// not by those of each element (docs/tolerance.md, "Kernels that are right in another way").

#include <cstdint>
#include <span>
#include <vector>

#include "verify/problem_data.h"

namespace kerlab::verify {

/// Times what an element's own bound would be of the largest ones: one level of Strassen, whose products of sums have 6
/// times the variance of a plain sum, takes 0.4 of them at most, Winograd's four results of six products 0.8.
inline constexpr double kNormwiseFactor = 2;

/// So many elements behind one another have one norm: a matrix (the last two dimensions), or for rules by the
/// reference's scale alone a row.
std::int64_t elements_of_a_norm(const Tensor& output, const Tolerance& tolerance);

/// Replaces error scales by bounds: kNormwiseFactor (value_factor max |value| + scale_factor max scale) of the elements
/// listed that share a norm. Negative where one of these is not finite: there any of them may be NaN or infinite, if
/// the kernel declares that too.
void take_norms(std::span<const std::int64_t> elements, const Tensor& output, const Tolerance& tolerance,
                std::span<const double> value, std::span<double> scale);

/// The expected values of a recipe, with such bounds as their scales. Waits for the device.
std::vector<Expected> expected_by_norm(ProblemData& data, std::uint32_t recipe, Accuracy accuracy);

}  // namespace kerlab::verify
