#pragma once
// The thorough check: every recipe, two poison patterns, a bitwise repeat; on the problem asked for and on shapes that
// break tiled kernels. Nothing is timed.

#include "session/single.h"

namespace kerlab {

struct CheckOptions {
  RigOptions rig;
  std::vector<ProblemArgument> arguments;
  std::string dtype;
  std::vector<std::string> variants;        ///< empty: the winner, or without one every variant; "all": every one
  std::vector<std::string> without_winner;  ///< where none is stored: instead of every variant
  std::string configuration;                ///< of the one variant; empty: winner or default
  bool every_configuration = false;         ///< all valid ones of the variants
  bool only_asked = false;                  ///< no adversarial shapes
  bool full = false;                        ///< emulated: every block is executed
  std::string command, version;
};

/// Configurations to look at, each with the index of its source.
struct ChosenConfigurations {
  std::vector<VariantSource> sources;
  std::vector<std::pair<std::size_t, Configuration>> configurations;
  std::vector<std::string> notes;  ///< variants left out, with the reason
};
/// What the options ask for: valid on `asked`. Throws Error (inconclusive) when there is none.
ChosenConfigurations choose_configurations(const CheckOptions& options, const KernelFolder& folder,
                                           const Problem& asked, const DeviceInfo& device, const Database& database);

/// One configuration on one problem.
struct CheckRow {
  Problem problem;
  Trial trial;  ///< passed, or what is wrong; not stored
  bool adversarial = false;
  std::string scope;  ///< emulated: what was executed
};

struct CheckState {
  std::size_t done = 0, total = 0, failed = 0;
  std::string label;
};

class CheckSession {
 public:
  CheckSession(CheckOptions options, Database& database);
  /// Checks one configuration on one problem. False: finished.
  bool step();
  [[nodiscard]] CheckState state() const;
  [[nodiscard]] const std::vector<CheckRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const Rig& rig() const { return rig_; }

 private:
  struct Job {
    std::size_t problem = 0, variant = 0;
    Configuration configuration;
  };
  void choose_problems();
  void add_jobs();
  void note_stored(const SingleResult& result);

  CheckOptions options_;
  Database& database_;
  Rig rig_;
  Problem asked_;
  std::vector<Problem> problems_;  ///< the one asked for first
  ChosenConfigurations chosen_;
  std::vector<Job> jobs_;  ///< by problem
  std::size_t next_ = 0;
  std::optional<ProblemSetup> setup_;
  std::size_t loaded_ = SIZE_MAX;  ///< problem that the worker has
  std::vector<CheckRow> rows_;
  std::vector<std::string> notes_;
};

/// Shapes that break kernels written for multiples of `tile`: 1, tile - 1, tile, tile + 1, primes, each dimension at
/// its minimum (0 where allowed) beside others just above a tile. Same dtype, flags and scalars as `problem`.
std::vector<ProblemRequest> adversarial_shapes(const Family& family, const Problem& problem, std::int64_t tile);

}  // namespace kerlab
