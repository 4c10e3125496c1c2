#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <random>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"

namespace kerlab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, const fs::path& path, int error) {
  throw Error(fmt::format("{} {}: {}", what, path.string(), std::generic_category().message(error)));
}

template <class Buffer>
Buffer read_whole(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) fail("cannot open", path, errno);
  Buffer contents;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  for (std::size_t used = 0;;) {
    contents.resize(used + kChunk);
    const ssize_t got = ::read(file.get(), contents.data() + used, kChunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", path, errno);
    used += static_cast<std::size_t>(got);
    if (got == 0) {
      contents.resize(used);
      return contents;
    }
  }
}

/// Writes, flushes and renames; 0, or the error.
int write_and_rename(Descriptor& file, const fs::path& temporary, const fs::path& path,
                     std::span<const std::byte> bytes) {
  if (const int error = write_all(file.get(), bytes)) return error;
  if (::fsync(file.get()) != 0) return errno;
  if (const int error = file.close()) return error;
  return ::rename(temporary.c_str(), path.c_str()) != 0 ? errno : 0;
}

/// What is no file but a way to somebody (/dev/stdout, a pipe, a terminal) is written to: a file of its name would take
/// its place.
bool is_stream(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return true;
  const std::string text = fs::absolute(path, ignored).lexically_normal().string();
  return fs::exists(status) && (text.starts_with("/dev/") || text.starts_with("/proc/"));
}

void write_stream(const fs::path& path, std::span<const std::byte> bytes) {
  Descriptor stream(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!stream.open()) fail("cannot write", path, errno);
  if (const int error = write_all(stream.get(), bytes)) fail("cannot write", path, error);
  if (const int error = stream.close()) fail("cannot write", path, error);
}

/// A link stays a link: the file that it leads to, perhaps not there yet, is the one to replace.
fs::path link_target(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  fs::path target = fs::weakly_canonical(path, error);
  if (error) fail("cannot write", path, error.value());
  return target;
}

/// The value of a variable that is set and not empty.
const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// XDG: the variable counts only when it is an absolute path.
fs::path xdg_folder(const char* variable, const char* below_home, const char* own) {
  if (const char* value = environment(variable); value != nullptr && *value == '/') return fs::path(value) / "kerlab";
  const char* home = environment("HOME");
  if (home == nullptr) throw Error(fmt::format("neither {}, {} nor HOME is set: set one of them", own, variable));
  return fs::path(home) / below_home / "kerlab";
}

bool holds_kernels(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "kernels" / "common" / "lab_abi.h", ignored);
}

}  // namespace

std::string read_text(const fs::path& path) {
  return read_whole<std::string>(path);
}
std::vector<std::byte> read_bytes(const fs::path& path) {
  return read_whole<std::vector<std::byte>>(path);
}

void write_atomic(const fs::path& named, std::span<const std::byte> bytes) {
  if (is_stream(named)) return write_stream(named, bytes);
  const fs::path path = link_target(named);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::random_device random;
  const fs::path temporary = folder / fmt::format(".{}.{:08x}{:08x}.tmp", path.filename().string(), random(), random());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.open()) fail("cannot write", path, errno);
  if (const int error = write_and_rename(file, temporary, path, bytes)) {
    ::unlink(temporary.c_str());
    fail("cannot write", path, error);
  }
  // The new name survives a power cut only when the folder is on disk too. Some file systems cannot flush a folder; the
  // file is complete either way.
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.open()) ::fsync(parent.get());
}

void write_atomic(const fs::path& path, std::string_view text) {
  write_atomic(path, std::as_bytes(std::span(text.data(), text.size())));
}

fs::path executable_path() {
  return fs::read_symlink("/proc/self/exe");
}

fs::path share_folder() {
  if (const char* share = environment("KERLAB_SHARE")) {
    if (!holds_kernels(share)) throw Error(fmt::format("KERLAB_SHARE={} holds no kernels/common", share));
    return share;
  }
  const fs::path executable = executable_path();
  const fs::path bin = executable.parent_path();
  if (fs::path installed = bin.parent_path() / "share" / "kerlab"; holds_kernels(installed)) return installed;
  for (fs::path folder = bin; folder != folder.parent_path(); folder = folder.parent_path())
    if (holds_kernels(folder)) return folder;
  throw Error(
      fmt::format("no kernels/common found from {}: run the binary inside its checkout or its install tree, or set "
                  "KERLAB_SHARE",
                  executable.string()));
}

fs::path cache_folder() {
  if (const char* cache = environment("KERLAB_CACHE")) return cache;
  return xdg_folder("XDG_CACHE_HOME", ".cache", "KERLAB_CACHE");
}

fs::path data_folder() {
  return xdg_folder("XDG_DATA_HOME", ".local/share", "KERLAB_DB");
}

}  // namespace kerlab
