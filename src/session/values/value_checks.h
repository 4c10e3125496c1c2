#pragma once
// Before a portfolio, an export or a baseline relies on a variant: each value of each of its parameters must have been
// right once. A kernel that is wrong for one of its values is wrong; whoever tunes it next may get that value.

#include <map>
#include <optional>
#include <set>

#include "db/database.h"
#include "session/run/compile_ahead.h"
#include "session/run/ledger.h"
#include "session/run/problem_setup.h"
#include "session/shapes/covering.h"

namespace kerlab::session {

/// Values of a variant that no check has passed, and what was said of them.
struct ValueFault {
  std::string variant;
  std::string values;   ///< "STAGES=7": those of the configuration that passed nowhere else; all, where each has
  std::string message;  ///< "wrong on scale N=100003 fp32: ..."
  std::string command;  ///< shows it again
  [[nodiscard]] std::string text() const;
};

/// Finds among the stored trials which values have passed, and checks the others: few configurations, each on the small
/// problem, where it allows the value, else on the one asked for. What was found is stored, so that the next one who
/// asks finds it.
class ValueChecks {
 public:
  /// Without a database nothing is found, and nothing kept.
  ValueChecks(Rig& rig, Database* database, SessionRecord record);

  /// The variant, in the form in which a problem of this dtype and these flags needs it. `relied`: has passed.
  void add(const VariantSource& source, const Problem& problem, const Configuration& relied);

  /// Checks one configuration, or waits a little for compilers. False: nothing is left. Afterwards the runner may have
  /// another problem.
  bool step();

  [[nodiscard]] const std::vector<ValueFault>& faults() const { return faults_; }
  /// How many values were checked now; which could not be.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// "values of simple: A=2 B=4".
  [[nodiscard]] const std::string& doing() const { return doing_; }

 private:
  /// A variant for one dtype and one set of flags.
  struct Form {
    VariantSource source;
    Problem asked;
    std::set<ParameterValue> unproven;
    std::set<Configuration> banned;                ///< could not be run, or were wrong
    std::map<ParameterValue, std::size_t> failed;  ///< in how many configurations that could not be run
    std::vector<std::pair<Configuration, ValueFault>> wrong;
    std::size_t checked = 0;  ///< values that are proven now
  };
  struct Job {
    Configuration configuration;
    DeviceInfo device;  ///< for which its plan is made
  };

  void take_stored(Form& form);
  void could_not_run(Form& form, const Configuration& configuration);
  bool next_round();
  bool plan_round(Form& form, const Problem& problem);
  void check(Form& form, const Job& job);
  void settle(Form& form);
  void keep(Form& form, Trial& trial);

  Rig& rig_;
  Database* database_;
  SessionRecord record_;
  std::optional<Ledger> ledger_;
  std::vector<Form> forms_;
  std::size_t at_ = 0;     ///< form
  bool on_asked_ = false;  ///< its small problem is done with
  std::optional<ProblemSetup> setup_;
  std::vector<Job> jobs_;  ///< of this round
  std::size_t next_ = 0;
  std::optional<CompileAhead> ahead_;
  std::vector<ValueFault> faults_;
  std::vector<std::string> notes_;
  std::string doing_;
};

}  // namespace kerlab::session
