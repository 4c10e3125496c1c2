#pragma once
// Portfolios of what was tuned: the smallest set of kernels that keeps every shape within so much of its own best.
// Times are taken from the database; those that it lacks are measured beside the shape's winner, after a check.

#include "session/export/tuned_shapes.h"
#include "session/run/evaluation.h"
#include "session/run/ledger.h"
#include "session/values/value_checks.h"
#include "stats/portfolio.h"

namespace kerlab::session {

struct PortfolioOptions {
  RigOptions rig;
  ShapeFilter filter;
  std::size_t largest = 0;        ///< kernels; 0: as many as it takes
  double within = 0;              ///< 0.02: 2 %
  bool stored_only = false;       ///< measure nothing
  bool unchecked_values = false;  ///< of the chosen variants' parameters not every value need have been right once
  std::filesystem::path shipped;  ///< winners of this folder take part; empty: none
  int rounds = 10;
  std::string command, version;  ///< for the record
};

/// One kernel on one shape.
struct PortfolioCell {
  enum class Source : std::uint8_t { unknown, invalid, stored, measured };
  Source source = Source::unknown;
  double us = 0, low_us = 0, high_us = 0;  ///< 95 % interval of the median
  double ratio = 0;                        ///< to the shape's winner, of the same rounds where there are such
  std::string why;                         ///< unknown, invalid
};

struct PortfolioResult {
  std::vector<TunedShape> shapes;
  std::vector<PortfolioKernel> kernels;
  std::vector<std::vector<PortfolioCell>> cells;  ///< [shape][kernel]
  std::vector<Portfolio> portfolios;              ///< growing; those of more kernels than were asked for too
  std::optional<std::size_t> chosen;              ///< of these; none: no set so small covers every shape
  ClockKind clock = ClockKind::measured;
  std::vector<std::string> left_out, notes;
  [[nodiscard]] LossMatrix losses() const;
  [[nodiscard]] const Portfolio* portfolio() const { return chosen ? &portfolios[*chosen] : nullptr; }
};

/// `while (session.step()) ...; session.result()`. A step is one shape, then one configuration with values of the
/// chosen variants' parameters that nobody has checked. Throws Error (wrong) where such a value is wrong.
class PortfolioSession {
 public:
  /// Throws Error (no baseline) when nothing that the filter lets through was tuned on this kind of device.
  PortfolioSession(PortfolioOptions options, Database& database);
  bool step();
  [[nodiscard]] const PortfolioResult& result() const { return result_; }
  [[nodiscard]] Rig& rig() { return rig_; }
  [[nodiscard]] std::size_t done() const { return next_; }
  /// "shape 2 of 5", "values of simple: A=2 B=4".
  [[nodiscard]] std::string doing() const;
  /// The variant's source, read once.
  const VariantSource& source(const Variant& variant);
  TrialCandidate candidate(const PortfolioKernel& kernel, const Problem& problem);

 private:
  void adopt_remeasured(TunedShape& shape);
  void add_kernel(const PortfolioKernel& kernel);
  void add_stored_kernels();
  [[nodiscard]] std::optional<PortfolioCell> stored_cell(const TunedShape& shape, const PortfolioKernel& kernel);
  void look_up(std::size_t shape);
  [[nodiscard]] bool wanted(std::size_t shape, std::size_t kernel) const;
  void compile_ahead();
  void measure(std::size_t shape);
  std::optional<TrialCandidate> checked(const ProblemSetup& setup, const PortfolioKernel& kernel, PortfolioCell& cell);
  void reject(Evaluation& evaluation, const std::string& why, PortfolioCell& cell);
  void time_together(std::size_t shape, const ProblemSetup& setup, const std::vector<std::size_t>& kernels,
                     const std::vector<TrialCandidate>& candidates);
  void finish();
  bool check_values();
  void begin_values();
  /// Else every shape gets its own winner, and nothing else is looked at.
  [[nodiscard]] bool compares() const { return options_.within > 0 || options_.largest > 0; }

  PortfolioOptions options_;
  Database& database_;
  Rig rig_;
  std::optional<Ledger> ledger_;
  std::map<std::string, VariantSource> sources_;
  std::size_t next_ = 0;
  bool compiled_ahead_ = false;
  std::optional<ValueChecks> values_;
  PortfolioResult result_;
};

}  // namespace kerlab::session
