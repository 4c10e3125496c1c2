#pragma once
// What blocks of a plan may leave for each other.

#include <algorithm>

#include "plan/launch_plan.h"

namespace kerlab::plan {

/// Workspaces of so many bytes that nobody initialises hold nothing: what a plan may have where it needs none, so that
/// there is an address. So do those of no bytes.
inline constexpr std::int64_t kUnusedWorkspace = 16;

/// A word that is zero at first is a flag, or a count of who has come, however small it is.
inline bool is_unused(const Workspace& workspace) {
  return workspace.bytes == 0 || (workspace.bytes <= kUnusedWorkspace && workspace.init == WorkspaceInit::none);
}

/// Whether blocks may leave something for each other: the last of them joins what all have found, each looks back at
/// those before it, or waits for others.
inline bool blocks_share(const LaunchPlan& plan) {
  return !std::ranges::all_of(plan.workspaces, is_unused);
}

}  // namespace kerlab::plan
