#pragma once
// Why a kernel is not what its baseline was: files, options and launches that differ, and the lines that execute more.

#include "compile/compiler.h"
#include "measure/timing.h"
#include "plan/launch_plan.h"
#include "trial/baseline.h"
#include "trial/regress_run.h"

namespace kerlab::session {

/// The first of today's files that differs from what it was, as it lies on disk, and the first line that does; the
/// kernel's own first line where none does.
struct ChangedPlace {
  std::string file;
  int line = 1;
};
ChangedPlace changed_place(const SourceBundle& before, const SourceBundle& after);

/// Moves the place to the line of its file that grew most, if one did.
void point_at_hottest(const std::vector<LineChange>& lines, ChangedPlace& place);

/// "-DTHREADS=128 -> -DTHREADS=256", "launch gemm: grid 4x2x1 -> 8x2x1", "compiled by NVRTC 12.4 -> NVRTC 13.0".
std::vector<std::string> other_differences(const Baseline& before, const std::vector<std::string>& options,
                                           const LaunchPlan& plan, const std::string& toolchain);

/// Lines of the source whose warp instructions changed, most changed first; a line is known by its file and text.
/// `before`, `after`: counted by line, with the sources they are of.
std::vector<LineChange> changed_lines(const std::vector<CountedLaunch>& before, const SourceBundle& before_source,
                                      const std::vector<CountedLaunch>& after, const SourceBundle& after_source);

}  // namespace kerlab::session
