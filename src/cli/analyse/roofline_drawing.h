#pragma once
// What `kerlab roofline --svg FILE` draws.

#include "report/picture/roofline_svg.h"
#include "session/analyse/roofline.h"

namespace kerlab::cli {

/// One problem with its stored trials, or every stored winner. The report must have a problem.
RooflineDrawing roofline_drawing(const RooflineReport& report, bool one_problem);

}  // namespace kerlab::cli
