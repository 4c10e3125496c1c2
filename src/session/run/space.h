#pragma once
// All valid configurations of all variants that take part, as one list for the search.

#include <deque>

#include "plan/accuracy_option.h"
#include "search/search_space.h"
#include "session/run/candidate.h"

namespace kerlab::session {

/// More valid configurations of a variant are sampled: nobody tries them all. The steps are those of all variants.
inline constexpr SpaceLimits kSearchLimits{500'000, 100'000, 1};

/// A variant with its valid configurations for the problem.
struct VariantSpace {
  VariantSource source;
  Space space;
  bool is_swept = true;  ///< false: a rung that only `ladder` asks for; its space is some of its configurations
};

/// A variant that takes no part, with the reason: in full, and as one line of several can say it.
struct LeftOut {
  std::string variant, reason, brief;
};

/// Which variants take part.
struct VariantChoice {
  std::vector<std::string> names;  ///< --variant; empty: those marked `tune = true`; "all": every one
  bool ladder = false;             ///< every rung takes part, each at its default configuration and some others
  bool all = false;                ///< emulated devices: the whole space, not its quick part
  Accuracy accuracy;               ///< --accuracy: classes weaker than this may not win against a stricter one
};

class CandidateSpace {
 public:
  /// Throws UsageError for an unknown variant (nearest named), Error (exit code 4) when no chosen variant supports the
  /// problem on this device (with each one's reason), SpecError when constraints leave nothing.
  CandidateSpace(const KernelFolder& folder, const VariantChoice& choice, const Problem& problem,
                 const DeviceInfo& device);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t raw_size() const;
  /// Valid configurations; more than size() where a variant has so many that only some take part.
  [[nodiscard]] std::uint64_t valid_size() const;
  /// What a strategy sees; `problem` and `device` as at construction. The result refers to this space, which must stay
  /// where it is: of variants of which only some configurations are here, others are added as the search meets them.
  SearchSpace search_space(const Problem& problem, const DeviceInfo& device);
  [[nodiscard]] const std::vector<VariantSpace>& variants() const { return variants_; }
  /// Variants left out, with the reason.
  [[nodiscard]] const std::vector<LeftOut>& left_out() const { return left_out_; }

  /// Kernels of this class may win against any other.
  [[nodiscard]] bool admits(Accuracy accuracy) const { return accuracy.within(admitted_); }

  [[nodiscard]] bool takes_part(const std::string& variant) const;
  [[nodiscard]] bool sweeps(const std::string& variant) const;
  /// With `ladder`, by rung: the defaults of all variants, and all that is here of those that are not swept.
  [[nodiscard]] std::vector<std::size_t> of_ladder() const;
  /// "its default BM=64 violates 'k_step'" where a variant's default is not valid for the problem; else empty.
  [[nodiscard]] std::string default_violates(const std::string& variant) const;

  /// Valid configurations that only `--all` sweeps (emulated devices).
  [[nodiscard]] std::size_t left_for_all() const { return left_for_all_; }

  struct Place {
    std::size_t variant = 0;
    const Configuration* configuration = nullptr;
  };
  [[nodiscard]] Place place(std::size_t index) const;
  /// Index of a stored trial's configuration, if it is in the space.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& variant, const std::string& configuration) const;
  /// Variant and values of a stored trial, whether they are in the space or not; none: of parameters that are no
  /// longer.
  [[nodiscard]] std::optional<std::pair<std::size_t, Configuration>> parse(const std::string& variant,
                                                                           const std::string& configuration) const;

 private:
  Accuracy admitted_;
  std::vector<VariantSpace> variants_;
  std::deque<std::pair<std::size_t, Configuration>> added_;  ///< after those of all variants
  std::vector<LeftOut> left_out_;
  std::size_t left_for_all_ = 0;
  std::map<std::string, std::string> default_violates_;  ///< by variant
};

/// Values of a stored trial's text; none: it is of parameters that the variant no longer has, or lacks one.
std::optional<Configuration> stored_configuration(const Variant& variant, const std::string& text);

/// The variant of that name. Throws UsageError that suggests the nearest.
const Variant& find_variant(const KernelFolder& folder, const std::string& name);

}  // namespace kerlab::session
