#pragma once
// Which constraint would have excluded the configurations that failed alike: the simplest predicate on the parameters
// that is true of failures and of nothing that passed, if chance does not explain it as well.

#include <cstdint>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::search {

/// Configurations of one variant, values in the order of `parameters`.
struct ExclusionData {
  std::vector<std::string> parameters;
  std::vector<std::vector<std::int64_t>> failed;   ///< alike: one status, one cause
  std::vector<std::vector<std::int64_t>> healthy;  ///< passed
};

/// A constraint to add to the variant.
struct Exclusion {
  std::string condition;     ///< what stays allowed, in the syntax of specs: "BM * STAGES <= 512"
  std::size_t excluded = 0;  ///< of the failures; of the healthy none
  double chance = 0;         ///< that any predicate tried would do as well if failures fell at random; at most
};

inline constexpr std::size_t kFewestAlike = 3;
inline constexpr double kMostChance = 1e-3;

/// Constraints that exclude failures (at least kFewestAlike each) and nothing healthy, the first without regard to the
/// others, each next for the failures that are left; at most four. None: no pattern.
///
/// Tried, in classes: comparisons of a parameter with a value (== != <= >=, and divisibility by powers of two);
/// products and sums of two parameters against a bound; conjunctions of two comparisons; p * q * r and (p + q) * r
/// against a bound; conjunctions of three; p * q / (r * s) and (p + q) * r * s. A predicate that picks `s` of `F`
/// failures and none of `H` healthy ones does so by accident with probability C(F, s) / C(F + H, s) (hypergeometric);
/// this times the predicates in its class times the classes bounds the chance that something as good was found by
/// accident. The predicate least likely to be an accident is taken, which weighs coverage against simplicity; and only
/// when its chance is at most kMostChance. A bound costs nothing: with the healthy ones excluded from the choice, it
/// follows from them.
std::vector<Exclusion> find_exclusions(const ExclusionData& data);

}  // namespace kerlab::search
