#pragma once
// What `kerlab explain` prints: why a kernel takes as long as it does, from the problem down to the next command.

#include <string>
#include <vector>

#include "report/text/inspect_text.h"
#include "session/analyse/explanation.h"

namespace kerlab::report {

/// How a screen is drawn.
struct Drawing {
  int width = 100;
  bool unicode = false;  ///< block characters in pictures; else ASCII
  bool color = false;
};

/// `next`: commands to type.
std::string explain_text(const Explanation& explanation, const std::vector<std::string>& next, const Drawing& drawing);
/// The body of the JSON document.
JsonValue::Object explain_value(const Explanation& explanation, const std::vector<std::string>& next);
/// "NVIDIA H200, 2026-11-21": where and when the ceilings were measured; empty: they were not.
std::string measured_on(const Explanation& explanation);

/// A bar of `width` cells: eighths of a cell where `unicode`; what is more than nothing shows, what is less than all
/// leaves something empty.
std::string share_bar(double share, int width, bool unicode);
/// Waves as a picture: all full ones in one line, the last in another.
std::string waves_picture(const LaunchWaves& waves, bool unicode);
/// "NVIDIA H200" of "NVIDIA H200 sm_90 132 SM 143771 MiB ...".
std::string short_class(const std::string& device_class);

}  // namespace kerlab::report
