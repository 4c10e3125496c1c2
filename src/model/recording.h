#pragma once
// Spaces that others recorded, as sweeps: Kernel Tuner's cache files and results in the T4 format.
//
// Values that are no whole numbers are counted: texts in their order of the alphabet, others by size. A strategy sees
// which values are next to each other, and no more.

#include <string>

#include "model/sweep.h"

namespace kerlab::model {

/// A sweep of ours, a cache file of Kernel Tuner (whose last braces may be missing) or a T4 file, as the text says.
/// Throws Error with `file` and the place.
Sweep parse_recording(const std::string& text, const std::string& file);

}  // namespace kerlab::model
