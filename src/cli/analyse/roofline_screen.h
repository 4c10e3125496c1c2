#pragma once
// What `kerlab roofline` prints.

#include <string>

#include "session/analyse/roofline.h"

namespace kerlab::cli {

/// Times of one origin never stand under another's heading: what is stored of this device, and what was measured on a
/// GPU and is shipped, have a table each.
struct RooflineScreen {
  int width = 100;
  bool unicode = false, color = false;
};

/// One problem: its roof, what is known below it, a picture, the bottleneck.
std::string problem_text(const ProblemRoofline& problem, const RooflineReport& report, const RooflineScreen& screen);
/// All winners: a table and pictures, with numbers that stand in both.
std::string winners_text(const RooflineReport& report, const RooflineScreen& screen);

}  // namespace kerlab::cli
