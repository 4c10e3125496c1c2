#pragma once
// Recorded spaces as other tuners' tools read them.

#include "report/form/json.h"
#include "session/export/tuner_spaces.h"

namespace kerlab::report {

/// A cache file of Kernel Tuner: times in milliseconds, failures by the names that it has for them.
JsonValue kernel_tuner_cache(const TunerSpace& space);
/// Results in the T4 format.
JsonValue t4_results(const TunerSpace& space);

}  // namespace kerlab::report
