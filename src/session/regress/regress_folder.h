#pragma once
// Baselines of one name as a folder of text: <device>/<family>/<kernel>.toml, their sources once each under sources/,
// and baseline.toml with the margins. Made to live in git: every file is written whole or not at all.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "compile/compiler.h"
#include "trial/baseline.h"

namespace kerlab::session {

class BaselineFolder {
 public:
  /// Throws UsageError for a name with anything but letters, digits, '.', '_', '-'. Creates nothing.
  BaselineFolder(std::filesystem::path parent, const std::string& name);
  /// tuning_db/baselines of a checkout of kerlab; for an installed kerlab, kerlab-baselines in the current folder.
  static std::filesystem::path default_parent();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool exists() const;
  /// baseline.toml.
  [[nodiscard]] std::filesystem::path settings() const { return path_ / "baseline.toml"; }

  struct Damaged {
    std::string key, why;  ///< why: file:line:column, what is wrong and what helps
  };
  struct Listing {
    std::vector<Baseline> baselines;  ///< by key
    std::vector<Damaged> damaged;
  };
  /// Everything there is. Throws Error only where the folder itself cannot be read.
  [[nodiscard]] Listing read() const;
  /// The baseline of a key; none where there is no such file. Throws Error where it is damaged: as in Damaged::why.
  [[nodiscard]] std::optional<Baseline> find(const std::string& key) const;
  /// The source as it was, with its includes. Throws Error naming a file that is missing or was changed.
  [[nodiscard]] SourceBundle source(const Baseline& baseline) const;

  /// Held while files are written: one kerlab at a time. Creates the folder, and removes what it created where nothing
  /// was written.
  class Lock {
   public:
    explicit Lock(const BaselineFolder& folder);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    static Descriptor open_locked(const std::filesystem::path& path);

    Descriptor fd_;
    std::vector<std::filesystem::path> made_;  ///< the innermost first
  };
  /// Writes the sources that are missing, then the baseline, whose `files` it sets. False: it was there already, the
  /// same but for the date, and stays untouched. Throws Error, having written nothing, where what is there is damaged.
  bool write(Baseline& baseline, const SourceBundle& source, const Lock& lock) const;
  /// Removes sources that no baseline names. Nothing while one cannot be read.
  void remove_unused_sources(const Lock& lock) const;
  /// Temporary files of a kerlab that was killed while it wrote.
  void remove_torn(const Lock& lock) const;
  void remove(const std::string& key, const Lock& lock) const;

 private:
  [[nodiscard]] std::filesystem::path source_file(const std::string& hash) const;

  std::filesystem::path path_;
  std::string name_;
};

}  // namespace kerlab::session
