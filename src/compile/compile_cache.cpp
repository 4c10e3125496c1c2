// Two levels of folders, one file for each compilation: a line with the digest of the rest, then the CompileResult.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "compile/compiler.h"
#include "compile/host_headers.h"
#include "compile/messages.h"

namespace kerlab::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "kerlab-compilation-2";

/// "kerlab-compilation-2 <digest>\n"
std::string seal(std::span<const std::byte> body) {
  return fmt::format("{} {}\n", kFormat, digest(body));
}

/// Readers see the whole entry or none. Not base's write_atomic: that flushes to disk, which costs milliseconds each,
/// and the digest already tells an entry torn by a power cut. Gives errno, 0 for success.
int write_entry(const fs::path& path, std::string_view head, std::span<const std::byte> body) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return error.value();
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.open()) return errno;
  int failed = write_all(file.get(), head);
  if (failed == 0) failed = write_all(file.get(), body);
  if (failed == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
  if (failed != 0) ::unlink(temporary.c_str());
  return failed;
}

struct StoredFile {
  fs::path path;
  std::int64_t bytes;
  fs::file_time_type used;
};

std::vector<StoredFile> list_entries(const fs::path& folder) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // another kerlab may have deleted it meanwhile
    if (!at->is_regular_file(gone) || gone) continue;
    const auto bytes = static_cast<std::int64_t>(at->file_size(gone));
    const fs::file_time_type used = gone ? fs::file_time_type{} : at->last_write_time(gone);
    if (!gone) files.push_back({at->path(), bytes, used});
  }
  return files;
}

}  // namespace

CompileCache::CompileCache(fs::path folder, std::int64_t limit_bytes, bool enabled)
    : folder_(std::move(folder) / "compile"),
      limit_bytes_(limit_bytes),
      enabled_(enabled),
      stored_since_trim_(limit_bytes) {}  // so that the first store looks at what earlier runs have left

fs::path CompileCache::entry_path(const std::string& key) const {
  return folder_ / key.substr(0, 2) / key.substr(2);
}

std::string CompileCache::key(const CompileRequest& request, const std::string& toolchain) const {
  FieldHasher hasher;
  // The path is part of it: it stands in the log, in __FILE__ and in line tables.
  hasher.field("format", kFormat).field("toolchain", toolchain).field("path", request.source.path);
  hasher.field("source", request.source.hash).field("host headers", host_headers_digest());
  for (const std::string& option : request.options) hasher.field("option", option);
  return hasher.hex();
}

std::optional<CompileResult> CompileCache::find(const std::string& key) {
  if (!enabled_) return {};
  const fs::path path = entry_path(key);
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  try {
    const Bytes bytes = read_bytes(path);
    const std::size_t head = std::min(bytes.size(), kFormat.size() + 34);  // a blank, 32 digits, a newline
    const std::span<const std::byte> body = std::span(bytes).subspan(head);
    const std::string expected = seal(body);
    if (!std::ranges::equal(std::span(bytes).first(head), std::as_bytes(std::span(expected))))
      throw Error(fmt::format("{}: damaged", path.string()));
    CompileResult result = decode_compile_result(body);
    result.from_cache = true;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // used: kept longer
    return result;
  } catch (const Error&) {
    fs::remove(path, error);
    return {};
  }
}

void CompileCache::store(const std::string& key, const CompileResult& result) {
  if (!enabled_ || !writable_) return;
  if (result.status != CompileStatus::ok && result.status != CompileStatus::error) return;
  const Bytes body = encode(result);
  if (const int reason = write_entry(entry_path(key), seal(body), body); reason != 0) {
    writable_ = false;
    warning_ = fmt::format("compile cache {}: {}; going on without storing (KERLAB_CACHE names another folder)",
                           folder_.string(), std::generic_category().message(reason));
    return;
  }
  stored_since_trim_ += static_cast<std::int64_t>(body.size());
  // Listing tens of thousands of entries takes a tenth of a second: only now and then.
  if (stored_since_trim_ > limit_bytes_ / 16) trim();
}

void CompileCache::trim() {
  stored_since_trim_ = 0;
  std::vector<StoredFile> files = list_entries(folder_);
  std::int64_t total = 0;
  for (const StoredFile& file : files) total += file.bytes;
  if (total <= limit_bytes_) return;
  std::ranges::sort(files, {}, &StoredFile::used);
  for (const StoredFile& file : files) {
    if (total <= limit_bytes_ / 10 * 9) break;
    std::error_code gone;
    fs::remove(file.path, gone);
    total -= file.bytes;
  }
}

}  // namespace kerlab::compile
