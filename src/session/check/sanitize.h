#pragma once
// `check --sanitize`: each configuration once, whole, on a small ragged problem of an emulated device that looks at
// every access: what is wrong although the numbers come out right.

#include "session/check/check.h"

namespace kerlab::session {

/// Equal findings (hazard, both lines) of one variant, with the text of their lines.
struct VariantFinding {
  Finding finding;  ///< the first; `count`: of all
  std::string source, other_source;
  std::vector<std::string> labels;  ///< configurations that have it: "reg2d BM=64 BN=64"
  std::string problem;              ///< title of the first one's
};

/// One configuration on one problem. `trial`: status passed when the run came to its end, whatever it found.
struct SanitizeRow {
  Problem problem;
  Trial trial;
  std::vector<SanitizedLaunch> launches;
  [[nodiscard]] std::size_t findings() const;
};

struct VariantFindings {
  std::string variant;
  std::vector<VariantFinding> findings;
};

/// How the same run goes under compute-sanitizer on a GPU, one command for each of its tools.
struct SecondOpinion {
  std::string tool;
  std::vector<std::string> command;
};

/// `while (session.step()) ...; session.rows()`. A step is one configuration.
class SanitizeSession {
 public:
  SanitizeSession(CheckOptions options, const Database& database);
  bool step();
  [[nodiscard]] CheckState state() const;
  [[nodiscard]] const std::vector<SanitizeRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<VariantFindings>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const Rig& rig() const { return rig_; }

 private:
  [[nodiscard]] Problem problem_of(const Variant& variant, const Configuration& configuration) const;
  void load(const Problem& problem);
  void keep(const VariantSource& source, const SanitizeRow& row);
  [[nodiscard]] bool stops_here() const;

  CheckOptions options_;
  Rig rig_;
  Problem asked_;
  ChosenConfigurations chosen_;
  std::vector<Problem> small_;  ///< to be tried in this order; the last is the one asked for
  std::size_t next_ = 0;
  std::optional<ProblemSetup> setup_;
  std::vector<SanitizeRow> rows_;
  std::vector<VariantFindings> findings_;
  std::vector<std::string> notes_;
};

/// For memcheck, racecheck, initcheck and synccheck. `family`: as typed; `kerlab`: the program; `options`: what of the
/// global options must be repeated.
std::vector<SecondOpinion> second_opinions(const SanitizeRow& row, const std::string& family, const std::string& kerlab,
                                           const std::vector<std::string>& options);

}  // namespace kerlab::session
