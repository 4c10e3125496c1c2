#pragma once
// What holds where no flag says otherwise: flag > environment > kerlab.toml > default.

#include <filesystem>
#include <string>
#include <vector>

#include "session/find/project_file.h"

namespace kerlab::cli {

/// A value and where it comes from: "KERLAB_DEVICE", "kerlab.toml:1:10", "default".
struct Setting {
  std::string value, from;
};

/// Of the environment, kerlab.toml and the defaults.
struct Settings {
  std::filesystem::path file;  ///< kerlab.toml; empty: there is none
  Setting device, database;
  std::vector<Setting> kernels;  ///< looked in one after the other; without the shipped ones
  std::vector<Setting> suites;
  std::vector<Setting> libraries;  ///< plug-ins; never of kerlab.toml, which may come with somebody else's kernels
  std::vector<Setting> includes;   ///< folders of headers: KERLAB_INCLUDE, the user's file; nor these
  Margins margins;
  std::string margins_from;  ///< empty: the defaults
};

/// From the environment and the working folder. Throws SpecError for what is wrong in kerlab.toml, UsageError for a
/// folder of KERLAB_KERNELS that is not there.
Settings read_settings();

/// Throws UsageError naming `from` unless `folder` is one, which holds families and is none itself.
void require_kernel_folder(const std::string& folder, const std::string& from);
/// Throws UsageError naming `from` unless `folder` is one.
void require_include_folder(const std::string& folder, const std::string& from);
/// Throws UsageError naming `from` unless `file` is one.
void require_library_file(const std::string& file, const std::string& from);

}  // namespace kerlab::cli
