#pragma once
// How right a kernel says it is: what is less than every element's own bound must be declared.

#include <optional>
#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::plan {

/// The default is the strictest. See docs/tolerance.md, "Kernels that are right in another way".
struct Accuracy {
  bool normwise = false;    ///< errors are bound by the largest of a row or matrix, not by each element
  bool may_be_nan = false;  ///< NaN where a plain computation gives infinity
  /// What its results should be is what another kernel gives ([[reference_launch]]), and not a reference in ACC. Of all
  /// variants of a family or of none: it decides nothing between them.
  bool against_kernel = false;
  /// What its results should be was computed elsewhere and recorded, for some problems and recipes ([[reference]]
  /// recorded). Of all variants of a family or of none, as well.
  bool against_recordings = false;
  /// Of its promises none is missing in `other`: whoever may be as inexact as that may be this.
  [[nodiscard]] bool within(Accuracy other) const {
    return (!normwise || other.normwise) && (!may_be_nan || other.may_be_nan);
  }
  [[nodiscard]] bool weaker() const { return normwise || may_be_nan || against_kernel || against_recordings; }
  bool operator==(const Accuracy&) const = default;
};

/// What `accuracy` and `specials` of a .toml may say, the strictest first.
inline constexpr std::string_view kAccuracyWords[] = {"elementwise", "normwise"};
inline constexpr std::string_view kSpecialsWords[] = {"as computed", "may be NaN"};

/// "normwise", "specials may be NaN", "normwise, specials may be NaN"; empty for the
/// strictest. "against another kernel" and "against recordings" come last.
std::string accuracy_text(Accuracy accuracy);
/// Of what accuracy_text gave; none: of something else.
std::optional<Accuracy> parse_accuracy(std::string_view text);

}  // namespace kerlab::plan
