#pragma once
// `bench --energy`: sustained speed, power and energy of ours and of the vendor's library, side by side.

#include "report/form/json.h"
#include "report/form/table.h"
#include "session/bench/bench.h"

namespace kerlab::cli {

/// What stands above the table.
std::string energy_heading();
/// A line for each of a row's energies; no lines where none was measured.
Table energy_table(const std::vector<BenchRow>& rows);
JsonValue energy_value(const std::vector<EnergyRow>& rows);

}  // namespace kerlab::cli
