#pragma once
// What each figure of a kernel may grow by, and what a change of figures amounts to. Pure functions.

#include <map>
#include <string>
#include <vector>

#include "spec/toml/toml_reader.h"
#include "trial/baseline.h"
#include "trial/regress_run.h"

namespace kerlab::session {

/// How a figure is judged unless said otherwise.
struct FigureRule {
  std::string name;
  double margin = 0;  ///< 0.01: may grow by 1 %
  bool gated = true;  ///< false: shown only
  bool more_is_worse = true;
  double floor = 0;  ///< of `instructions`: a smaller change of this figure is nothing
};

class Margins {
 public:
  Margins();
  /// "instructions=2%", "instructions=0.02", "registers=off". Throws UsageError, naming the nearest figure.
  void set(const std::string& typed);
  /// [margins] of a file: numbers (0.02 is 2 %), texts as typed, false. Throws SpecError.
  void read(const TomlValue& table);
  /// [margins] of a TOML file, which may be a suite or baseline.toml. Throws SpecError.
  void read_file(const std::string& file);
  [[nodiscard]] const std::map<std::string, FigureRule>& rules() const { return rules_; }
  /// As [margins] of a TOML file, only what differs from the defaults; empty when nothing does.
  [[nodiscard]] std::string text() const;

 private:
  FigureRule& rule(const std::string& name);
  static void apply(FigureRule& rule, const std::string& value);

  std::map<std::string, FigureRule> rules_;
};

/// The margins of a file: its [margins] table over the defaults; a file that is not there has none. Throws SpecError.
Margins read_margins(const std::string& file);

/// Every figure that differs, judged; worse ones first, then by how much.
std::vector<FigureChange> compare_figures(const std::vector<Figure>& before, const std::vector<Figure>& after,
                                          const Margins& margins);

/// Whether a kernel is less exact than the margin on its worst err / bound allows.
bool less_exact(double before, double after, const Margins& margins);

}  // namespace kerlab::session
