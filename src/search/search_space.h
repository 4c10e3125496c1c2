#pragma once
// What a search chooses from: the candidates of all variants as one list, with their parameters and whatever else is
// known of each without compiling it, as small integers that a regression tree can split.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "spec/spec.h"

namespace kerlab::search {

class SearchSpace {
 public:
  /// Known of every candidate of a variant: threads of a block, blocks of the grid, ...
  struct Feature {
    std::string name;
    std::vector<double> values;
  };
  /// A variant's candidates; `points` must outlive the space.
  struct Part {
    std::string variant;
    std::vector<std::string> parameters;
    const std::vector<Configuration>* points = nullptr;
    std::vector<Feature> features;
    /// Where `points` are only some of many: the values of the features of another configuration; none: not valid.
    std::function<std::optional<std::vector<double>>(const Configuration&)> look_at = nullptr;
    /// With it: takes a valid one among the candidates, as the last one.
    std::function<void(const Configuration&)> admit = nullptr;
  };
  explicit SearchSpace(std::vector<Part> parts);

  [[nodiscard]] std::size_t size() const { return first_.back() + added_.size(); }
  [[nodiscard]] std::size_t variants() const { return parts_.size(); }
  [[nodiscard]] std::size_t variant_of(std::size_t candidate) const;
  /// Candidates [first_of(v), first_of(v + 1)) are of variant v; and some of those admitted later, from the last
  /// first_of on.
  [[nodiscard]] std::size_t first_of(std::size_t variant) const { return first_[variant]; }
  [[nodiscard]] const std::vector<std::int64_t>& values_of(std::size_t candidate) const;
  /// Candidates of the same variant that differ in one parameter; where these are fewer than three, in two. Of a space
  /// of some of many, those that are missing are admitted.
  std::vector<std::size_t> neighbours(std::size_t candidate);
  /// None: it is not valid, or not one of a space that is all there is.
  std::optional<std::size_t> find_or_admit(std::size_t variant, const std::vector<std::int64_t>& values);
  /// Values of a parameter that occur among the listed, sorted.
  [[nodiscard]] const std::vector<std::int64_t>& listed(std::size_t variant, std::size_t parameter) const {
    return listed_[variant][parameter];
  }
  /// The row that a configuration has, or would have; none: it is not valid, or not one of a space that is all there
  /// is.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> row_of(std::size_t variant,
                                                                const std::vector<std::int64_t>& values) const;

  /// Columns: one for each variant, each parameter by name (variants may share it), each feature. At most 256 values.
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  /// Else a variant, or a feature.
  [[nodiscard]] bool is_parameter(std::size_t column) const { return of_parameter_[column]; }
  [[nodiscard]] std::span<const std::uint8_t> row(std::size_t candidate) const {
    return {cells_.data() + candidate * columns(), columns()};
  }

 private:
  /// Where a part has the values of a column: in a parameter, in a feature, or 1 because it is the variant's.
  struct Source {
    enum Kind : std::uint8_t { parameter, feature, variant } kind;
    std::size_t part, index;
  };
  struct Column {
    std::vector<double> known;  ///< values that occur, sorted: a cell holds a value's rank, 0 where there is none
    std::vector<Source> sources;
    [[nodiscard]] std::uint8_t cell(double value) const;
  };
  struct Added {
    std::size_t variant;
    Configuration configuration;
  };
  [[nodiscard]] std::map<std::string, std::vector<Source>> sources() const;
  [[nodiscard]] std::vector<double> values_in(const Source& source) const;
  void find_columns();
  void fill_cells();
  void index_candidates();
  [[nodiscard]] std::vector<std::uint8_t> make_row(std::size_t variant, const Configuration& configuration,
                                                   const std::vector<double>& features) const;
  [[nodiscard]] std::optional<std::size_t> find(std::size_t variant, const std::vector<std::int64_t>& values) const;
  void one_step(std::size_t variant, std::vector<std::int64_t> values, std::vector<std::size_t>& found);

  std::vector<Part> parts_;
  std::vector<std::size_t> first_;
  std::deque<Added> added_;
  std::vector<std::vector<std::vector<std::int64_t>>> listed_;      ///< variant, parameter: values that occur, sorted
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_digest_;  ///< sorted
  std::unordered_multimap<std::uint64_t, std::size_t> added_by_digest_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> known_neighbours_;  ///< of spaces that grow
  std::vector<Column> columns_;
  std::vector<bool> of_parameter_;  ///< columns
  std::vector<std::uint8_t> cells_;
};

}  // namespace kerlab::search
