#include "db/location.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/file.h"
#include "db/database.h"
#include "db/sqlite_error.h"

namespace kerlab::db {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRemedy = "name a database on a local, writable disk with --db PATH";

struct FileSystem {
  unsigned long magic;
  std::string_view name;
};
// statfs(2). FUSE and 9P are not here: containers put local disks behind them.
constexpr std::array kNetworkFileSystems{
    FileSystem{0x6969, "NFS"},      FileSystem{0xff534d42, "CIFS"},  FileSystem{0xfe534d42, "SMB2"},
    FileSystem{0x517b, "SMB"},      FileSystem{0x5346414f, "AFS"},   FileSystem{0x6b414653, "AFS"},
    FileSystem{0x73757245, "Coda"}, FileSystem{0x564c, "NCP"},       FileSystem{0x0bd00bd0, "Lustre"},
    FileSystem{0x00c36400, "Ceph"}, FileSystem{0x47504653, "GPFS"},  FileSystem{0x19830326, "BeeGFS"},
    FileSystem{0x01161970, "GFS2"}, FileSystem{0x7461636f, "OCFS2"},
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool writable(const fs::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

[[noreturn]] void refuse(const fs::path& path, std::string_view cause) {
  throw DatabaseError(fmt::format("database {}: {}; {}", path.string(), cause, kRemedy));
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace

std::string_view network_file_system(unsigned long magic) {
  for (const FileSystem& candidate : kNetworkFileSystems) {
    if (candidate.magic == magic) return candidate.name;
  }
  return {};
}

void check_location(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) refuse(path, error.message());  // links in a circle
  if (fs::is_directory(status)) refuse(path, "is a folder, not a file");
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse(path, "is not a regular file");

  const fs::path folder = folder_of(path);
  fs::create_directories(folder, error);
  if (error) refuse(path, fmt::format("its folder cannot be created: {}", error.message()));
  if (!writable(folder)) refuse(path, fmt::format("its folder cannot be written: {}", reason(errno)));
  if (fs::exists(status) && !writable(path)) refuse(path, fmt::format("cannot be written: {}", reason(errno)));

  struct statfs where {};
  if (::statfs(folder.c_str(), &where) != 0) refuse(path, reason(errno));
  const std::string_view network = network_file_system(static_cast<unsigned long>(where.f_type) & 0xffffffffUL);
  if (!network.empty()) {
    refuse(path,
           fmt::format("is on a network file system ({}), where the locks of a database cannot be trusted", network));
  }
}

fs::path Database::default_path() {
  if (const char* named = std::getenv("KERLAB_DB"); named != nullptr && *named != '\0') return named;
  const fs::path share = share_folder();
  const bool checkout = fs::exists(share / "CMakeLists.txt") && fs::exists(share / "tuning_db" / "schema");
  return checkout ? share / "tuning_db" / "kerlab.db" : data_folder() / "kerlab.db";
}

}  // namespace kerlab::db
