#pragma once
// The problems that were tuned on a kind of device, with their winners: from the database, and from what is shipped.

#include "db/database.h"
#include "session/run/candidate.h"

namespace kerlab::session {

/// A configuration of a variant: what a portfolio counts.
struct PortfolioKernel {
  const Variant* variant = nullptr;
  Configuration configuration;
  [[nodiscard]] std::string label() const;
  bool operator==(const PortfolioKernel&) const = default;
};

struct TunedShape {
  Problem problem;
  PortfolioKernel winner;
  std::vector<PortfolioKernel> ties;  ///< others of the decision's tie set
  std::string trial_key;              ///< of the winner as it was decided; empty: of a shipped one
  std::int64_t trial = 0;             ///< in the database
  Measurement measurement;            ///< what the decision rests on
  std::string decided;                ///< UTC
};

/// Which of them: everything that is given must agree.
struct ShapeFilter {
  std::vector<ProblemArgument> arguments;  ///< dimensions, flags, scalars; may hold lists and ranges
  std::string dtypes;                      ///< "bf16,fp16"; empty: all
  std::vector<std::string> problems;       ///< keys; empty: all
};

struct TunedShapes {
  std::vector<TunedShape> shapes;     ///< by dtype, flags, then dimensions
  std::vector<std::string> left_out;  ///< with the reason
};

/// Newest decisions of the folder's family for the device's class. `shipped`: of problems without a decision, the
/// winners of that folder. Throws UsageError for a filter that names what the family has not.
TunedShapes tuned_shapes(const KernelFolder& folder, const DeviceInfo& device, const Database& database,
                         const ShapeFilter& filter, const std::filesystem::path& shipped = {});

}  // namespace kerlab::session
