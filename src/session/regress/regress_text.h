#pragma once
// A baseline as TOML: what stands in tuning_db/baselines/<name>/<device>/<family>/<kernel>.toml. One figure a line, so
// that a change shows as one line of a diff.

#include <string>

#include "trial/baseline.h"

namespace kerlab::session {

/// Key and file are no part of it.
std::string baseline_text(const Baseline& baseline);
/// `file` is named in errors and kept. Throws SpecError (file:line:column) for whatever is not as baseline_text writes
/// it: merge conflicts, damage, a newer format, another program's file.
Baseline parse_baseline(const std::string& text, const std::string& file);

}  // namespace kerlab::session
