#include "session/regress/regress_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "session/regress/regress_text.h"
#include "spec/toml/source_path.h"

namespace kerlab::session {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kNameDigits = 12;  ///< of a digest, in a file's name
constexpr std::chrono::milliseconds kFolderPatience{10000}, kLockPause{50};
constexpr const char* kSourceRemedy = "`git checkout` restores it, `kerlab regress record` writes it anew";

std::string system_reason(int error) {
  return std::system_category().message(error);
}

/// Of everything below `folder` that is called *.toml, <device>/<family>/<kernel>.toml.
std::vector<fs::path> baseline_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at.depth() == 2 && at->path().extension() == ".toml" && at->is_regular_file(gone)) files.push_back(at->path());
  }
  if (error) throw Error(fmt::format("baselines {}: {}", folder.string(), error.message()));
  std::ranges::sort(files);
  return files;
}

std::string key_of(const fs::path& file, const fs::path& folder) {
  fs::path key = file.lexically_relative(folder);
  return key.replace_extension().generic_string();
}

Baseline read_baseline(const fs::path& file, const std::string& key) {
  try {
    Baseline baseline = parse_baseline(read_text(file), shown_path(file));
    baseline.key = key;
    return baseline;
  } catch (const Error& error) {
    throw Error(fmt::format("{} (`git checkout` restores it; else delete it, and `kerlab regress record` again)",
                            error.what()));
  }
}

}  // namespace

BaselineFolder::BaselineFolder(fs::path parent, const std::string& name) : path_(parent / name), name_(name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.empty() || name.front() == '.' || name.size() > 64 || name.find_first_not_of(kAllowed) != std::string::npos)
    throw UsageError(
        fmt::format("--name '{}': a baseline's name has letters, digits, '.', '_' and '-', at most 64", name));
}

fs::path BaselineFolder::default_parent() {
  const fs::path share = share_folder();
  std::error_code error;
  const bool checkout =
      fs::exists(share / "CMakeLists.txt", error) && fs::exists(share / "tuning_db" / "schema", error);
  return checkout ? share / "tuning_db" / "baselines" : fs::path("kerlab-baselines");
}

bool BaselineFolder::exists() const {
  std::error_code error;
  return fs::is_directory(path_, error);
}

BaselineFolder::Listing BaselineFolder::read() const {
  Listing listing;
  for (const fs::path& file : baseline_files(path_)) {
    const std::string key = key_of(file, path_);
    try {
      listing.baselines.push_back(read_baseline(file, key));
    } catch (const Error& error) {
      listing.damaged.push_back({key, error.what()});
    }
  }
  return listing;
}

std::optional<Baseline> BaselineFolder::find(const std::string& key) const {
  const fs::path file = path_ / (key + ".toml");
  std::error_code error;
  const fs::file_status found = fs::status(file, error);
  if (found.type() == fs::file_type::not_found) return std::nullopt;
  if (found.type() == fs::file_type::none) throw Error(fmt::format("{}: {}", shown_path(file), error.message()));
  return read_baseline(file, key);
}

fs::path BaselineFolder::source_file(const std::string& hash) const {
  return path_ / "sources" / (hash.substr(0, kNameDigits) + ".txt");
}

SourceBundle BaselineFolder::source(const Baseline& baseline) const {
  SourceBundle bundle;
  bundle.path = "baseline/" + baseline.files.front().name;
  bundle.hash = baseline.source_hash;
  for (const SourceFile& file : baseline.files) {
    const fs::path path = source_file(file.hash);
    std::string text = read_text(path);
    if (digest(text) != file.hash)
      throw Error(fmt::format("{}: not the {} that {} was recorded with ({})", shown_path(path), file.name,
                              baseline.key, kSourceRemedy));
    if (&file == &baseline.files.front())
      bundle.text = std::move(text);
    else
      bundle.headers.push_back({file.name, std::move(text)});
  }
  return bundle;
}

/// Opened and locked; not open: another holder removed it meanwhile, since it was empty.
Descriptor BaselineFolder::Lock::open_locked(const fs::path& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open() && errno == ENOENT) return folder;
  if (!folder.open()) throw Error(fmt::format("baselines {}: {}", path.string(), system_reason(errno)));
  const auto until = std::chrono::steady_clock::now() + kFolderPatience;
  while (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    end_interrupted_wait();
    if (reason == EINTR) continue;
    const bool taken = reason == EWOULDBLOCK;
    if (taken && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(kLockPause);
      continue;
    }
    throw Error(fmt::format("baselines {}: {}", path.string(),
                            taken ? "another kerlab is writing there; nothing was written, try again"
                                  : "cannot be locked: " + system_reason(reason)));
  }
  struct stat locked {
  }, there{};
  if (::fstat(folder.get(), &locked) == 0 && ::stat(path.c_str(), &there) == 0 && locked.st_ino == there.st_ino)
    return folder;
  return {};
}

BaselineFolder::Lock::Lock(const BaselineFolder& folder) {
  while (!fd_.open()) {
    for (fs::path path = folder.path(); !path.empty() && !fs::exists(path) && path != path.parent_path();
         path = path.parent_path())
      made_.push_back(path);
    std::error_code error;
    fs::create_directories(folder.path(), error);
    if (error)
      throw Error(fmt::format("baselines {}: {}; name another folder with --baselines DIR", folder.path().string(),
                              error.message()));
    fd_ = open_locked(folder.path());
  }
}

/// What a kerlab that was killed while it wrote has left: whoever has the lock is the only one that writes.
void BaselineFolder::remove_torn(const Lock&) const {
  std::error_code error;
  std::vector<fs::path> torn;
  for (fs::recursive_directory_iterator at(path_, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".tmp" && at->path().filename().string().front() == '.') torn.push_back(at->path());
  for (const fs::path& file : torn) fs::remove(file, error);
}

/// Where nothing came to be written, nothing stays behind; after that the lock is let go.
BaselineFolder::Lock::~Lock() {
  for (const fs::path& folder : made_)
    if (::rmdir(folder.c_str()) != 0) break;
}

bool BaselineFolder::write(Baseline& baseline, const SourceBundle& source, const Lock&) const {
  std::optional<Baseline> same = find(baseline.key);  // one that is damaged stays as it is, and nothing is written
  baseline.files = {{fs::path(source.path).filename().string(), digest(source.text)}};
  for (const Header& header : source.headers) baseline.files.push_back({header.name, digest(header.text)});
  const std::string document = baseline_text(baseline);
  static_cast<void>(parse_baseline(document, baseline.key));  // a reason of a page, say, could not be read again
  fs::create_directories(path_ / "sources");
  const auto keep = [&](const std::string& hash, const std::string& text) {
    const fs::path file = source_file(hash);
    std::error_code error;
    if (fs::exists(file, error) && digest(read_text(file)) == hash) return;
    write_atomic(file, std::string_view(text));
  };
  keep(baseline.files.front().hash, source.text);
  for (std::size_t i = 0; i < source.headers.size(); ++i) keep(baseline.files[i + 1].hash, source.headers[i].text);
  const fs::path file = path_ / (baseline.key + ".toml");
  fs::create_directories(file.parent_path());
  if (same) {
    same->recorded = baseline.recorded;
    if (baseline_text(*same) == document) return false;
  }
  write_atomic(file, std::string_view(document));
  return true;
}

void BaselineFolder::remove_unused_sources(const Lock&) const {
  const Listing listing = read();
  if (!listing.damaged.empty()) return;
  std::set<fs::path> used;
  for (const Baseline& baseline : listing.baselines)
    for (const SourceFile& file : baseline.files) used.insert(source_file(file.hash));
  std::error_code error;
  std::vector<fs::path> unused;
  for (fs::directory_iterator at(path_ / "sources", error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".txt" && !used.contains(at->path())) unused.push_back(at->path());
  for (const fs::path& file : unused) fs::remove(file, error);
}

void BaselineFolder::remove(const std::string& key, const Lock&) const {
  std::error_code error;
  fs::remove(path_ / (key + ".toml"), error);
  if (error) throw Error(fmt::format("{}: {}", shown_path(path_ / (key + ".toml")), error.message()));
}

}  // namespace kerlab::session
