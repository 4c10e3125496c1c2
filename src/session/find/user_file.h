#pragma once
// The user's own configuration, ~/.config/kerlab/kerlab.toml (XDG_CONFIG_HOME): what a project's kerlab.toml may not
// say, because it may come with somebody else's kernels.
//
//   include = ["$CUTLASS/include"]   # folders of headers, as --include; one, or a list

#include <filesystem>
#include <vector>

#include "session/find/project_file.h"

namespace kerlab::session {

/// Where it would be; empty: nobody knows (no HOME).
std::filesystem::path user_file_path();

/// Its folders of headers, each with its place. A path begins at the root, or with `~` or a variable, as
/// "$CUTLASS/include". None where there is no file. Throws SpecError (file:line:column) for an unknown key, a wrong
/// type, a variable that is not set, a folder that is not there.
std::vector<ProjectValue> read_user_includes(const std::filesystem::path& file);

}  // namespace kerlab::session
