#pragma once
// Waits until files are saved.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "base/descriptor.h"

namespace kerlab {

/// Tells which of some files were saved, however editors do it: written in place, replaced by renaming, removed and
/// made anew. Folders are watched, not files; what counts is whether a file is another than when it was looked at last,
/// so nothing is missed between two waits, and an event too many does no harm.
class FileWatch {
 public:
  enum class Means { inotify, polling };
  /// Takes to polling where there is no inotify.
  explicit FileWatch(Means wanted = Means::inotify);
  [[nodiscard]] Means means() const { return notify_.open() ? Means::inotify : Means::polling; }

  /// These from now on; what was seen of those watched before stays, so that a save in between is told. `folders`:
  /// every source and spec in them, those too that are not there yet.
  void watch(const std::vector<std::filesystem::path>& files, const std::vector<std::filesystem::path>& folders = {});

  struct Saved {
    std::vector<std::filesystem::path> files;  ///< other than before, or gone
    std::chrono::steady_clock::time_point noticed;
  };
  /// Blocks until something was saved and nothing more happens, `longest` passed, or a signal came.
  std::optional<Saved> wait(std::chrono::milliseconds longest);

 private:
  /// Of a file that is not there all are 0.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t bytes = 0, modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<std::filesystem::path, Stamp>;
  [[nodiscard]] Stamps look() const;
  [[nodiscard]] static Stamp stamp(const std::filesystem::path& file);
  void listen();
  bool sleep(std::chrono::milliseconds longest);
  std::optional<Saved> settle();

  Descriptor notify_;
  std::vector<std::filesystem::path> files_, folders_;
  Stamps seen_;
};

}  // namespace kerlab
