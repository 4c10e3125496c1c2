#pragma once
// How `tune` ends: the winner in full, and what that is worth.

#include "session/tune/tune.h"

namespace kerlab::cli {

/// Two or three lines: its variant and configuration, its time and rate; by how much it beats the previous winner, the
/// library and the ladder's first rung; how sure that is. `width`: lines are folded between words; 0: never.
std::string winner_text(const TuneResult& result, bool color, int width);

}  // namespace kerlab::cli
