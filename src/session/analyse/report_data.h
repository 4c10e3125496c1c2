#pragma once
// Collects what a report tells from the tuning database, and from the families' files what a roof needs. Opens no
// device, measures nothing.

#include "db/database.h"
#include "session/run/arguments.h"
#include "trial/lab_report.h"

namespace kerlab::session {

struct ReportOptions {
  std::string family;                      ///< empty: all
  std::vector<ProblemArgument> arguments;  ///< only problems that agree with all of them; may hold lists and ranges
  std::string dtypes;                      ///< "bf16,fp16"; empty: all
  std::string device_class, device_kind;   ///< only of this class and kind; empty: all
  std::string class_part;                  ///< only of classes that hold this text, in any case
  KernelPlaces kernels;
  std::string repeated;  ///< options that commands which the report names must repeat: " --db FILE"
};

/// Throws UsageError, with what there is, when nothing agrees with the options.
LabReport collect_report(const ReportOptions& options, const Database& database);

/// One problem on one kind of device; `trials` are all that are stored of it. The roof is left out, with a warning,
/// where the family's files are not found.
ReportProblem collect_problem(const ReportOptions& options, const Database& database, std::vector<Trial> trials,
                              const Catalogue& catalogue, std::vector<std::string>& warnings);

/// "BM=128 BN=64" as names and values; empty: not of that form.
std::vector<std::pair<std::string, std::int64_t>> parameters_of(const std::string& configuration);

}  // namespace kerlab::session
