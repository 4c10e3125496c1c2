#pragma once
// Whole files in, whole files out, and where things live.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerlab {

/// Whole file; throws Error naming the path and the system's reason.
std::string read_text(const std::filesystem::path& path);
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

/// Writes to a temporary file in the same folder, flushes it to disk, then renames: readers see the old file or the new
/// one. Throws Error (full disk, read-only folder), and then leaves no temporary file. A link stays a link; what is no
/// file (/dev/stdout, a named pipe) is written to as it is.
void write_atomic(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_atomic(const std::filesystem::path& path, std::string_view text);

/// The folder that holds `kernels/` and `configs/`: the checkout when run from a build folder in it, else
/// <prefix>/share/kerlab of the installed tree. Found from the executable's own path; KERLAB_SHARE overrides.
std::filesystem::path share_folder();
/// XDG_CACHE_HOME/kerlab (KERLAB_CACHE overrides) and XDG_DATA_HOME/kerlab. Not created.
std::filesystem::path cache_folder();
std::filesystem::path data_folder();
/// Path of the running executable.
std::filesystem::path executable_path();

}  // namespace kerlab
