#pragma once
// Recorded spaces as other tuners' tools read them.

#include <utility>
#include <vector>

#include "report/form/json.h"
#include "session/export/tuner_spaces.h"

namespace kerlab::report {

/// A cache file of Kernel Tuner: times in milliseconds, failures by the names that it has for them.
JsonValue kernel_tuner_cache(const TunerSpace& space);
/// One configuration as such a file has it: its key, and what it holds.
std::pair<std::string, JsonValue> kernel_tuner_entry(const TunerSpace& space, const TunerPoint& point);
/// The file without configurations. `listed`: of each parameter the values that it may have; empty: those of the
/// points.
JsonValue::Object kernel_tuner_head(const TunerSpace& space, const std::vector<std::vector<TunerValue>>& listed);
/// Results in the T4 format.
JsonValue t4_results(const TunerSpace& space);

}  // namespace kerlab::report
