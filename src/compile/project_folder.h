#pragma once
// Which files a kernel may be made of: a folder of kernels may come from a stranger, and a link leads anywhere.

#include <filesystem>

#include "base/modules.h"

namespace kerlab::compile {

/// Below which folder everything that a source includes may lie besides the folders that are named: what it is kept in,
/// a repository, or else the folder above its own. Of the place where its name stands, wherever a link leads.
std::filesystem::path project_of(const std::filesystem::path& source);

/// `file`: without links.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder);

/// Throws Error: the file is a link that leads out of its project.
void require_inside(const std::filesystem::path& file);

}  // namespace kerlab::compile
