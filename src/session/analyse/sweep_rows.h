#pragma once
// What is stored of some configurations of a variant: the answer to a sweep of the lab, in the order of the values.

#include "session/find/lab_state.h"
#include "session/run/candidate.h"

namespace kerlab::session {

struct SweepRow {
  Configuration configuration;
  std::string values;          ///< of the swept parameters: "BM=64 BN=128"
  std::string also;            ///< what besides differs from the configuration that is swept: "MIN_BLOCKS=1"
  std::string not_valid;       ///< the constraint that forbids it; empty: it was to be tried
  std::optional<Trial> trial;  ///< of today's source; none: not tried
  std::optional<Measurement> measurement;
};

/// Every combination of the choices in `base`, the last varying fastest. What `typed` ("BM=64,BN=64") names stays,
/// unless a choice does too; the rest stays as it is in `base`, or where a constraint rejects that takes the nearest
/// values that are valid.
std::vector<SweepRow> plan_sweep(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 const Configuration& base, const std::string& typed,
                                 const std::vector<ParameterChoice>& choices);

/// What is to be said before it is run: "BM=128 with MIN_BLOCKS=2", of each row that differs in more than the choices;
/// and of those that no other value makes valid.
std::vector<std::string> sweep_remarks(const std::vector<SweepRow>& rows);

/// Conditions in the syntax of --where that leave exactly the valid configurations of the rows.
std::vector<std::string> conditions_of(const Variant& variant, const std::vector<SweepRow>& rows);

/// Fills in what is stored: the newest final measurement counts, else that of the screening.
void look_up(std::vector<SweepRow>& rows, const Family& family, const VariantSource& source, const Problem& problem,
             const DeviceInfo& device, const std::string& toolchain, const Database& database);

/// The fastest that passed; null: none did.
const SweepRow* best_of(const std::vector<SweepRow>& rows);

/// How many combinations there are, at most 2^62.
std::uint64_t combinations(const std::vector<ParameterChoice>& choices);

}  // namespace kerlab::session
