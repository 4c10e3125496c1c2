#pragma once
// The tree of partial assignments: one parameter after another gets a value, and every constraint is evaluated as soon
// as the parameters that it needs have theirs. Parameters come in the order in which constraints bite first, whatever
// the order of the file. Subtrees that only depend on a few of the values above them are counted once.

#include <unordered_map>

#include "spec/space/constraint_program.h"

namespace kerlab::spec {

class SpaceTree {
 public:
  /// Over the conditions [0, conditions) of the program. All calls together may take `most_steps`.
  SpaceTree(ConstraintProgram program, std::size_t conditions, std::uint64_t most_steps);

  /// How many configurations are valid. Throws SpecError: one that is otherwise valid has a constraint that cannot be
  /// evaluated; too many combinations to walk; more than 2^64.
  std::uint64_t count();
  /// All, in the order of the files, when there are at most `most`.
  std::optional<std::vector<Configuration>> all(std::size_t most);
  /// `wanted` different ones out of `count()`, uniformly; in the order of the files.
  std::vector<Configuration> some(std::size_t wanted, std::uint64_t seed);
  /// Taken so far: values given to a parameter, operands and operators evaluated.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// A parameter that gets its value, and what can be said then.
  struct Level {
    std::size_t parameter = 0;
    std::vector<std::size_t> derived, conditions;
    std::vector<std::size_t> live;  ///< parameters with values before, that this level or those below ask for
    bool remembers = false;         ///< counts are kept by the values of `live`
    std::unordered_map<std::uint64_t, std::uint64_t> counts;
  };
  using Digits = std::vector<std::uint32_t>;  ///< which of its values each parameter has, in the order of the file

  void place_checks();
  void find_live();
  [[nodiscard]] bool enter(const std::vector<std::size_t>& derived, const std::vector<std::size_t>& conditions,
                           std::optional<std::size_t>& unknown);
  [[nodiscard]] bool set(std::size_t level, std::size_t digit, std::optional<std::size_t>& unknown);
  [[nodiscard]] std::uint64_t key(const Level& level) const;
  std::uint64_t count_below(std::size_t level);
  std::uint64_t count_values(std::size_t level);
  bool walk(std::size_t level, std::size_t most);
  void pick(std::size_t level);
  void pick_unchecked(std::size_t level);
  [[nodiscard]] std::optional<std::uint64_t> known_count(std::size_t level) const;
  [[nodiscard]] bool wanted_within(std::uint64_t count) const;
  void take(std::size_t steps);
  std::vector<Configuration> take_found();
  [[noreturn]] void fail(const std::string& what) const;

  ConstraintProgram program_;
  const std::vector<Parameter>* parameters_;
  std::size_t conditions_;
  std::vector<Level> levels_;
  std::vector<std::size_t> first_derived_, first_conditions_;  ///< without any parameter
  std::size_t checked_ = 0;           ///< levels from here on check nothing: everything below is valid
  std::vector<std::uint64_t> below_;  ///< product of the value counts of the levels from here on
  Digits digits_;
  std::uint64_t steps_ = 0, most_steps_, next_look_ = 0;
  std::size_t remembered_ = 0;
  std::vector<std::uint32_t> found_;     ///< digits of the configurations found, one after another
  std::vector<std::uint64_t> ordinals_;  ///< of the wanted ones in the order of the tree, sorted
  std::size_t next_ = 0;                 ///< ordinals_ before are found or passed
  std::uint64_t ordinal_ = 0;            ///< of the next valid configuration
};

}  // namespace kerlab::spec
