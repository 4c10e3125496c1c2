#pragma once
// kerlab.toml: what the work in a folder has in common, so that no command line need repeat it. It is data, as every
// spec: it names no program, and nothing that is written but the database.
//
//   device = "emu:h200"       # as --device
//   kernels = "my_kernels"    # folders of families, as --kernels; one, or a list. Paths are relative to the file
//   db = "tuning.db"          # as --db
//   suites = ["suites"]       # folders that --suite NAME looks in before the shipped ones
//   [margins]                 # of `kerlab regress`; those of a baseline are newer
//   instructions = "2%"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "session/find/regress_margins.h"

namespace kerlab::session {

/// A value, and where it stands: "kerlab.toml:1:10".
struct ProjectValue {
  std::string value, from;
};

struct ProjectFile {
  std::filesystem::path path;  ///< empty: there is none
  std::optional<ProjectValue> device, db;
  std::vector<ProjectValue> kernels, suites;  ///< folders that exist
  Margins margins;
  std::string margins_from;  ///< empty: it has none
};

/// kerlab.toml in `folder` or the nearest folder above; empty: there is none.
std::filesystem::path find_project_file(const std::filesystem::path& folder);

/// Throws SpecError (file:line:column) for an unknown key, a wrong type, a folder that is not there.
ProjectFile read_project_file(const std::filesystem::path& file);

}  // namespace kerlab::session
