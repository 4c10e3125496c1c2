#include "base/file_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

namespace kerlab {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kQuiet = 30ms;     // after the last event of a save
constexpr auto kMissing = 300ms;  // between removing a file and making it anew
constexpr auto kLongestSave = 2s;
constexpr auto kPolling = 100ms;
constexpr auto kLookAnyway = 1000ms;  // a network's file system tells nobody of others' saves
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE |
                                  IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

bool is_kernel_file(const fs::path& file) {
  const std::string name = file.filename().string(), ending = file.extension().string();
  return !name.starts_with('.') && (ending == ".cu" || ending == ".cuh" || ending == ".h" || ending == ".hpp" ||
                                    ending == ".inc" || ending == ".toml");
}

}  // namespace

FileWatch::FileWatch(Means wanted) {
  if (wanted == Means::inotify) notify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
}

FileWatch::Stamp FileWatch::stamp(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

FileWatch::Stamps FileWatch::look() const {
  Stamps stamps;
  for (const fs::path& file : files_) stamps[file] = stamp(file);
  for (const fs::path& folder : folders_) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (is_kernel_file(entry->path())) stamps[entry->path()] = stamp(entry->path());
  }
  return stamps;
}

void FileWatch::watch(const std::vector<fs::path>& files, const std::vector<fs::path>& folders) {
  files_ = files;
  folders_ = folders;
  Stamps now = look();
  for (auto& [file, stamp] : now)
    if (const auto known = seen_.find(file); known != seen_.end()) stamp = known->second;
  seen_ = std::move(now);
  listen();
}

/// Again and again: a folder may have been replaced. One that is watched already is not watched twice.
void FileWatch::listen() {
  if (!notify_.open()) return;
  std::set<fs::path> folders(folders_.begin(), folders_.end());
  for (const fs::path& file : files_) folders.insert(file.parent_path());
  for (const fs::path& folder : folders)
    if (::inotify_add_watch(notify_.get(), folder.c_str(), kEvents) < 0 && errno == ENOSPC)
      notify_.close();  // others have used up the system's watches
}

/// Until something happens, or `longest`. False: a signal came.
bool FileWatch::sleep(std::chrono::milliseconds longest) {
  const auto most = notify_.open() ? kLookAnyway : kPolling;
  pollfd descriptor{notify_.get(), POLLIN, 0};
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(longest.count(), 0, most.count()));
  if (::poll(&descriptor, notify_.open() ? 1 : 0, timeout) < 0) return false;
  std::array<char, 4096> events;  // what happened does not matter: files are looked at
  while (notify_.open() && ::read(notify_.get(), events.data(), events.size()) > 0) {
  }
  return true;
}

std::optional<FileWatch::Saved> FileWatch::wait(std::chrono::milliseconds longest) {
  const SteadyClock::time_point end = SteadyClock::now() + longest;
  for (;;) {
    listen();
    if (look() != seen_) {
      if (auto saved = settle()) return saved;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now());
    if (left.count() <= 0 || !sleep(left)) return std::nullopt;
  }
}

/// Waits for the end of what has begun, and says what came of it; nothing where it was undone.
std::optional<FileWatch::Saved> FileWatch::settle() {
  Saved saved;
  saved.noticed = SteadyClock::now();
  Stamps before = look(), now;
  for (;;) {
    sleep(kQuiet);
    now = look();
    const auto gone = [&](const auto& entry) { return entry.second == Stamp{} && seen_[entry.first] != Stamp{}; };
    const bool complete = std::ranges::none_of(now, gone) || SteadyClock::now() - saved.noticed > kMissing;
    if (now == before && complete) break;
    if (SteadyClock::now() - saved.noticed > kLongestSave) break;
    before = now;
  }
  for (const auto& [file, stamp] : now)
    if (const auto known = seen_.find(file); known == seen_.end() || known->second != stamp)
      saved.files.push_back(file);
  for (const auto& [file, stamp] : seen_)
    if (!now.contains(file)) saved.files.push_back(file);
  seen_ = std::move(now);
  if (saved.files.empty()) return std::nullopt;
  return saved;
}

}  // namespace kerlab
